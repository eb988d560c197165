"""Author and date as a page shows them to its readers, in one line or in two."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING

from rove.reading.markup.months import MONTHS
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from lxml.html import HtmlElement

LONGEST_LINE = 200
LONGEST_NAME = 100
MOST_PLACES = 200
_BYLINES = (
    "//*[@rel='author']|//*[contains(@itemprop, 'author')]|//*[contains(concat(' ', @class, ' '), ' byline ')]"
    "|//*[contains(@class, 'byline') or contains(@class, 'author-name') or contains(@id, 'byline')]"
    "|//*[contains(concat(' ', @class, ' '), ' author ')]"
)
_DATES = "//time|//*[contains(@class, 'date') or contains(@class, 'published') or contains(@itemprop, 'datePublished')]"
_BY = re.compile(r"^\s*(?:written |posted |published )?by[:\s]+", re.IGNORECASE)
# Of lines in which each space is single.
_PARTS = re.compile(r" ?[|·•] ?| [–—-] ")
_ISO = re.compile(r"\b(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})\b")
_DAY_FIRST = re.compile(
    r"\b(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?\s+(?:de\s+)?(?P<month>[^\W\d_]{3,10})\.?,?\s+(?:de\s+)?(?P<year>\d{4})\b"
)
_MONTH_FIRST = re.compile(r"\b(?P<month>[^\W\d_]{3,10})\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>\d{4})\b")
_TIME = re.compile(r"\b\d{1,2}:\d{2}")
# What leads from a name to the date after it.
_BEFORE_DATE = re.compile(
    r"(?:[\s,;:(/]|\b(?:on|at|updated|published|posted|last|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)\b)+$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ShownDate:
    """A date in a text, as ISO 8601, and where it begins."""

    day: str
    start: int


def shown_byline(document: HtmlElement) -> str:
    """Return the author that a line of the page names; "" if none does."""
    names = (name for line in _lines(document, _BYLINES) for name in _names(line))
    return next((name for name in names if 2 < len(name) < LONGEST_NAME), "")


def shown_date(document: HtmlElement) -> str:
    """Return the date beside the author, or else the first that is marked as one; "" if there is none."""
    lines = (line for place in (_BYLINES, _DATES) for line in _lines(document, place))
    return next((found.day for line in lines if (found := find_date(line)) is not None), "")


def find_date(text: str) -> ShownDate | None:
    """Find a date with a year in a text; the months may be words of several languages."""
    for pattern in (_ISO, _DAY_FIRST, _MONTH_FIRST):
        for found in pattern.finditer(text):
            if day := _day(found):
                return ShownDate(day, found.start())
    return None


def _day(found: re.Match[str]) -> str:
    month = found["month"]
    number = int(month) if month.isdigit() else MONTHS.get(month.lower(), 0)
    try:
        return date(int(found["year"]), number, int(found["day"])).isoformat()
    except ValueError:  # no such month or day
        return ""


def _lines(document: HtmlElement, place: str) -> Iterator[str]:
    texts = (" ".join(element.text_content().split()) for element in document.xpath(place)[:MOST_PLACES])
    return (text for text in texts if 0 < len(text) < LONGEST_LINE)


def _names(line: str) -> list[str]:
    """Return the parts of a line that may be names, without dates; those that "by" introduces first."""
    parts = sorted(_PARTS.split(line), key=lambda part: _BY.match(part) is None)
    names = (_without_date(_BY.sub("", part)) for part in parts)
    return [name for name in names if any(map(str.isalpha, name))]


def _without_date(text: str) -> str:
    found, time = find_date(text), _TIME.search(text)
    ends = [*([found.start] if found else []), *([time.start()] if time else [])]
    return _BEFORE_DATE.sub("", text[: min(ends)]) if ends else text.strip()
