"""Secrets are found in whatever way they are spelled."""

from __future__ import annotations

import base64
import html
import json
import urllib.parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rove.guard.secrets.redaction import Redaction

AWKWARD = "a\"b\\c & <d>'é+/?=#%~\tz🫖"


@pytest.mark.parametrize("value", ["hunter2", AWKWARD, "two\nlines", "tok_" + "x1" * 40])
@pytest.mark.parametrize(
    "spell",
    [
        lambda value: value,
        lambda value: value.upper(),
        lambda value: json.dumps(value),
        lambda value: json.dumps(value, ensure_ascii=False),
        lambda value: json.dumps({"deep": [value]}),
        lambda value: urllib.parse.quote(value),
        lambda value: urllib.parse.quote(value, safe=""),
        lambda value: urllib.parse.quote(value, safe="!'()*~"),
        lambda value: urllib.parse.quote(value, safe="").lower(),
        lambda value: urllib.parse.urlencode({"q": value}),
        lambda value: html.escape(value),
        lambda value: html.escape(value, quote=False),
        lambda value: f"<p>{value}</p>" * 3,
    ],
)
def test_every_usual_spelling_is_replaced(value: str, spell: object) -> None:
    assert callable(spell)
    text: str = spell(value)
    cleared = Redaction({"mine": value})(f"before {text} after")
    assert cleared.startswith("before ")
    assert cleared.endswith(" after")
    assert "[secret mine]" in cleared
    assert text not in cleared


@pytest.mark.parametrize("before", ["", "u", "us", "me:", "user:"])
@pytest.mark.parametrize("after", ["", "x", "yz"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_base64_is_found_wherever_it_begins_in_what_is_encoded(before: str, after: str, encode: object) -> None:
    assert callable(encode)
    value = "hunter2~~???>>>"
    encoded: str = encode(f"{before}{value}{after}".encode()).decode()
    cleared = Redaction({"mine": value})(f"Basic {encoded}")
    assert "[secret mine]" in cleared
    # What is left are letters that its neighbours decide too.
    assert len(cleared.replace("[secret mine]", "")) <= len(f"Basic {encode(f'{before}{after}'.encode()).decode()}") + 8


@given(st.text(min_size=4, max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_no_text_keeps_a_value(value: str, before: str, after: str) -> None:
    cleared = Redaction({"N": value})(before + value + after)
    assert value not in cleared or value in f"{before}[secret N]{after}"


def test_the_beginning_of_a_long_one_is_replaced_where_it_was_cut_off() -> None:
    redact = Redaction({"mine": "0123456789abcdefghij"})
    assert redact('value="0123456789ab"(+8 chars)') == 'value="[secret mine]"(+8 chars)'
    assert redact("0123456789abcdefghij") == "[secret mine]"
    assert redact("01234567") == "[secret mine]"
    assert redact("0123456") == "0123456"


def test_the_end_of_a_whole_one_is_not_left_over() -> None:
    """Its spellings begin alike: none may take the beginning of another and leave the rest."""
    value = 'abcdefghijklmnop"qrstuvw'
    redact = Redaction({"mine": value})
    for text in (value, json.dumps(value)[1:-1], urllib.parse.quote(value), html.escape(value)):
        assert redact(f"<{text}>") == "<[secret mine]>"


def test_one_that_holds_another_goes_by_its_own_name() -> None:
    redact = Redaction({"short": "hunter", "long": "hunter2000"})
    assert redact("hunter2000, hunter") == "[secret long], [secret short]"


def test_white_space_as_pages_show_it() -> None:
    assert Redaction({"mine": "one  two\n three"})("says one two three.") == "says [secret mine]."


@pytest.mark.parametrize("text", ["", "nothing of it", "hunte", "HUNTE R2", "İstanbul ﬁ"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert Redaction({"mine": "hunter2"})(text) == text


def test_places_stay_right_where_lower_case_is_longer() -> None:
    assert Redaction({"mine": "hunter2"})("İİİ HUNTER2 İ") == "İİİ [secret mine] İ"
