"""The user's answer to an elicitation: only an exact yes approves."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rove import ApprovalAnswer, ApprovalRequest, Place
from rove.surfaces.mcp.request import answer_in, can_be_asked, form

PLACE = Place("default", "t1", "https://shop.example/cart")
AT_SHOP = ApprovalRequest("click", "Click e1", {"target": "e1"}, "Shall it?", PLACE, ("https://shop.example",))
NOWHERE = ApprovalRequest("open_session", "Open session", {}, "Shall it?", Place("default"))


def accepted(answer: Any) -> dict[str, Any]:
    return {"action": "accept", "content": {"answer": answer}}


@pytest.mark.parametrize(
    ("capabilities", "can"),
    [
        ({"elicitation": {}}, True),
        ({"elicitation": {"form": {}}}, True),
        ({"elicitation": {"form": {}, "url": {}}}, True),
        ({"elicitation": {"url": {}}}, False),
        ({"elicitation": None}, False),
        ({"elicitation": True}, False),
        ({"sampling": {}}, False),
        ({}, False),
        (None, False),
        ([], False),
    ],
)
def test_a_client_is_asked_only_if_it_can_show_a_form(capabilities: Any, can: bool) -> None:
    assert can_be_asked(capabilities) is can


@pytest.mark.parametrize(
    ("word", "answer"),
    [
        ("no", ApprovalAnswer.NO),
        ("yes, once", ApprovalAnswer.ONCE),
        ("yes, for this session", ApprovalAnswer.FOR_SESSION),
    ],
)
def test_each_choice_of_the_form_is_understood(word: str, answer: ApprovalAnswer) -> None:
    assert answer_in(accepted(word), AT_SHOP) is answer
    assert word in form(AT_SHOP)["requestedSchema"]["properties"]["answer"]["enum"]


def test_the_first_choice_is_no() -> None:
    assert form(AT_SHOP)["requestedSchema"]["properties"]["answer"]["enum"][0] == "no"


def test_without_an_origin_an_answer_for_the_session_is_neither_offered_nor_accepted() -> None:
    assert form(NOWHERE)["requestedSchema"]["properties"]["answer"]["enum"] == ["no", "yes, once"]
    assert answer_in(accepted("yes, for this session"), NOWHERE) is ApprovalAnswer.NO


@pytest.mark.parametrize("action", ["decline", "cancel", "ACCEPT", "", None, True, ["accept"]])
def test_any_action_other_than_accept_is_no(action: Any) -> None:
    assert answer_in({"action": action, "content": {"answer": "yes, once"}}, AT_SHOP) is ApprovalAnswer.NO


@pytest.mark.parametrize("answer", ["yes", "YES, ONCE", "yes, once ", True, 1, None, ["yes, once"], {"yes, once": 1}])
def test_any_other_answer_is_no(answer: Any) -> None:
    assert answer_in(accepted(answer), AT_SHOP) is ApprovalAnswer.NO


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(PLAIN)
def test_an_arbitrary_result_is_no(result: Any) -> None:
    assert answer_in(result, AT_SHOP) is ApprovalAnswer.NO
    assert answer_in({"action": "accept", "content": result}, AT_SHOP) is ApprovalAnswer.NO
