"""Resources that the tabs of one context share: ref numbers, clipboard, network, emulation, shared workers."""

from __future__ import annotations

from pathlib import Path

from rove.browser.context import SharedState
from rove.browser.emulation.emulation import Size
from rove.chromium.emulation.session_overrides import SessionOverrides
from rove.chromium.events.console import ConsoleLog
from rove.chromium.events.network_conditions import NetworkConditions
from rove.chromium.events.workers import Workers
from rove.chromium.interception.interceptor import Interceptor
from rove.chromium.protocol.browser_documents import BrowserDocuments
from rove.chromium.protocol.connection import CdpConnection, CdpError, CdpSession
from rove.page.tabs import shared_resources
from rove.settings.tree import Settings
from rove.tasks import BackgroundTasks
from rove.validation.record import dataclass


class SharedResources(shared_resources.SharedResources[NetworkConditions, SessionOverrides, Interceptor]):
    """The shared resources of one context."""

    def __init__(self, documents: BrowserDocuments) -> None:
        self.tasks = BackgroundTasks("context", expected=(CdpError,))
        interceptor = Interceptor(self.tasks, documents)
        super().__init__(NetworkConditions(), SessionOverrides(interceptor, self.tasks), interceptor)
        self.console = ConsoleLog(self.tasks)
        self.workers = Workers(self.console, self.network_conditions, self.overrides, tasks=self.tasks)

    async def restore(self, root: CdpSession, state: SharedState) -> None:
        """Restore the state of a lost context, before the first tab is opened."""
        self.restore_own(state)
        await self.overrides.restore(root, state.overrides)
        self.network_conditions.is_offline = state.is_offline
        self.network_conditions.throttling = state.throttling


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
