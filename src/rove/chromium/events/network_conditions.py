"""Network conditions that apply to all pages, frames and workers of a browser context."""

from __future__ import annotations

import asyncio
import contextlib

from rove.chromium.protocol.connection import CdpError, CdpSession

_UNLIMITED = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}


class NetworkConditions:
    """Emulates being offline. CDP sessions that are added later get the current state."""

    def __init__(self) -> None:
        self.is_offline = False
        self._cdp_sessions: set[CdpSession] = set()

    async def add(self, cdp: CdpSession) -> None:
        """Apply the conditions to a CDP session, now and whenever they change."""
        if cdp not in self._cdp_sessions:
            self._cdp_sessions.add(cdp)
            cdp.on("closed", lambda _: self._cdp_sessions.discard(cdp))
        if self.is_offline:
            await self._apply(cdp)

    async def set_offline(self, offline: bool) -> None:
        self.is_offline = offline
        await asyncio.gather(*map(self._apply, list(self._cdp_sessions)))

    async def _apply(self, cdp: CdpSession) -> None:
        with contextlib.suppress(CdpError):  # the target was closed meanwhile
            await cdp.send("Network.emulateNetworkConditions", {"offline": self.is_offline, **_UNLIMITED})
