"""How much of what an origin has stored is read, and how long that may take."""

from __future__ import annotations

from rove.validation.record import dataclass


@dataclass(frozen=True)
class ReadLimits:
    """Most characters and records of one origin, and most seconds for its databases and for all of it."""

    characters: int
    records: int
    database_seconds: float
    seconds: float

    @property
    def arguments(self) -> tuple[int, int, float]:
        """The arguments of `readStorage`."""
        return self.characters, self.records, self.database_seconds * 1000


# After each call, in case that the browser is lost: it must not slow down the next call.
QUICK = ReadLimits(1_000_000, 1_000, 0.7, 1.0)
# For a state that is saved by name.
FULL = ReadLimits(50_000_000, 200_000, 8.0, 10.0)
