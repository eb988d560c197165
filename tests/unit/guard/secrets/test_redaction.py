"""Redaction finds secrets in all of their encoded forms."""

from __future__ import annotations

import base64
import html
import json
import urllib.parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rove.guard.secrets.redaction import Redaction

SPECIAL_CHARACTERS = "a\"b\\c & <d>'é+/?=#%~\tz🫖"


@pytest.mark.parametrize("value", ["hunter2", SPECIAL_CHARACTERS, "two\nlines", "tok_" + "x1" * 40])
@pytest.mark.parametrize(
    "encode",
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
def test_every_common_encoding_is_replaced(value: str, encode: object) -> None:
    assert callable(encode)
    text: str = encode(value)
    redacted = Redaction({"mine": value})(f"before {text} after")
    assert redacted.startswith("before ")
    assert redacted.endswith(" after")
    assert "[secret mine]" in redacted
    assert text not in redacted


@pytest.mark.parametrize("before", ["", "u", "us", "me:", "user:"])
@pytest.mark.parametrize("after", ["", "x", "yz"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_base64_is_found_at_every_offset_in_the_encoded_text(before: str, after: str, encode: object) -> None:
    assert callable(encode)
    value = "hunter2~~???>>>"
    encoded: str = encode(f"{before}{value}{after}".encode()).decode()
    redacted = Redaction({"mine": value})(f"Basic {encoded}")
    assert "[secret mine]" in redacted
    # The remaining characters also depend on the neighbouring bytes.
    assert (
        len(redacted.replace("[secret mine]", "")) <= len(f"Basic {encode(f'{before}{after}'.encode()).decode()}") + 8
    )


@given(st.text(min_size=4, max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_no_text_keeps_the_value_of_a_secret(value: str, before: str, after: str) -> None:
    redacted = Redaction({"N": value})(before + value + after)
    assert value not in redacted or value in f"{before}[secret N]{after}"


def test_the_prefix_of_a_truncated_long_value_is_replaced() -> None:
    redact = Redaction({"mine": "0123456789abcdefghij"})
    assert redact('value="0123456789ab"(+8 chars)') == 'value="[secret mine]"(+8 chars)'
    assert redact("0123456789abcdefghij") == "[secret mine]"
    assert redact("56789") == "56789", "ordinary"
    assert redact("9abcde") == "[secret mine]"
    assert redact("89ab") == "89ab"


def test_no_end_of_a_complete_value_is_left() -> None:
    """All forms start with the same characters: replacing the prefix of one must not leave the rest of another."""
    value = 'abcdefghijklmnop"qrstuvw'
    redact = Redaction({"mine": value})
    for text in (value, json.dumps(value)[1:-1], urllib.parse.quote(value), html.escape(value)):
        assert redact(f"<{text}>") == "<[secret mine]>"


def test_a_value_that_contains_another_value_is_replaced_with_its_own_name() -> None:
    redact = Redaction({"short": "hunter", "long": "hunter2000"})
    assert redact("hunter2000, hunter") == "[secret long], [secret short]"


def test_a_value_is_found_with_white_space_as_pages_render_it() -> None:
    assert Redaction({"mine": "one  two\n three"})("says one two three.") == "says [secret mine]."


@pytest.mark.parametrize("text", ["", "nothing of it", "hunt", "nter", "HUNT R2", "İstanbul ﬁ"])
def test_other_text_stays_unchanged(text: str) -> None:
    assert Redaction({"mine": "hunter2"})(text) == text


def test_positions_stay_correct_where_the_lower_case_is_longer() -> None:
    assert Redaction({"mine": "hunter2"})("İİİ HUNTER2 İ") == "İİİ [secret mine] İ"
