"""How fast a page is: Web Vitals, and profiles of what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from rove.page_text import Own, PageText
from rove.records import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.live_page import LivePage

Rating = Literal["good", "needs improvement", "poor"]
Name = Literal["lcp", "cls", "inp", "fcp", "ttfb"]
# Up to where a value is good, and above which it is poor: in milliseconds, of CLS without a unit.
THRESHOLDS: dict[Name, tuple[float, float]] = {
    "lcp": (2500, 4000), "cls": (0.1, 0.25), "inp": (200, 500), "fcp": (1800, 3000), "ttfb": (800, 1800),
}  # fmt: skip
ABSENT: dict[Name, str] = {
    "lcp": "nothing was painted yet while the page was in view",
    "cls": "nothing was painted yet",
    "inp": "nothing was pressed or typed in this page yet",
    "fcp": "nothing was painted yet while the page was in view",
    "ttfb": "the page was not loaded from a server",
}
LONGEST_TEXT = 300
# Seconds to wait for the first paint of a page, if there was none.
LONGEST_WAIT = 2.0


@dataclass(frozen=True)
class Vital:
    """One measure: its value in milliseconds, or for CLS without a unit, and the element that it is about."""

    value: float
    rating: Rating
    ref: Own = Own("")
    # The element as a snapshot has it, and the image or the kind of event.
    line: PageText | None = None
    detail: PageText | None = None
    # How many interactions there were, or layout shifts in the worst moment.
    count: int | None = None
    # Whether there was more than the browser kept: the value is at least this.
    is_cut: bool = False


@dataclass(frozen=True)
class LongTasks:
    """Tasks of more than 50 ms, in milliseconds; `blocking` is the part of each above 50, together."""

    count: int
    total: float
    blocking: float
    longest: float
    is_cut: bool


@dataclass(frozen=True)
class PageVitals:
    """The vitals that the browser has measured, and why the others are missing. `age`: milliseconds since the start."""

    vitals: dict[Name, Vital]
    missing: dict[Name, Own]
    long_tasks: LongTasks | None
    age: float
    was_hidden: bool


async def read_web_vitals(page: LivePage) -> PageVitals:
    """Ask the main frame for its vitals. Frames in it count as the page itself does not."""
    main = page.worlds.main
    origin = page.origin_of(main.frame_id)
    found: dict[str, Any] = await main.call("ms => rove.webVitals(ms)", LONGEST_WAIT * 1000)
    vitals: dict[Name, Vital] = {}
    missing: dict[Name, Own] = {}
    for name in THRESHOLDS:
        entry = found[name]
        if entry is None or "value" not in entry:
            missing[name] = _reason(name, entry)
        else:
            vitals[name] = _vital(name, entry, origin)
    return PageVitals(vitals, missing, _long_tasks(found["longTasks"]), float(found["age"]), bool(found["wasHidden"]))


def _reason(name: Name, entry: dict[str, Any] | None) -> Own:
    """Return why a vital is missing."""
    if entry is None:
        return Own(ABSENT[name])
    is_unpainted = "isUnpainted" in entry
    return Own("the page was not painted since it was pressed" if is_unpainted else "this browser does not measure it")


def _vital(name: Name, entry: dict[str, Any], origin: str) -> Vital:
    value = float(entry["value"])
    good, poor = THRESHOLDS[name]
    rating: Rating = "good" if value <= good else "needs improvement" if value <= poor else "poor"
    detail = str(entry.get("url") or entry.get("type") or "")[:LONGEST_TEXT]
    ref, line = entry.get("ref"), entry.get("line")
    return Vital(
        round(value, 4 if name == "cls" else 1),
        rating,
        Own(str(ref)) if ref else Own(""),
        PageText(str(line), origin) if line else None,
        PageText(detail, origin) if detail else None,
        entry.get("count"),
        bool(entry.get("isCut")),
    )


def _long_tasks(entry: dict[str, Any]) -> LongTasks | None:
    if "count" not in entry:
        return None
    total, blocking, longest = (round(float(entry[name]), 1) for name in ("total", "blocking", "longest"))
    return LongTasks(int(entry["count"]), total, blocking, longest, bool(entry["isCut"]))
