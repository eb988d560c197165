"""Cleaning, quoting and shortening page text."""

from __future__ import annotations

import json

import pytest
from tests.browser.scripts.conftest import Run

pytestmark = pytest.mark.one_session

TEXT = "dom/text.js"

# What the page script and the guard remove alike.
INVISIBLE = [
    ("a\u200db", "ab"),
    ("a\u200cb", "ab"),
    ("\u0645\u06cc\u200c\u200c\u062e", "\u0645\u06cc\u062e"),
    ("\u0645\u06cc\u200c!", "\u0645\u06cc!"),
    ("\u0915\u200c\u0937", "\u0915\u0937"),
    ("\U0001f600\u200d!", "\U0001f600!"),
    ("a\ufe0f", "a"),
    ("\u2764\ufe0f\ufe0f heart", "\u2764\ufe0f heart"),
    ("\U0001f3f4\U000e0041\U000e007f", "\U0001f3f4"),
]
# Joiners where they join letters or emoji, and emoji made of several characters.
JOINED = [
    "\u2764\ufe0f heart",
    "\U0001f469\u200d\U0001f4bb",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "\U0001f469\U0001f3fd\u200d\U0001f680",
    "\U0001f3f3\ufe0f\u200d\U0001f308",
    "1\ufe0f\u20e3",
    "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "\u0915\u094d\u200d\u0937",
    "\u0915\u094d\u200c\u0937",
    "\u09b0\u200d\u09cd\u09af",
    "\u0d28\u0d4d\u200d",
    "\u0dc1\u0dca\u200d\u0dbb\u0dd3",
]


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
        *INVISIBLE,
    ],
)
async def test_invisible_characters_are_removed(run: Run, text: str, cleaned: str) -> None:
    assert await run(TEXT, f"clean({json.dumps(text)})") == cleaned


@pytest.mark.parametrize("text", JOINED)
async def test_joined_letters_and_emoji_stay_whole(run: Run, text: str) -> None:
    assert await run(TEXT, f"clean({json.dumps(text)})") == text


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
