"""Whether memory is short."""

from __future__ import annotations

from rove.chromium.footprint import footprint
from rove.engine.memory import memory
from rove.record import dataclass

MEGABYTE = 2**20
# The browser's share of all there is, unless a number is set.
SHARE = 0.8
# What must be left for everything else, us included: this part of all there is, but no more than so much.
LEAST_LEFT = 0.1
ENOUGH_LEFT = 512 * MEGABYTE


@dataclass(frozen=True)
class Shortage:
    """What is short, in a sentence; its own if it is the browser that is above its limit."""

    sentence: str
    is_own: bool


def shortage(most_megabytes: int | None, browser: int | None) -> Shortage | None:
    """Look at the machine, and at a browser if its process group is given; None if there is room."""
    now = memory()
    most = most_megabytes * MEGABYTE if most_megabytes else now.total * SHARE if now else None
    held = footprint(browser) if browser is not None else None
    if most is not None and held is not None and held > most:
        return Shortage(f"The browser holds {_shown(held)} of memory, and its limit is {_shown(most)}.", True)
    if now is not None and now.available < min(now.total * LEAST_LEFT, ENOUGH_LEFT):
        return Shortage(f"This machine has only {_shown(now.available)} of memory left.", False)
    return None


def _shown(size: float) -> str:
    return f"{size / MEGABYTE:.0f} MB"
