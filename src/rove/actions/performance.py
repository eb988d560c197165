"""Performance: Web Vitals, and a profile of what a page does."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rove.action import Effect, TabAction, action, arg
from rove.browser.performance import LongTasks, Name, Vital
from rove.browser.stillness import refuse_empty
from rove.outcome import Name as OwnName
from rove.outcome import Passage, Result
from rove.page_text import Own, PageText
from rove.records import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.profiler import RecordedTrace
    from rove.browser.shared.tab import Tab
    from rove.browser.tracing import Cost, Function, LongTask, Resource

TITLES: dict[Name, str] = {
    "lcp": "LCP (largest contentful paint)", "cls": "CLS (layout shift)", "inp": "INP (slowest interaction)",
    "fcp": "FCP (first contentful paint)", "ttfb": "TTFB (first byte)",
}  # fmt: skip
# Of the time of an action, how much a page may take to load and come to rest before the recording ends.
SHARE_OF_TIME = 1 / 2
# Seconds that collecting and reading a trace may take.
COLLECTING = 45.0
NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$"
TOLD = 5
LONGEST_PLACE = 300
NO_ADDRESS = "(no address)"


@dataclass(frozen=True)
class VitalsMeasured(Result):
    """The Web Vitals of a page until now, and why some are missing."""

    vitals: dict[Name, Vital]
    missing: dict[Name, Own]
    long_tasks: LongTasks | None
    # Seconds since the page began to load.
    seconds: float
    was_hidden: bool = False

    def __str__(self) -> str:
        return "\n".join(passage.text for passage in self.passages(""))

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell each measure in rove's words, and the element that it is about in those of the page."""
        yield Passage(f"Measured in the page's first {self.seconds:.1f} seconds, as far as it has come:")
        for name, title in TITLES.items():
            if name in self.vitals:
                yield from _vital_passages(name, title, self.vitals[name])
            else:
                yield Passage(f"{title}: not measured, {self.missing[name]}.")
        if (tasks := self.long_tasks) is not None:
            rest = f": {tasks.total:.0f} ms together, the longest {tasks.longest:.0f} ms" if tasks.count else ""
            yield Passage(f"Long tasks: {'at least ' if tasks.is_cut else ''}{tasks.count}{rest}.")
        if self.was_hidden:
            yield Passage("The page was in the background when it loaded, so that paints do not count.")


def _vital_passages(name: Name, title: str, vital: Vital) -> Iterator[Passage]:
    value = f"{vital.value:.3f}" if name == "cls" else f"{vital.value:.0f} ms"
    of = {"inp": "interaction", "cls": "shift"}.get(name, "")
    count = f" ({vital.count} {of}{'' if vital.count == 1 else 's'})" if vital.count is not None and of else ""
    least = "at least " if vital.is_cut else ""
    yield Passage(f"{title}: {least}{value}, {vital.rating}{count}.")
    if vital.line is not None:
        detail = f", {vital.detail}" if vital.detail else ""
        yield Passage(vital.line.around(f"  {vital.line} [{vital.ref}]{detail}"))


@action(Effect.READ, group="audit")
class WebVitals(TabAction[VitalsMeasured]):
    """Read how fast the page was until now: its Web Vitals (LCP, CLS, INP, FCP, TTFB) and long tasks."""

    async def perform(self, tab: Tab) -> VitalsMeasured:
        await refuse_empty(tab)
        return await _vitals(tab)


async def _vitals(tab: Tab) -> VitalsMeasured:
    from rove.browser.performance import read_web_vitals

    read = await read_web_vitals(tab.page)
    return VitalsMeasured(read.vitals, read.missing, read.long_tasks, round(read.age / 1000, 2), read.was_hidden)


@dataclass(frozen=True)
class SpentTime:
    """Milliseconds, what they went into, and where: an address, a function, or the page as a whole."""

    kind: Own
    milliseconds: float
    where: PageText
    # The slowest function of a script, or how often it was done.
    detail: PageText


@dataclass(frozen=True)
class LoadedFile:
    """A file that the page has loaded, its bytes on the network and how many milliseconds it took."""

    url: PageText
    milliseconds: float
    size: int


@dataclass(frozen=True)
class Profiled(Result):
    """A recording: its trace in the workspace, and what it says. Times are as a clock shows them, on this machine."""

    path: Own
    size: int
    seconds: float
    costliest: tuple[SpentTime, ...]
    # Milliseconds of the page's main thread, by kind of work.
    main_thread: dict[OwnName, float]
    functions: tuple[SpentTime, ...]
    long_tasks: tuple[SpentTime, ...]
    long_task_count: int
    blocking: tuple[LoadedFile, ...]
    images: tuple[LoadedFile, ...]
    # Milliseconds of scripts without an address: rove's own reading, and code that the page evaluates from text.
    unaddressed: float = 0.0
    is_cut: bool = False
    vitals: VitalsMeasured | None = None

    def __str__(self) -> str:
        return "\n".join(passage.text for passage in self.passages(""))

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell the costliest things first; addresses and names of functions are the page's words."""
        cut = " The recording was cut: it was longer than the browser keeps." if self.is_cut else ""
        yield Passage(f"Recorded {self.seconds:.1f} seconds.{cut} The trace, for Chrome's DevTools: {self.path}")
        kinds = ", ".join(f"{kind} {ms:.0f} ms" for kind, ms in self.main_thread.items())
        yield Passage(f"The page's main thread: {kinds or 'idle'}.")
        yield Passage(f"Tasks of more than 50 ms: {self.long_task_count}.")
        if self.unaddressed >= 1:
            said = "rove's own reading of the page, and code that the page evaluates from text"
            yield Passage(f"Scripts without an address ({said}): {self.unaddressed:.0f} ms.")
        yield from _listed("The costliest:", self.costliest, numbered=True)
        yield from _listed("Functions, by the time in themselves:", self.functions[:TOLD])
        yield from _listed("The longest tasks:", self.long_tasks[:TOLD])
        yield from _loaded("Files that kept the page from being shown:", self.blocking[:TOLD])
        yield from _loaded("Largest images:", self.images[:TOLD])
        if self.vitals is not None:
            yield from self.vitals.passages(origin)


