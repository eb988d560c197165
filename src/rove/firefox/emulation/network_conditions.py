"""Network conditions that apply to all pages of a user context."""

from __future__ import annotations

from rove.browser.network.conditions import Throttling
from rove.errors import Unsupported
from rove.firefox.protocol.connection import BidiConnection


class NetworkConditions:
    """Emulates being offline, also for pages that are opened later."""

    def __init__(self, connection: BidiConnection, context: str) -> None:
        self._connection = connection
        self._context = context
        self.is_offline = False
        self.throttling = Throttling()

    async def set_offline(self, offline: bool) -> None:
        conditions = {"type": "offline"} if offline else None
        params = {"networkConditions": conditions, "userContexts": [self._context]}
        await self._connection.send("emulation.setNetworkConditions", params)
        self.is_offline = offline

    async def throttle(self, throttling: Throttling) -> None:
        """Raise Unsupported: Firefox can be taken offline, and not be slowed down."""
        if throttling != Throttling():
            raise Unsupported(
                "Firefox cannot be slowed down.", hint="Open a session with the engine chromium for throttling."
            )
        self.throttling = throttling
