"""G6: Parts of a secret of five and more characters are redacted, in any encoding that a page may echo."""

from __future__ import annotations

import base64
import codecs
import json
import re
from collections.abc import Callable
from urllib.parse import quote

import pytest

from rove.browser.shared.secrets import redacted_answer
from rove.errors import Denied
from rove.guard.secrets.redaction import Redaction
from rove.guard.secrets.secret import MAX_PARTS, NearMisses

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
    "JavaScript of old": lambda text: "".join(f"%u{ord(letter):04x}" for letter in text),
    "full width": lambda text: "".join(chr(ord(letter) + 0xFEE0) for letter in text),
    "mathematical letters": lambda text: "".join(
        chr(0x1D41A + ord(letter) - 97) if "a" <= letter <= "z" else letter for letter in text
    ),
    "octal": lambda text: "".join(f"\\{ord(letter):03o}" for letter in text),
    "octal codes": lambda text: " ".join(f"{ord(letter):o}" for letter in text),
    "base64 of upper case": lambda text: base64.b64encode(text.upper().encode()).decode(),
    "base64 of UTF-16": lambda text: base64.b64encode(text.encode("utf-16-le")).decode(),
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "groups in a URL": lambda text: "%20".join(text[at : at + 4] for at in range(0, len(text), 4)),
    "groups in HTML": lambda text: "&nbsp;".join(text[at : at + 4] for at in range(0, len(text), 4)),
    "a numbered list": lambda text: "\n".join(f"{at}. {letter}" for at, letter in enumerate(text, 1)),
    "a table with numbers": lambda text: "\n".join(f"| {at} | {letter} |" for at, letter in enumerate(text)),
    "an HTML table": lambda text: "".join(f"<tr><td>{at}</td><td>{letter}</td></tr>" for at, letter in enumerate(text)),
    "cells with numbers": lambda text: "\n".join(
        f'- cell "{at}" [ref=f4e{5 * at}]\n- cell "{letter}" [ref=f4e{5 * at + 1}]' for at, letter in enumerate(text)
    ),
    "rows of a table": lambda text: "\n".join(
        json.dumps({"Column 1": str(at), "Column 2": letter}) for at, letter in enumerate(text)
    ),
    "each letter with its place": lambda text: ", ".join(f"'{letter}'={at}" for at, letter in enumerate(text)),
    "JavaScript": lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),
}


@pytest.mark.parametrize("part", [slice(None), slice(1, None), slice(None, -1), slice(1, 11)])
@pytest.mark.parametrize("way", WAYS)
def test_a_value_and_its_parts_are_redacted_however_they_are_written(way: str, part: slice) -> None:
    redacted = Redaction({"mine": VALUE})(f"before {WAYS[way](VALUE[part])} after")
    assert "[secret mine]" in redacted
    assert len(re.sub(r'["\n]|- cell|\[ref=\w+\]|Column|</?t[rd]>', "", redacted)) < 75, "most of it is gone"


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


def test_lines_and_quotes_stay_where_a_secret_goes_over_them() -> None:
    redact = Redaction({"mine": VALUE})
    assert redact('"h"\n"u"\n"n"\n"t"\n"e"\nlink "x"') == '"[secret mine]"\n""\n""\n""\n""\nlink "x"'
    assert redact('"hunt" "er2-Z"').count('"') % 2 == 0


def test_numbers_of_a_snapshot_are_not_redacted_and_its_addresses_are() -> None:
    redaction = Redaction({"pin": "1112", "mine": VALUE})

    class Redactor:
        names = ("pin", "mine")
        redact = redaction.__call__
        redact_all = redaction.redact_all

    answer = {"refs": "1110 1111 1112", "flags": "104 117 110 116 101 114", "lines": f'"{VALUE}"\n"1112"'}
    answer["hrefs"] = f"1112 /a\n1113 /?k={VALUE}"
    clear = redacted_answer(answer, Redactor())
    assert (clear["refs"], clear["flags"]) == (answer["refs"], answer["flags"])
    assert clear["lines"] == '"[secret mine]"\n"[secret pin]"'
    assert clear["hrefs"] == "1112 /a\n1113 /?k=[secret mine]"


@pytest.mark.parametrize(
    "row", ["{at}. {digit}", "| {at} | {digit} |", '{{"Column 1": "{at}", "Column 2": "{digit}"}}']
)
def test_digits_that_numbers_count_are_redacted(row: str) -> None:
    card = "4929871534098861"
    text = "\n".join(row.format(at=at, digit=digit) for at, digit in enumerate(card, 1))
    assert len(re.sub(r'["\n]', "", Redaction({"card": card})(f"Page 3\n{text}"))) < 90


def test_a_table_of_digits_stays() -> None:
    table = "\n".join(" | ".join(str((row * 7 + cell * 3) % 10) for cell in range(9)) for row in range(300))
    assert Redaction({"card": "4929871534098861"})(table) == table
