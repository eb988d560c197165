"""The text of an approval request. Neither the page nor the agent can add a line to it."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from rove import ApprovalRequest, Place
from rove.browser.consequences import Consequence, SentField
from rove.guard.policy import ShownElement
from rove.toolsets.approval_text import LONGEST_VALUE, card

PLACE = Place("default", "t1", "https://shop.example/cart")


def request(line: str = 'button "Pay"', question: str = "Shall it?", **arguments: object) -> ApprovalRequest:
    return ApprovalRequest(
        "fill", "Fill e7", {"target": "#pay", **arguments}, question, PLACE, ("https://shop.example",),
        (ShownElement("target", "e7", line),),
    )  # fmt: skip


def test_a_card_shows_action_origin_element_arguments_and_session() -> None:
    assert card(request(value="10\n20")).splitlines() == [
        "Shall it?",
        "Action: fill",
        "Where: https://shop.example",
        'Element: button "Pay"',
        'value: "10\\n20"',
        'Session: "default", tab t1',
    ]


def test_a_card_of_a_batch_lists_each_step() -> None:
    together = ApprovalRequest("batch", "2 steps", {}, "May it?", PLACE, steps=(request(value="1"), request(value="2")))
    assert card(together).splitlines() == [
        "May it?",
        "1. Shall it?",
        "   Action: fill",
        "   Where: https://shop.example",
        '   Element: button "Pay"',
        '   value: "1"',
        "2. Shall it?",
        "   Action: fill",
        "   Where: https://shop.example",
        '   Element: button "Pay"',
        '   value: "2"',
        'Session: "default", tab t1',
    ]


def test_a_frame_is_named_beside_its_page() -> None:
    framed = ApprovalRequest("click", "Click", {}, "Shall it?", PLACE, ("https://shop.example", "https://pay.example"))
    assert "Where: https://shop.example, in a frame of it https://pay.example" in card(framed)
    opaque = ApprovalRequest("click", "Click", {}, "Shall it?", PLACE, ("https://shop.example", None))
    assert "in a frame of it a page that belongs to no site" in card(opaque)


def test_a_card_says_how_many_characters_of_a_long_value_are_not_shown() -> None:
    text = card(request(value="x" * (LONGEST_VALUE + 500)))
    assert "502 more characters that are not shown" in text


ANYTHING = st.text(alphabet=st.characters(codec=None), max_size=200)


@given(ANYTHING, ANYTHING, ANYTHING)
def test_neither_page_nor_agent_can_add_a_line(line: str, value: str, name: str) -> None:
    text = card(request(line, value=value, extra={"name": name}))
    assert len(text.split("\n")) == 7
    assert len(text.splitlines()) == 7
    assert not any((ord(character) < 32 and character != "\n") or 127 <= ord(character) < 160 for character in text)
    assert "\u202e" not in text


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126), max_size=200))
def test_a_value_is_shown_completely(value: str) -> None:
    (shown,) = [line for line in card(request(value=value)).splitlines() if line.startswith("value: ")]
    assert json.loads(shown.removeprefix("value: ")) == value


HIDDEN = "\u200b\u202e\u2066\u00ad\u3164\u2800\ufe0f\U000e0041\u2028\x1b"


def test_what_a_person_would_not_see_is_written_out_in_every_text() -> None:
    sent = Consequence(
        "form", url=f"https://shop.example/{HIDDEN}", method="POST", fields=(SentField(f"a{HIDDEN}", f"b{HIDDEN}"),)
    )
    asked = request(f"button {HIDDEN}", f"Shall {HIDDEN} it?", value=f"value {HIDDEN}", expression=f"script {HIDDEN}")
    text = card(replace(asked, consequences=(sent,), secrets=(f"secret{HIDDEN}",)))
    assert not any(character in text for character in HIDDEN)
    for character in HIDDEN.replace("\x1b", ""):  # which JSON writes out itself
        assert text.count(f"\\u{{{ord(character):x}}}") == 8, hex(ord(character))


def test_a_separator_of_lines_ends_a_comment_of_a_script_as_it_does_for_the_browser() -> None:
    lines = card(request(expression="// harmless\u2028steal()\r\n// also\rsteal()")).splitlines()
    assert [line for line in lines if line.startswith("  | ")] == [
        "  | // harmless\\u{2028}",
        "  | steal()",
        "  | // also\\u{d}",
        "  | steal()",
    ]


def test_an_emoji_stays_readable() -> None:
    assert 'Element: button "Like \u2764\ufe0f"' in card(request('button "Like \u2764\ufe0f"'))


def test_a_host_that_may_look_like_another_is_described() -> None:
    asked = replace(request(), origins=("https://xn--pple-43d.com",))
    sent = Consequence("form", url="https://\u0440aypal.test/", method="POST")
    text = card(replace(asked, consequences=(sent,)))
    assert 'Host: xn--pple-43d.com, which may be shown as "\u0430pple.com": one word of it mixes' in text
    assert 'Host: xn--aypal-uye.test, which may be shown as "\u0440aypal.test"' in text
