"""Whether memory is too short for another page."""

from __future__ import annotations

from rove.engine.sessions.memory import available_memory
from rove.validation.record import dataclass

MEGABYTE = 2**20
# The part of all memory that the browser may use, unless the settings name a number.
BROWSER_SHARE = 0.8
# What must stay free for everything else, rove included: this part of all memory, but at most this many bytes.
FREE_SHARE = 0.1
MAX_FREE = 512 * MEGABYTE


@dataclass(frozen=True)
class MemoryShortage:
    """Says in a sentence what is short. `is_own`: the browser is above its limit, as opposed to a full machine."""

    sentence: str
    is_own: bool


def memory_shortage(limit_megabytes: int | None, browser_bytes: int | None) -> MemoryShortage | None:
    """Compare the free memory, and that of the browser if it is known, with their limits; None if there is room."""
    memory = available_memory()
    limit = limit_megabytes * MEGABYTE if limit_megabytes else memory.total * BROWSER_SHARE if memory else None
    if limit is not None and browser_bytes is not None and browser_bytes > limit:
        sentence = f"The browser uses {_format(browser_bytes)} of memory, and its limit is {_format(limit)}."
        return MemoryShortage(sentence, True)
    if memory is not None and memory.available < min(memory.total * FREE_SHARE, MAX_FREE):
        return MemoryShortage(f"This machine has only {_format(memory.available)} of memory left.", False)
    return None


def _format(size: float) -> str:
    return f"{size / MEGABYTE:.0f} MB"
