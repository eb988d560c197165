"""What all tabs of a context share, as the layers above see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rove.chromium.emulation.user_agents import user_agent_of
from rove.chromium.events.network_conditions import NetworkConditions
from rove.chromium.events.workers import Workers
from rove.chromium.page.permissions import set_grants
from rove.chromium.page.shared_resources import SharedResources
from rove.chromium.protocol.connection import CdpConnection, CdpError
from rove.chromium.storage.context_cookies import ContextCookies
from rove.errors import Unsupported
from rove.page.tabs import shared_context

if TYPE_CHECKING:
    from rove.browser.emulation.overrides import Overrides, PermissionGrant
    from rove.chromium.emulation.identity import Identity


class SharedContext(shared_context.SharedContext[SharedResources]):
    """Reads and sets what the tabs of one browser context share."""

    def __init__(self, connection: CdpConnection, identity: str) -> None:
        super().__init__(SharedResources(connection.documents))
        self._root = connection.root
        self._identity = identity
        self.cookies = ContextCookies(self._root, identity)

    @property
    def workers(self) -> Workers:
        """The workers that the tabs share."""
        return self._shared.workers

    def use_identity(self, identity: Identity | None) -> None:
        """Give pages and workers this identity, where nothing else is emulated; None leaves the browser's own."""
        self._shared.overrides.identity = identity

    @property
    def network_conditions(self) -> NetworkConditions:
        return self._shared.network_conditions

    async def override(self, overrides: Overrides) -> None:
        """Emulate, grant and intercept this instead, in all tabs, also in those that are opened later."""
        await self._set_grants(self.overrides.grants, overrides.grants)
        await self._shared.overrides.apply(self._root, overrides)

    async def _set_grants(self, before: tuple[PermissionGrant, ...], after: tuple[PermissionGrant, ...]) -> None:
        try:
            await set_grants(self._root, self._identity, before, after)
        except CdpError as error:
            raise Unsupported(f"This browser does not have the permission: {error}.") from error

    async def user_agent(self) -> str:
        """Return the user agent that its pages send."""
        emulation = self.overrides.emulation
        version = await self._root.send("Browser.getVersion")
        if emulation.device is not None and emulation.user_agent is None:
            return user_agent_of(emulation.device, version["product"])
        return emulation.user_agent or str(version["userAgent"])
