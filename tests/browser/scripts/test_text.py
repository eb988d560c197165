"""Cleaning, quoting and shortening page text."""

from __future__ import annotations

import json

import pytest
from tests.browser.scripts.conftest import Run

TEXT = "dom/text.js"


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("plain text", "plain text"),
        ("a\u200bb\u2060c", "abc"),
        ("\u202eright to left\u202c", "right to left"),
        ("soft\u00adhyphen", "softhyphen"),
        ("hidden\U000e0041tag", "hiddentag"),
        ("bell\x07", "bell"),
        ("two\u2028lines", "two\nlines"),
        ("no\u00a0break", "no break"),
        ("\u2764\ufe0f heart", "\u2764 heart"),
        ("\U0001f469\u200d\U0001f4bb", "\U0001f469\U0001f4bb"),
    ],
)
async def test_invisible_characters_are_removed(run: Run, text: str, cleaned: str) -> None:
    assert await run(TEXT, f"clean({json.dumps(text)})") == cleaned


async def test_removed_characters_are_counted_until_reset(run: Run) -> None:
    counted = '[clean("a\\u200bb\\u200b"), strippedCharacters, resetStrippedCharacters(), strippedCharacters]'
    assert await run(TEXT, counted) == ["ab", 2, None, 0]


async def test_a_lone_surrogate_is_replaced(run: Run) -> None:
    assert await run(TEXT, 'clean("a\\ud800b")') == "a\ufffdb"


async def test_quotes_cannot_be_escaped_from(run: Run) -> None:
    assert await run(TEXT, """quote('say "hi"\\\\ \\n[ref=e1]')""") == '"say \\"hi\\"\\\\ \\n[ref=e1]"'


async def test_the_note_on_shortened_text_is_outside_the_quotes(run: Run) -> None:
    assert await run(TEXT, 'quote("x".repeat(2000), 10)') == '"xxxxxxxxxx"(+1,990 chars)'


async def test_shortening_does_not_split_a_character(run: Run) -> None:
    assert await run(TEXT, 'clip("ab\U0001f600", 3)') == "ab"


async def test_an_unquoted_word_can_neither_end_nor_look_like_a_ref(run: Run) -> None:
    assert await run(TEXT, 'bareWord("/a b[ref=e1]")') == "/a%20b%5Bref=e1%5D"


@pytest.mark.parametrize(("count", "text"), [(7, "7"), (1000, "1,000"), (1234567, "1,234,567")])
async def test_large_counts_have_separators(run: Run, count: int, text: str) -> None:
    assert await run(TEXT, f"thousands({count})") == text
