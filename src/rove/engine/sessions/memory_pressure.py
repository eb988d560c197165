"""Whether memory is short."""

from __future__ import annotations

from rove.engine.sessions.memory import available_memory
from rove.record import dataclass

MEGABYTE = 2**20
# The browser's share of all there is, unless a number is set.
SHARE = 0.8
# What must be left for everything else, us included: this part of all there is, but no more than so much.
LEAST_LEFT = 0.1
ENOUGH_LEFT = 512 * MEGABYTE


@dataclass(frozen=True)
class MemoryShortage:
    """What is short, in a sentence; its own if it is the browser that is above its limit."""

    sentence: str
    is_own: bool


def memory_shortage(most_megabytes: int | None, held: int | None) -> MemoryShortage | None:
    """Look at the machine, and at the bytes that the browser holds if that is known; None if there is room."""
    now = available_memory()
    most = most_megabytes * MEGABYTE if most_megabytes else now.total * SHARE if now else None
    if most is not None and held is not None and held > most:
        return MemoryShortage(f"The browser holds {_shown(held)} of memory, and its limit is {_shown(most)}.", True)
    if now is not None and now.available < min(now.total * LEAST_LEFT, ENOUGH_LEFT):
        return MemoryShortage(f"This machine has only {_shown(now.available)} of memory left.", False)
    return None


def _shown(size: float) -> str:
    return f"{size / MEGABYTE:.0f} MB"
