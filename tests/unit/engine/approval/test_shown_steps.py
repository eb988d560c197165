"""What a yes to a batch answers for."""

from __future__ import annotations

from typing import Any

import pytest

from rove import ApprovalAnswer, ApprovalRequest, Place
from rove.browser.consequences import Consequence
from rove.engine.gate import AsksOnce
from rove.guard.policy import ShownElement

SHOP = "https://shop.example"
STEPS = [{"action": "navigate", "url": f"{SHOP}/"}, {"action": "evaluate", "expression": "1 + 1"}]


class Answers:
    def __init__(self, answer: ApprovalAnswer) -> None:
        self._answer = answer

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        return self._answer


def asked(action: str, arguments: dict[str, Any], session: str = "default", **more: Any) -> ApprovalRequest:
    place = Place(session, "t1", SHOP)
    return ApprovalRequest(action, action, arguments, "Really?", place, **{"origins": (SHOP,), **more})


def navigating(**more: Any) -> ApprovalRequest:
    return asked("navigate", {"url": f"{SHOP}/"}, **more)


async def approved(answer: ApprovalAnswer = ApprovalAnswer.ONCE) -> AsksOnce:
    approver = AsksOnce(Answers(answer))
    await approver.answer(asked("batch", {"steps": STEPS}, origins=()))
    return approver


async def test_each_step_is_answered_for_once() -> None:
    approver = await approved()
    assert await approver.has_approved(navigating())
    assert not await approver.has_approved(navigating())
    assert await approver.has_approved(asked("evaluate", {"expression": "1 + 1"}))


@pytest.mark.parametrize(
    "other",
    [
        asked("evaluate", {"expression": "1 + 2"}),
        navigating(session="other"),
        navigating(origins=("https://other.example",)),
        navigating(origins=(None,)),
        navigating(elements=(ShownElement("target", "e1", 'button "Pay"'),)),
        navigating(consequences=(Consequence("site", url=SHOP),)),
        navigating(steps=(navigating(),)),
    ],
    ids=["argument", "session", "origin", "opaque origin", "element", "consequence", "steps"],
)
async def test_what_was_not_shown_is_not_answered_for(other: ApprovalRequest) -> None:
    assert not await (await approved()).has_approved(other)


async def test_a_no_answers_for_nothing() -> None:
    assert not await (await approved(ApprovalAnswer.NO)).has_approved(navigating())
    assert not await AsksOnce(Answers(ApprovalAnswer.ONCE)).has_approved(navigating())
