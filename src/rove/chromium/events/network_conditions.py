"""How the network looks to a session: to all of its pages, frames and workers alike."""

from __future__ import annotations

import asyncio
import contextlib

from rove.chromium.protocol.connection import CdpError, CdpSession

_UNLIMITED = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}


class NetworkConditions:
    """Online or offline; whoever joins later finds it as it is."""

    def __init__(self) -> None:
        self.is_offline = False
        self._cdp_sessions: set[CdpSession] = set()

    async def join(self, cdp: CdpSession) -> None:
        if cdp not in self._cdp_sessions:
            self._cdp_sessions.add(cdp)
            cdp.on("closed", lambda _: self._cdp_sessions.discard(cdp))
        if self.is_offline:
            await self._apply(cdp)

    async def set_offline(self, offline: bool) -> None:
        self.is_offline = offline
        await asyncio.gather(*map(self._apply, list(self._cdp_sessions)))

    async def _apply(self, cdp: CdpSession) -> None:
        with contextlib.suppress(CdpError):  # it has gone away meanwhile
            await cdp.send("Network.emulateNetworkConditions", {"offline": self.is_offline, **_UNLIMITED})
