"""What the tabs of one user context share: ref numbers, clipboard, network, emulation."""

from __future__ import annotations

from pathlib import Path

from rove.browser.context import SharedState
from rove.browser.emulation import Overrides, Size
from rove.browser.firefox.connection import BidiConnection, BidiError
from rove.browser.firefox.console import ConsoleLog, ConsoleSubscription
from rove.browser.firefox.emulation import SessionOverrides, refuse_unsupported, set_grants
from rove.browser.firefox.interception import Interceptions, Interceptor
from rove.browser.firefox.network import NetworkConditions
from rove.browser.firefox.profiler import Recorder
from rove.browser.firefox.storage import ContextCookies
from rove.browser.shared import resources
from rove.errors import Unsupported
from rove.settings.tree import Settings
from rove.tasks import BackgroundTasks
from rove.validation.record import dataclass


class SharedResources(resources.SharedResources[NetworkConditions, SessionOverrides, Interceptor]):
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


class SharedContext(resources.SharedContext[SharedResources]):
    """Reads and sets what the tabs of one user context share."""

    def __init__(
        self, connection: BidiConnection, identity: str, interceptions: Interceptions, size: Size, user_agent: str
    ) -> None:
        super().__init__(SharedResources(connection, identity, interceptions, size, user_agent))
        self._connection = connection
        self._identity = identity

    @property
    def cookies(self) -> ContextCookies:
        return self._shared.cookies

    @property
    def network_conditions(self) -> NetworkConditions:
        return self._shared.network_conditions

    async def override(self, overrides: Overrides) -> None:
        """Emulate, grant and intercept this instead, in all tabs, also in those that are opened later."""
        refuse_unsupported(overrides.emulation)
        try:
            await set_grants(self._connection, self._identity, self.overrides.grants, overrides.grants)
        except BidiError as error:
            raise Unsupported(f"This browser does not have the permission: {error}.") from error
        await self._shared.overrides.apply(overrides)

    async def user_agent(self) -> str:
        """Return the user agent that its pages send."""
        return self._shared.overrides.user_agent
