"""`python -m bench.redesign`: which elements of a recording are found again after pages were redesigned at random.

It also looks at pages that were changed so as to mislead a replay. A wrong choice of an element is a defect of rove, so
that the exit code is 1 if there is one.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files

import rove
from bench.redesign.misleading import CASES
from bench.redesign.pages import every_page
from bench.told.site import serving
from rove.browser.element import ElementDescription
from rove.browser.shared.tab import Tab
from rove.recordings.matching import choose

# Each line of the table: what is changed, in the order in which it is done.
WAYS: dict[str, tuple[str, ...]] = {
    "ids, classes, names of fields, test ids": ("ids",),
    "and elements wrapped, order of siblings": ("ids", "wrap", "order"),
    "and another framework's markup": ("ids", "wrap", "order", "markup"),
    "ids, wrapped, order, and words": ("ids", "wrap", "order", "words"),
    "ids, order, words, and one in seven controls removed": ("ids", "order", "words", "removed"),
    "ids, order, one in six rows removed": ("ids", "order", "rows"),
    "ids, wrapped, all of it in a dialog": ("ids", "wrap", "dialog"),
    "ids, all of it in a frame": ("ids", "frame"),
    "pictures drawn anew under the same names": ("wrap", "order", "redrawn"),
    "other pictures, without a name": ("ids", "pictures"),
    "what had no name has one": ("ids", "wrap", "labels"),
}
OUTCOMES = ("found", "healed", "stopped", "stopped, gone", "wrong")
MARK = """() => { const found = [...document.querySelectorAll('button, a[href], input, select, textarea')];
  found.forEach((element, number) => element.setAttribute('data-truth', String(number))); return found.length; }"""
LEFT = """() => { const frames = [...document.querySelectorAll('iframe')].map(frame => frame.contentDocument);
  const roots = [document, ...frames];
  return roots.flatMap(root => [...root.querySelectorAll('[data-truth]')].map(element => element.dataset.truth)); }"""
TRUTH = "element => element.getAttribute('data-truth')"


@dataclass
class Count:
    """What became of the searches of one kind of change, and those that chose a wrong element."""

    outcomes: Counter[str] = field(default_factory=Counter[str])
    unnamed: Counter[str] = field(default_factory=Counter[str])
    wrong: list[str] = field(default_factory=list[str])
    stopped: list[str] = field(default_factory=list[str])


class Searches:
    """Describes the controls of a page, and looks for them in the page as it was changed."""

    def __init__(self, session: rove.Session, tab: Tab) -> None:
        self.session = session
        self._tab = tab

    async def describe(self, url: str) -> dict[str, ElementDescription]:
        """Return what each control of a page can be found by, by its number."""
        await self.session.navigate(url)
        count = (await self.session.evaluate(MARK)).result.value
        return {str(number): await self.description(f'[data-truth="{number}"]') for number in range(count)}

    async def description(self, selector: str) -> ElementDescription:
        elements = await self._tab.resolve_all(selector, wait=False)
        described, _ = await self._tab.descriptions.of(elements[0].ref)
        return described

    async def look(self, wanted: ElementDescription) -> tuple[str, str]:
        """Return how an element was found, and the number of the control that was chosen."""
        verdict = choose(replace(wanted, ref=""), await self._tab.descriptions.candidates(wanted), self._tab.url.origin)
        if verdict.chosen is None:
            return "stopped", ""
        element = await self._tab.resolve(verdict.chosen.ref)
        return "healed" if verdict.is_healed else "found", str(await element.evaluate(TRUTH))


async def measure(ways: Sequence[str], rounds: int, only: Sequence[str]) -> dict[str, Count]:
    """Look for each control of each page after each change, with as many seeds as there are rounds."""
    chosen = {path: text for path, text in every_page().items() if not only or path.strip("/") in only}
    counts = {way: Count() for way in ways}
    with tempfile.TemporaryDirectory() as home, serving(chosen | misleading_pages()) as site:
        async with rove.open(allow_host="127.0.0.1", home=home) as session:
            await session.navigate(site.url(next(iter(chosen))))
            searches = Searches(session, current_tab(session))
            for path in chosen:
                wanted = await searches.describe(site.url(path))
                for way in ways:
                    for seed in range(1, rounds + 1):
                        await change(session, site.url(path), seed, WAYS[way])
                        await count_all(searches, counts[way], f"{path} {seed}", wanted)
            counts["pages that mislead"] = await mislead(searches, site.url(""))
    return counts


async def change(session: rove.Session, url: str, seed: int, ways: Sequence[str]) -> None:
    """Open a page, and redesign it."""
    changes = (files("bench.redesign") / "changes.js").read_text("utf-8")
    await session.navigate(url)
    await session.evaluate(MARK)
    await session.evaluate(f"() => ({changes})({seed}, {list(ways)})")


async def count_all(searches: Searches, count: Count, where: str, wanted: dict[str, ElementDescription]) -> None:
    left = set((await searches.session.evaluate(LEFT)).result.value)
    for number, element in wanted.items():
        await count_one(searches, count, where, number, element, number in left)


async def count_one(
    searches: Searches, count: Count, where: str, number: str, wanted: ElementDescription, is_there: bool
) -> None:
    outcome, chosen = await searches.look(wanted)
    if outcome != "stopped" and chosen != number:
        count.wrong.append(f"{where}: {wanted.role} {wanted.name!r} {number} taken for {chosen}, {outcome}")
        outcome = "wrong"
    if outcome == "stopped" and is_there:
        count.stopped.append(f"{where}: {wanted.role} {wanted.name!r} {number}")
    told = outcome if outcome != "stopped" else "stopped" if is_there else "stopped, gone"
    count.outcomes[told] += 1
    if not wanted.name:
        count.unnamed[told] += 1


def misleading_pages() -> dict[str, str]:
    was = {f"/misleading/{name}/was": page for name, (page, _) in CASES.items()}
    return was | {f"/misleading/{name}/now": page for name, (_, page) in CASES.items()}


async def mislead(searches: Searches, origin: str) -> Count:
    """Look for the element that each page marks with `data-truth=x`, in what became of the page."""
    count = Count()
    for name in CASES:
        await searches.session.navigate(f"{origin}/misleading/{name}/was")
        wanted = await searches.description("[data-truth=x]")
        await searches.session.navigate(f"{origin}/misleading/{name}/now")
        left = set((await searches.session.evaluate(LEFT)).result.value)
        await count_one(searches, count, name, "x", wanted, "x" in left)
    return count


def current_tab(session: rove.Session) -> Tab:
    """Return the tab behind a session: `find_recorded` would wait long for what is not there."""
    context = session._engine._context  # pyright: ignore[reportPrivateUsage]
    assert context is not None and context.current is not None
    return context.current


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.redesign", description=__doc__)
    parser.add_argument("--rounds", type=int, default=8, help="how often each page is changed in each way")
    parser.add_argument("--pages", nargs="*", default=[], help="some of the pages")
    parser.add_argument("--ways", nargs="*", default=[], help="some of the changes, by a part of what they are called")
    parser.add_argument("--verbose", action="store_true", help="say what was not found though it was there")
    given = parser.parse_args()
    ways = [way for way in WAYS if not given.ways or any(part in way for part in given.ways)]
    counts = asyncio.run(measure(ways, given.rounds, given.pages))
    print(
        "| changed | found | healed | stopped, it was there | stopped, it was gone | wrong |\n|---|---|---|---|---|---|"
    )
    for way, count in counts.items():
        shown = [f"{count.outcomes[key]} ({count.unnamed[key]})" for key in OUTCOMES]
        print(f"| {' | '.join([way, *shown])} |")
    wrong = [each for count in counts.values() for each in count.wrong]
    print(f"\nIn brackets: of these, controls without a name. {len(wrong)} wrong choices.")
    stopped = [each for count in counts.values() for each in count.stopped] if given.verbose else []
    print("\n".join([*wrong, *stopped]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
