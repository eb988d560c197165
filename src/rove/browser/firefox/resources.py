"""What the tabs of one user context share: ref numbers, clipboard, network, emulation."""

from __future__ import annotations

from pathlib import Path

from rove.browser.emulation import Size
from rove.browser.firefox.connection import BidiConnection, BidiError
from rove.browser.firefox.console import ConsoleLog, ConsoleSubscription
from rove.browser.firefox.emulation import SessionOverrides
from rove.browser.firefox.interception import Interceptions, Interceptor
from rove.browser.firefox.network import NetworkConditions
from rove.browser.firefox.profiler import Recorder
from rove.browser.firefox.storage import ContextCookies
from rove.browser.shared import resources
from rove.records import dataclass
from rove.settings.tree import Settings
from rove.tasks import BackgroundTasks


class SharedResources(resources.SharedResources):
    """The shared resources of one context."""

    overrides: SessionOverrides
    interceptor: Interceptor

    def __init__(
        self, connection: BidiConnection, context: str, interceptions: Interceptions, size: Size, user_agent: str
    ) -> None:
        interceptor = Interceptor(interceptions, context)
        overrides = SessionOverrides(connection, context, interceptor, size, user_agent)
        tasks = BackgroundTasks("context", expected=(BidiError,))
        super().__init__(NetworkConditions(connection, context), overrides, interceptor, tasks)
        self.cookies = ContextCookies(connection, context)
        # Of the workers that tabs share; Firefox does not report what those write.
        self.console: ConsoleLog = ConsoleLog()
        self.console_events = ConsoleSubscription(connection, context, tasks, self._note_pause)

    def _note_pause(self) -> None:
        self.console.is_uncounted = True


@dataclass(frozen=True)
class TabSetup:
    """What a context passes to every tab that it creates."""

    connection: BidiConnection
    user_context: str
    settings: Settings
    scratch: Path
    shared: SharedResources
    recorder: Recorder
