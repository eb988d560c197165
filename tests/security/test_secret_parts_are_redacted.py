"""G6: Parts of a secret of five and more characters are redacted, in any encoding that a page may echo."""

from __future__ import annotations

import base64
import codecs
import json
from collections.abc import Callable
from urllib.parse import quote

import pytest

from rove.errors import Denied
from rove.guard.secrets.near_misses import MAX_PARTS, NearMisses
from rove.guard.secrets.redaction import Redaction

VALUE = "hunter2-Zebra!9"
WAYS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "upper case": str.upper,
    "backwards": lambda text: text[::-1],
    "ROT13": lambda text: codecs.encode(text, "rot13"),
    "spaced": " ".join,
    "with dashes": "-".join,
    "with a letter between": "x".join,
    "a letter on each line": "\n".join,
    "an element for each letter": lambda text: "\n".join(
        f'- text "{letter}" [e{at}]' for at, letter in enumerate(text)
    ),
    "a tag for each letter": lambda text: "".join(f"<b>{letter}</b>" for letter in text),
    "in groups": lambda text: f"{text[:4]} {text[4:9]} {text[9:]}",
    "URL": lambda text: quote(text, safe=""),
    "URL in a URL": lambda text: quote(quote(text, safe=""), safe=""),
    "every byte of a URL": lambda text: "".join(f"%{ord(letter):02x}" for letter in text),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64, one byte on": lambda text: base64.b64encode(f"a{text}".encode()).decode(),
    "base64, two bytes on, for URLs": lambda text: base64.urlsafe_b64encode(f"ab{text}".encode()).decode().rstrip("="),
    "hexadecimal": lambda text: text.encode().hex(),
    "hexadecimal, spaced": lambda text: text.encode().hex(" ").upper(),
    "character codes": lambda text: ", ".join(str(ord(letter)) for letter in text),
    "HTML, decimal": lambda text: "".join(f"&#{ord(letter)};" for letter in text),
    "HTML, hexadecimal": lambda text: "".join(f"&#x{ord(letter):x};" for letter in text),
    "JSON in JSON": lambda text: json.dumps(json.dumps(text)),
    "JavaScript": lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),
}


@pytest.mark.parametrize("part", [slice(None), slice(1, None), slice(None, -1), slice(1, 11)])
@pytest.mark.parametrize("way", WAYS)
def test_a_value_and_its_parts_are_redacted_however_they_are_written(way: str, part: slice) -> None:
    redacted = Redaction({"mine": VALUE})(f"before {WAYS[way](VALUE[part])} after")
    assert "[secret mine]" in redacted
    assert len(redacted) < 60, "most of it is gone"


def test_a_part_of_five_characters_is_redacted_and_one_of_four_is_not() -> None:
    redact = Redaction({"mine": VALUE})
    assert redact("is nter2.") == "is [secret mine]."
    assert redact("is nter.") == "is nter."


def test_ordinary_words_stay_but_not_more_of_the_secret() -> None:
    redact = Redaction({"mine": "summerlogin2024"})
    assert redact("Login: a summer offer, https") == "Login: a summer offer, https"
    assert redact("merlogin20") == "[secret mine]"


def test_a_secret_that_is_spread_over_texts_is_found() -> None:
    assert "hunter" not in "".join(Redaction({"mine": VALUE}).redact_all([*"hunter2"]))
    assert Redaction({"mine": VALUE}).redact_all(["a", "", f"b {VALUE}", "c"]) == ["a", "", "b [secret mine]", "c"]


def test_guesses_are_counted_and_the_same_part_counts_once() -> None:
    near, redaction = NearMisses(), Redaction({"mine": VALUE})
    for at in range(MAX_PARTS):
        for _ in range(3):
            near.note(redaction.find(VALUE[at : at + 5]))
            near.note(redaction.find(VALUE))
    near.refuse()
    near.note(redaction.find(VALUE[7:14]))
    with pytest.raises(Denied):
        near.refuse()
