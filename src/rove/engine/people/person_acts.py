"""What a person does while driving, in the journal: one entry for each burst of acts, and never what was typed."""

from __future__ import annotations

import asyncio
from collections import Counter

from rove.browser.input_event import InputEvent, InputKind
from rove.engine.journal import Entry, Journal
from rove.tasks import BackgroundTasks
from rove.validation.record import dataclass

# Seconds without an act after which a burst is over.
BURST_SECONDS = 3.0
# What each event is counted as. Moves and releases are parts of what comes before or after them.
_COUNTED: dict[InputKind, str] = {
    "mouseDown": "clicks", "wheel": "scrolls", "keyDown": "keys", "text": "keys", "paste": "pastes",
    "touchStart": "touches", "dialog": "dialogs",
}  # fmt: skip


@dataclass
class _Burst:
    """Acts of one person on one page, one soon after the other."""

    entry: Entry
    counts: Counter[str]
    over: asyncio.Event
    timer: asyncio.TimerHandle | None = None

    def end(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
        self.over.set()


class PersonActs:
    """Writes the bursts of the person who drives one session."""

    def __init__(self, journal: Journal, session: str) -> None:
        self._journal = journal
        self._tasks = BackgroundTasks(f"acts of a person in {session}")
        self._burst: _Burst | None = None

    def note(self, person: str, tab: str, url: str, event: InputEvent) -> None:
        """Count an act. One on another page, or after a while, begins an entry of its own."""
        kind = _COUNTED.get(event.type)
        if kind is None:
            return
        burst = self._burst
        if burst is None or (burst.entry.arguments["person"], burst.entry.tab, burst.entry.url) != (person, tab, url):
            self.end_burst()
            burst = self._begin(person, tab, url)
        burst.counts[kind] += 1
        if burst.timer is not None:
            burst.timer.cancel()
        burst.timer = asyncio.get_running_loop().call_later(BURST_SECONDS, self.end_burst)

    def end_burst(self) -> None:
        """Write the entry of the burst, if there is one."""
        burst, self._burst = self._burst, None
        if burst is not None:
            burst.end()

    async def close(self) -> None:
        """Write what is not written yet."""
        self.end_burst()
        await self._tasks.finish(1.0)
        await self._tasks.close()

    def _begin(self, person: str, tab: str, url: str) -> _Burst:
        entry = Entry("drive", {"person": person}, f"{person} drives", actor="person")
        entry.tab, entry.url, entry.decision = tab, url, "person"
        self._burst = burst = _Burst(entry, Counter(), asyncio.Event())
        self._tasks.start(self._write(burst))
        return burst

    async def _write(self, burst: _Burst) -> None:
        async with self._journal.writing(burst.entry) as entry:
            await burst.over.wait()
            counted = ", ".join(f"{count} {kind}" for kind, count in burst.counts.items())
            entry.arguments = {**entry.arguments, **burst.counts}
            entry.summary = f"{entry.summary}: {counted}"