def _listed(title: str, items: tuple[SpentTime, ...], numbered: bool = False) -> Iterator[Passage]:
    if items:
        yield Passage(items[0].where.around(title))  # as the page's words too, so that all of it is one passage
    for number, item in enumerate(items, 1):
        mark = f"{number}. {item.kind}" if numbered else "-"
        where = f" {item.where}" if item.where else ""
        detail = f" ({item.detail})" if item.detail else ""
        yield Passage(item.where.around(f"{mark} {item.milliseconds:.0f} ms{where}{detail}"))


def _loaded(title: str, items: tuple[LoadedFile, ...]) -> Iterator[Passage]:
    if items:
        yield Passage(items[0].url.around(title))
    for item in items:
        yield Passage(item.url.around(f"- {item.milliseconds:.0f} ms, {item.size / 1000:.1f} kB {item.url}"))


class _Quotes:
    """What a trace says, with the words of the page marked as its own."""

    def __init__(self, page: PageText) -> None:
        self._quote = page.around

    def cost(self, cost: Cost) -> SpentTime:
        where, detail = self._quote(cost.where[:LONGEST_PLACE]), self._quote(cost.detail[:LONGEST_PLACE])
        return SpentTime(Own(cost.kind), round(cost.milliseconds, 1), where, detail)

    def function(self, function: Function, milliseconds: float) -> SpentTime:
        return SpentTime(Own("function"), round(milliseconds, 1), self._place(function), self._quote(""))

    def task(self, task: LongTask) -> SpentTime:
        moment = self._quote(f"at {task.start / 1000:.2f} s")
        return SpentTime(Own("task"), round(task.milliseconds, 1), self._place(task.function), moment)

    def file(self, file: Resource) -> LoadedFile:
        return LoadedFile(self._quote(file.url[:LONGEST_PLACE]), round(file.milliseconds, 1), file.size)

    def _place(self, function: Function | None) -> PageText:
        if function is None:
            return self._quote("(no script)")
        where = f"{function.url[:LONGEST_PLACE]}:{function.line}" if function.url else NO_ADDRESS
        return self._quote(f"{function.name[:LONGEST_PLACE] or '(anonymous)'} {where}")


def _told(tab: Tab, recorded: RecordedTrace, vitals: VitalsMeasured | None = None) -> Profiled:
    """Return what a recording says."""
    found, quotes = recorded.summary, _Quotes(tab.url)
    return Profiled(
        Own(recorded.path),
        recorded.size,
        round(found.milliseconds / 1000, 2),
        tuple(map(quotes.cost, found.costliest)),
        found.main_thread,
        tuple(quotes.function(*each) for each in found.functions),
        tuple(map(quotes.task, found.long_tasks)),
        found.long_task_count,
        tuple(map(quotes.file, found.blocking)),
        tuple(map(quotes.file, found.images)),
        round(found.unaddressed, 1),
        recorded.is_cut,
        vitals,
    )


@action(Effect.NAVIGATE, group="audit")
class Profile(TabAction[Profiled]):
    """Load the page again and record it: a trace for Chrome's DevTools, the three costliest things, Web Vitals."""

    name: str = arg("Name of the file: traces/NAME.json.", default="profile", pattern=NAME)

    @property
    def takes(self) -> float:
        return COLLECTING

    async def perform(self, tab: Tab) -> Profiled:
        await refuse_empty(tab)
        await tab.profiler.start()
        try:
            started = time.monotonic()
            until = started + (tab.page.time.left - COLLECTING) * SHARE_OF_TIME
            await tab.reload()
            await _come_to_rest(tab, started, until)
            vitals = await _vitals(tab)
            recorded = await tab.profiler.stop(f"{self.name}.json")
        finally:
            await tab.profiler.discard()
        return _told(tab, recorded, vitals)


async def _come_to_rest(tab: Tab, since: float, until: float) -> None:
    """Wait until the page has loaded and what it did then is over, but not longer than until a moment."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(max(until - time.monotonic(), 1.0)):
            await tab.page.load_state.wait_for_stage("load")
            await tab.observer.wait_until_quiet(False, since, until)


@dataclass(frozen=True)
class ProfileStarted(Result):
    def __str__(self) -> str:
        return "Recording this tab. Use the page, then stop the recording."

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell it in rove's own words: no page wrote any of it."""
        yield Passage(str(self))


@action(Effect.READ, group="audit")
class ProfileStart(TabAction[ProfileStarted]):
    """Start to record what the page does, until profile_stop. To record how it loads use profile."""

    async def perform(self, tab: Tab) -> ProfileStarted:
        await tab.profiler.start()
        return ProfileStarted()


@action(Effect.READ, group="audit")
class ProfileStop(TabAction[Profiled]):
    """Stop recording: a trace for Chrome's DevTools, and the three costliest things."""

    name: str = arg("Name of the file: traces/NAME.json.", default="profile", pattern=NAME)

    @property
    def takes(self) -> float:
        return COLLECTING

    async def perform(self, tab: Tab) -> Profiled:
        return _told(tab, await tab.profiler.stop(f"{self.name}.json"))
