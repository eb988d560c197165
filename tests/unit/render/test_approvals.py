"""The text of an approval request. Neither the page nor the agent can add a line to it."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from rove import ApprovalRequest, Place
from rove.guard.policy.approval import ShownElement
from rove.render.approvals import LONGEST_VALUE, card

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
