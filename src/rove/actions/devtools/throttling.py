"""Throttling: a slower network and a slower processor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rove.action import ContextAction, Effect, action, arg
from rove.browser.network import Throttling
from rove.outcome import Result
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.context import Context

# As Chrome's developer tools define them: milliseconds, kilobits per second down and up.
PRESETS = {
    "none": Throttling(),
    "slow-3g": Throttling(2000, 400, 400),
    "slow-4g": Throttling(562.5, 1440, 675),
    "fast-4g": Throttling(165, 8100, 1350),
}


@dataclass(frozen=True)
class Throttled(Result):
    latency: float
    download: float | None
    upload: float | None
    cpu: float

    def __str__(self) -> str:
        facts = [f"{self.latency:g} ms latency"] if self.latency else []
        facts += [f"{self.download:g} kbit/s down"] if self.download is not None else []
        facts += [f"{self.upload:g} kbit/s up"] if self.upload is not None else []
        facts += [f"scripts {self.cpu:g} times slower"] if self.cpu != 1 else []
        return f"The session is throttled: {', '.join(facts)}." if facts else "The session is not throttled."


@action(Effect.ACT, observes=False, group="emulation")
class Throttle(ContextAction[Throttled]):
    """Slow down the session's network and scripts. Without arguments, end that."""

    network: Literal["none", "slow-3g", "slow-4g", "fast-4g"] = arg("A kind of network.", default="none")
    latency: float | None = arg("Milliseconds added to each request.", default=None, ge=0, le=60_000)
    download: float | None = arg("Kilobits per second.", default=None, ge=1)
    upload: float | None = arg("Kilobits per second.", default=None, ge=1)
    cpu: float = arg("How many times slower scripts run.", default=1, ge=1, le=100)

    async def perform(self, context: Context) -> Throttled:
        preset = PRESETS[self.network]
        wanted = Throttling(
            preset.latency if self.latency is None else self.latency,
            self.download or preset.download,
            self.upload or preset.upload,
            self.cpu,
        )
        await context.network_conditions.throttle(wanted)
        return Throttled(wanted.latency, wanted.download, wanted.upload, wanted.cpu)
