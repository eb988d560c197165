"""Resources that the tabs of one user context share: ref numbers, clipboard, network, emulation."""

from __future__ import annotations

from pathlib import Path

from rove.browser.context import SharedState
from rove.browser.emulation.emulation import Size
from rove.firefox.emulation.network_conditions import NetworkConditions
from rove.firefox.emulation.session_overrides import SessionOverrides
from rove.firefox.events.console import ConsoleLog
from rove.firefox.events.console_subscription import ConsoleSubscription
from rove.firefox.interception.interceptions import Interceptions
from rove.firefox.interception.interceptor import Interceptor
from rove.firefox.performance.recording import Recorder
from rove.firefox.protocol.connection import BidiConnection, BidiError
from rove.firefox.storage.context_cookies import ContextCookies
from rove.page.tabs import shared_resources
from rove.settings.tree import Settings
from rove.tasks import BackgroundTasks
from rove.validation.record import dataclass


class SharedResources(shared_resources.SharedResources[NetworkConditions, SessionOverrides, Interceptor]):
    """The shared resources of one context."""

    def __init__(
        self, connection: BidiConnection, context: str, interceptions: Interceptions, size: Size, user_agent: str
    ) -> None:
        interceptor = Interceptor(interceptions, context)
        overrides = SessionOverrides(connection, context, interceptor, size, user_agent)
        super().__init__(NetworkConditions(connection, context), overrides, interceptor)
        self.tasks = BackgroundTasks("context", expected=(BidiError,))
        self.cookies = ContextCookies(connection, context)
        # Of the workers that tabs share; Firefox does not report what those write.
        self.console = ConsoleLog()
        self.console_events = ConsoleSubscription(connection, context, self.tasks, self._note_pause)

    def _note_pause(self) -> None:
        self.console.is_uncounted = True

    async def restore(self, state: SharedState) -> None:
        """Restore the state of a lost context, before the first tab is opened."""
        self.restore_own(state)
        await self.overrides.restore(state.overrides)
        if state.is_offline:
            await self.network_conditions.set_offline(True)


@dataclass(frozen=True)
class TabSetup:
    """What a context passes to every tab that it creates."""

    connection: BidiConnection
    user_context: str
    settings: Settings
    scratch: Path
    shared: SharedResources
    recorder: Recorder
