"""How the network looks to a session: to all of its pages, frames and workers alike."""

from __future__ import annotations

import asyncio
import contextlib

from rove.chromium.wire import Wire, WireError

_UNLIMITED = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}


class Conditions:
    """Online or offline; whoever joins later finds it as it is."""

    def __init__(self) -> None:
        self.is_offline = False
        self._wires: set[Wire] = set()

    async def join(self, wire: Wire) -> None:
        if wire not in self._wires:
            self._wires.add(wire)
            wire.on("closed", lambda _: self._wires.discard(wire))
        if self.is_offline:
            await self._apply(wire)

    async def set_offline(self, offline: bool) -> None:
        self.is_offline = offline
        await asyncio.gather(*map(self._apply, list(self._wires)))

    async def _apply(self, wire: Wire) -> None:
        with contextlib.suppress(WireError):  # it has gone away meanwhile
            await wire.send("Network.emulateNetworkConditions", {"offline": self.is_offline, **_UNLIMITED})
