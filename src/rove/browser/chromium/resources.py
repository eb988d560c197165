"""What the tabs of one context share: ref numbers, clipboard, network, emulation, workers."""

from __future__ import annotations

from pathlib import Path

from rove.browser.chromium.connection import CdpConnection, CdpError
from rove.browser.chromium.console import ConsoleLog
from rove.browser.chromium.emulation import SessionOverrides
from rove.browser.chromium.interception import Interceptor
from rove.browser.chromium.network import NetworkConditions
from rove.browser.chromium.workers import Workers
from rove.browser.emulation import Size
from rove.browser.shared import resources
from rove.records import dataclass
from rove.settings.tree import Settings
from rove.tasks import BackgroundTasks


class SharedResources(resources.SharedResources):
    """The shared resources of one context."""

    network_conditions: NetworkConditions
    overrides: SessionOverrides
    interceptor: Interceptor
    console: ConsoleLog

    def __init__(self, connection: CdpConnection) -> None:
        tasks = BackgroundTasks("context", expected=(CdpError,))
        interceptor, conditions = Interceptor(tasks, connection.documents), NetworkConditions()
        super().__init__(conditions, SessionOverrides(connection.root, interceptor, tasks), interceptor, tasks)
        self.console = ConsoleLog(tasks)
        self.workers = Workers(self.console, conditions, self.overrides, tasks=tasks)


@dataclass(frozen=True)
class TabSetup:
    """What a context passes to every tab that it creates."""

    connection: CdpConnection
    settings: Settings
    scratch: Path
    shared: SharedResources
    # In an attached browser the page keeps the size of its window, and rove must not end the browser.
    is_attached: bool = False

    @property
    def gives_own_window(self) -> bool:
        """Whether each page that rove opens has a window of its own, which gives it its size."""
        return self.settings.stealth and not self.is_attached

    @property
    def emulated_size(self) -> Size | None:
        """The size of a new page; None if its window gives it one."""
        viewport = self.settings.viewport
        return None if self.is_attached or self.gives_own_window else Size(viewport.width, viewport.height)
