"""Values: numbers of many countries, dates, truths; what is doubtful is None."""

from __future__ import annotations

from typing import Any

import pytest

from rove.content.structured.rows import Column, Kind


def read(kind: Kind, text: str, language: str = "en", *others: str) -> Any:
    return Column(kind, [text, *others], language).value(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("$1,234.56", 1234.56),
        ("1.234,56 €", 1234.56),
        ("1 234,56", 1234.56),
        ("1\u202f234,56\u00a0€", 1234.56),
        ("1'234.50 CHF", 1234.5),
        ("12,34,567.89", 1234567.89),
        ("1.234.567", 1234567),
        ("1,234", 1234),
        ("0.125", 0.125),
        ("USD 5", 5),
        ("Price: 19.99", 19.99),
        ("-5", -5),
        ("−5,5", -5.5),
        ("(3.00)", -3.0),
        ("12 %", 12),
        ("5 kg", 5),
        ("7 items", 7),
        (".5", 0.5),
        ("1.2k", None),
        ("3M", None),
        ("4.5 out of 5", None),
        ("2 for $5", None),
        ("n/a", None),
        ("", None),
    ],
)
def test_numbers(text: str, number: float | None) -> None:
    assert read("number", text) == number


def test_what_divides_thousands_is_learnt_from_the_other_values_and_the_language() -> None:
    assert read("number", "1.234") == 1.234
    assert read("number", "1.234", "de") == 1234
    assert read("number", "1.234", "en", "2.500,00") == 1234
    assert read("number", "1,234", "de", "2,500.00") == 1234
    assert read("number", "1,234", "de") == 1.234


def test_integers_and_truths() -> None:
    assert (read("integer", "1,000"), read("integer", "2.0"), read("integer", "2.5")) == (1000, 2, None)
    assert (read("boolean", "Yes"), read("boolean", "✗"), read("boolean", "maybe")) == (True, False, None)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12345678901234567", 12345678901234567),
        ("9,007,199,254,740,993", 9007199254740993),
        ("-9007199254740993", -9007199254740993),
        ("1" * 400, int("1" * 400)),
        ("9007199254740993.5", None),
        ("0.12345678901234567890123", None),
        ("9" * 400 + ".5", None),
        ("1" * 4900, None),
    ],
)
def test_a_long_number_is_exact_or_null(text: str, number: int | None) -> None:
    assert read("number", text) == number
    assert read("integer", text) == number


@pytest.mark.parametrize(
    ("text", "language", "date"),
    [
        ("2026-03-04", "", "2026-03-04"),
        ("2026-03-04T10:20:30Z", "", "2026-03-04T10:20:30Z"),
        ("2026/3/4", "", "2026-03-04"),
        ("04.03.2026", "de", "2026-03-04"),
        ("3/4/2026", "en-us", "2026-03-04"),
        ("3/4/2026", "en-gb", "2026-04-03"),
        ("3/4/2026", "en", None),
        ("25/4/2026", "en", "2026-04-25"),
        ("4 March 2026", "en", "2026-03-04"),
        ("Mar 4th, 2026", "en", "2026-03-04"),
        ("4. März 2026", "de", "2026-03-04"),
        ("4 de marzo de 2026", "es", "2026-03-04"),
        ("2026-13-45", "", None),
        ("tomorrow", "en", None),
    ],
)
def test_dates(text: str, language: str, date: str | None) -> None:
    assert read("date", text, language) == date


def test_a_date_that_is_clear_decides_those_that_are_not() -> None:
    assert read("date", "3/4/2026", "en", "25/4/2026") == "2026-04-03"
    assert read("date", "3/4/2026", "en", "4/25/2026") == "2026-03-04"
