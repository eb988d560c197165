"""What all tabs of a context share, as the layers above see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rove.browser.emulation.emulation import Size
from rove.errors import Unsupported
from rove.firefox.emulation.network_conditions import NetworkConditions
from rove.firefox.emulation.permissions import set_grants
from rove.firefox.emulation.session_overrides import refuse_unsupported
from rove.firefox.interception.interceptions import Interceptions
from rove.firefox.protocol.connection import BidiConnection, BidiError
from rove.firefox.shared.resources import SharedResources
from rove.firefox.storage.context_cookies import ContextCookies
from rove.page.tabs import shared_context

if TYPE_CHECKING:
    from rove.browser.emulation.overrides import Overrides


class SharedContext(shared_context.SharedContext[SharedResources]):
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
