"""Network conditions that a session can be put under."""

from __future__ import annotations

from typing import Protocol

from rove.validation.record import dataclass


@dataclass(frozen=True)
class Throttling:
    """How much slower a session is than it could be; by default not at all.

    `latency`: milliseconds that are added to each request. `download`, `upload`: kilobits per second; None for no
    limit. `cpu`: how many times slower scripts run.
    """

    latency: float = 0
    download: float | None = None
    upload: float | None = None
    cpu: float = 1


class NetworkConditions(Protocol):
    """The network of a session: offline, throttled or as it is."""

    async def set_offline(self, offline: bool, /) -> None: ...
    async def throttle(self, throttling: Throttling, /) -> None:
        """Slow the network and the scripts of all pages down, also of those that are opened later."""
