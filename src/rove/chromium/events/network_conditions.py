"""Network conditions that apply to all pages, frames and workers of a browser context."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from rove.browser.network.conditions import Throttling
from rove.chromium.protocol.connection import CdpError, CdpSession

BYTES_PER_KILOBIT = 125


class NetworkConditions:
    """Emulates being offline or slow. CDP sessions that are added later get the current state."""

    def __init__(self) -> None:
        self.is_offline = False
        self.throttling = Throttling()
        self._cdp_sessions: set[CdpSession] = set()

    async def add(self, cdp: CdpSession) -> None:
        """Apply the conditions to a CDP session, now and whenever they change."""
        if cdp not in self._cdp_sessions:
            self._cdp_sessions.add(cdp)
            cdp.on("closed", lambda _: self._cdp_sessions.discard(cdp))
        if self.is_offline or self.throttling != Throttling():
            await self._apply(cdp)

    async def set_offline(self, offline: bool) -> None:
        self.is_offline = offline
        await self._apply_to_all()

    async def throttle(self, throttling: Throttling) -> None:
        """Slow the network and the scripts of all pages down, also of those that are opened later."""
        self.throttling = throttling
        await self._apply_to_all()

    async def _apply_to_all(self) -> None:
        await asyncio.gather(*map(self._apply, list(self._cdp_sessions)))

    async def _apply(self, cdp: CdpSession) -> None:
        conditions = {
            "offline": self.is_offline,
            "latency": self.throttling.latency,
            "downloadThroughput": _bytes_per_second(self.throttling.download),
            "uploadThroughput": _bytes_per_second(self.throttling.upload),
        }
        await asyncio.gather(
            _send(cdp, "Network.emulateNetworkConditions", conditions),
            _send(cdp, "Emulation.setCPUThrottlingRate", {"rate": self.throttling.cpu}),
        )


async def _send(cdp: CdpSession, method: str, params: dict[str, Any]) -> None:
    # The target was closed meanwhile, or it is a worker, of which the processor cannot be throttled.
    with contextlib.suppress(CdpError):
        await cdp.send(method, params)


def _bytes_per_second(kilobits: float | None) -> float:
    """Return a rate as CDP counts it; -1 is no limit."""
    return -1 if kilobits is None else kilobits * BYTES_PER_KILOBIT
