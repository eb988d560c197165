"""Texts of a page as numbers, dates and the like. What is not clearly one becomes None."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Literal

from rove.reading.structured.months import MONTHS

Kind = Literal["text", "number", "integer", "boolean", "date", "url"]
KINDS: tuple[Kind, ...] = ("text", "number", "integer", "boolean", "date", "url")
# Languages in which 1.234 is more than a thousand.
_COMMA_LANGUAGES = frozenset([
    "de", "fr", "es", "it", "pt", "nl", "da", "sv", "nb", "no", "fi", "pl", "cs", "sk", "hu", "ro", "tr", "ru", "uk",
    "el", "id", "vi", "ca", "hr", "sl", "bg",
])  # fmt: skip
# Languages of English in which a date begins with the day.
_DAY_FIRST = ("en-gb", "en-au", "en-ie", "en-nz")
_SPACES = "\u00a0\u202f\u2009' ’"
_NUMBER = re.compile(
    rf"(?<![\w.,])([-+−–(]?\s?)(?:[A-Z]{{2,3}}|[^\w\s.,()+−–-])?\s?((?:\d[\d.,{_SPACES}]*)?\d|[.,]\d+)"
)
_DIGITS = re.compile(r"\d")
_TRUE = frozenset(["true", "yes", "y", "on", "1", "✓", "✔", "☑", "ja", "oui", "sí", "si"])
_FALSE = frozenset(["false", "no", "n", "off", "0", "✗", "✘", "☐", "✕", "×", "nein", "non"])
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?)(Z|[+-]\d{2}:?\d{2})?)?")
_YEAR_FIRST = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})")
_NUMERIC = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4})")
_NAMED = re.compile(r"(\d{1,2})(?:st|nd|rd|th|\.|er)?\s*(?:de\s+)?([^\W\d]{3,})\.?,?\s*(?:de\s+)?(\d{4})")
_NAMED_FIRST = re.compile(r"(?<![^\W\d])([^\W\d]{3,})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})")


class Column:
    """The values of one field: what is doubtful in one of them is decided by the others, and by the page's language."""

    def __init__(self, kind: Kind, texts: Sequence[str], language: str) -> None:
        self._language = language
        self._decimal = _decimal_mark(texts, language) if kind in ("number", "integer") else "."
        self._day_first = _is_day_first(texts, language) if kind == "date" else None
        readers: dict[Kind, Callable[[str], Any]] = {
            "text": lambda text: text,
            "number": self._number,
            "integer": self._integer,
            "boolean": _boolean,
            "date": self._date,
            "url": lambda text: text or None,
        }
        self._read = readers[kind]

    def value(self, text: str) -> Any:
        """Return the value that a text stands for; None if that is not clear."""
        return self._read(text)

    def _number(self, text: str) -> float | int | None:
        found = list(_NUMBER.finditer(text))
        if len(found) != 1 or _has_suffix(text, found[0]):
            return None
        value = _parsed(found[0][2], self._decimal)
        is_negative = found[0][1].strip() in ("-", "−", "–") or (found[0][1].strip() == "(" and ")" in text)
        if value is None:
            return None
        return -value if is_negative else value

    def _integer(self, text: str) -> int | None:
        value = self._number(text)
        return int(value) if value is not None and value == int(value) else None

    def _date(self, text: str) -> str | None:
        if match := _ISO.search(text):
            day = _day(match[1], match[2], match[3])
            return f"{day}T{match[4]}{match[5] or ''}" if day and match[4] else day
        if match := _YEAR_FIRST.search(text):
            return _day(match[1], match[2], match[3])
        if match := _NUMERIC.search(text):
            return self._numeric_date(match)
        if match := _NAMED.search(text):
            return _day(match[3], MONTHS.get(match[2].lower()), match[1])
        if match := _NAMED_FIRST.search(text):
            return _day(match[3], MONTHS.get(match[1].lower()), match[2])
        return None

    def _numeric_date(self, match: re.Match[str]) -> str | None:
        first, mark, second, year = match.groups()
        if mark == "." or self._day_first:
            return _day(year, second, first)
        return _day(year, first, second) if self._day_first is False else None


def _has_suffix(text: str, match: re.Match[str]) -> bool:
    """Whether letters follow a number that change it, as in 1.2k or 3M; a currency or a word apart do not."""
    after = text[match.end() :]
    letters = re.match(r"[^\W\d_]+", after)
    return letters is not None and len(letters[0]) < 3


def _decimal_mark(texts: Sequence[str], language: str) -> str:
    """Return the mark before decimals: that of a text which leaves no doubt, or the language's."""
    for text in texts:
        for match in _NUMBER.finditer(text):
            if mark := _certain_mark(match[2]):
                return mark
    return "," if language.partition("-")[0] in _COMMA_LANGUAGES and language != "es-mx" else "."


def _certain_mark(number: str) -> str:
    """Return the decimal mark of a number that can be read in one way only."""
    marks = [each for each in number if each in ".,"]
    if not marks:
        return ""
    last, after = marks[-1], len(number) - number.rindex(marks[-1]) - 1
    other = "," if last == "." else "."
    if other in marks:
        return last
    if len(marks) > 1:
        return other  # 1.234.567: the marks divide thousands
    before = _DIGITS.findall(number[: number.index(last)])
    if after != 3 or not before or len(before) > 3 or before == ["0"]:
        return last
    return ""


def _parsed(number: str, decimal: str) -> float | int | None:
    """Return the value of a number's digits; None if it cannot be given exactly."""
    plain = re.sub(f"[{_SPACES}]", "", number)
    whole, _, fraction = plain.rpartition(decimal) if decimal in plain else (plain, "", "")
    digits = re.sub(r"[.,]", "", whole)
    if decimal in whole or re.search(r"[.,]", fraction):
        # The mark is there twice, so that it divides thousands after all.
        digits, fraction = re.sub(r"[.,]", "", plain), ""
    if fraction:
        return _exact_float(f"{digits or '0'}.{fraction}")
    try:
        return int(digits)
    except ValueError:  # more digits than Python converts
        return None


def _exact_float(text: str) -> float | None:
    """Return a number with a fraction; None if a float has no room for all of its digits."""
    value = float(text)
    return value if Decimal(repr(value)) == Decimal(text) else None


def _boolean(text: str) -> bool | None:
    word = text.strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None


def _is_day_first(texts: Sequence[str], language: str) -> bool | None:
    """Return whether dates such as 3/4/2025 begin with the day; None if neither they nor the language tell."""
    for text in texts:
        if match := _NUMERIC.search(text):
            if int(match[1]) > 12:
                return True
            if int(match[3]) > 12:
                return False
    if language in ("en-us", "en-ph"):
        return False
    is_day_first = language in _DAY_FIRST or (language and not language.startswith("en"))
    return True if is_day_first else None


def _day(year: str, month: str | int | None, day: str) -> str | None:
    try:
        return date(int(year), int(month or 0), int(day)).isoformat()
    except ValueError:
        return None
