"""The gate: doubt means no."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from rove import Allow, ApprovalRequest, Ask, Deny, Place
from rove.action import AnyAction
from rove.actions.navigation import Navigate
from rove.actions.pointer import Click
from rove.engine.gate import Gate
from rove.errors import Denied
from rove.guard.approval import NobodyToAsk
from rove.guard.policy import Decision, Policy, WebOnly

PLACE = Place("default", "t1", "https://example.com/")


class Says:
    """A policy with one answer."""

    def __init__(self, decision: Any) -> None:
        self.decision = decision

    def decide(self, action: AnyAction, place: Place) -> Decision:
        if isinstance(self.decision, Exception):
            raise self.decision
        decision: Decision = self.decision
        return decision


class Person:
    """An approver with one answer, who remembers what was asked."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[ApprovalRequest] = []

    async def approves(self, request: ApprovalRequest) -> bool:
        self.asked.append(request)
        if isinstance(self.answer, Exception):
            raise self.answer
        if self.answer == "never":
            await asyncio.Event().wait()
        answer: bool = self.answer
        return answer


def gate(policy: Policy, person: Person | NobodyToAsk | None = None, patience: float = 20) -> Gate:
    return Gate(policy, person or NobodyToAsk(), patience)


async def test_allow_lets_it_through_without_asking() -> None:
    person = Person(False)
    assert await gate(Says(Allow()), person).admit(Click("e1"), PLACE) == "allowed"
    assert person.asked == []


async def test_deny_stops_it_with_its_reason_and_hint() -> None:
    with pytest.raises(Denied) as caught:
        await gate(Says(Deny("Not here.", hint="Go home."))).admit(Click("e1"), PLACE)
    assert (caught.value.message, caught.value.hint) == ("Not here.", "Go home.")


async def test_a_yes_lets_it_through() -> None:
    person = Person(True)
    assert await gate(Says(Ask("Really?")), person).admit(Click("e1", count=2), PLACE) == "approved"
    (request,) = person.asked
    assert (request.action, request.question, request.place) == ("click", "Really?", PLACE)
    assert request.arguments == {"target": "e1", "count": 2}
    assert request.summary == "Click e1 2"


@pytest.mark.parametrize(
    "answer", [False, None, "yes", 1, RuntimeError("the line is dead"), TimeoutError("too slow")],
    ids=["no", "nothing", "a word", "a number", "an exception", "a timeout of its own"],
)  # fmt: skip
async def test_anything_but_a_yes_stops_it(answer: Any) -> None:
    with pytest.raises(Denied):
        await gate(Says(Ask("Really?")), Person(answer)).admit(Click("e1"), PLACE)


async def test_nobody_to_ask_means_no() -> None:
    with pytest.raises(Denied):
        await gate(Says(Ask("Really?"))).admit(Click("e1"), PLACE)


async def test_an_answer_that_does_not_come_in_time_means_no() -> None:
    with pytest.raises(Denied):
        await gate(Says(Ask("Really?")), Person("never"), patience=0.05).admit(Click("e1"), PLACE)


async def test_a_policy_that_raises_means_no() -> None:
    with pytest.raises(Denied):
        await gate(Says(RuntimeError("broken")), Person(True)).admit(Click("e1"), PLACE)


@pytest.mark.parametrize("answer", [None, True, "allow", 1, object()])
async def test_a_policy_that_answers_nonsense_means_no(answer: object) -> None:
    person = Person(True)
    with pytest.raises(Denied):
        await gate(Says(answer), person).admit(Click("e1"), PLACE)
    assert person.asked == []


async def test_each_request_has_an_id_of_its_own() -> None:
    person = Person(True)
    for _ in range(3):
        await gate(Says(Ask("Really?")), person).admit(Click("e1"), PLACE)
    assert len({request.id for request in person.asked}) == 3


@pytest.mark.parametrize("address", ["https://example.com", "HTTP://example.com", "http://[::1]/"])
def test_the_default_policy_allows_the_web(address: str) -> None:
    assert WebOnly().decide(Navigate(address), PLACE) == Allow()


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "FiLe:///etc/passwd", "chrome://version", "about:blank", "javascript:alert(1)"]
)
def test_the_default_policy_denies_the_rest(address: str) -> None:
    assert isinstance(WebOnly().decide(Navigate(address), PLACE), Deny)


def test_the_default_policy_allows_what_loads_no_address() -> None:
    assert WebOnly().decide(Click("e1"), PLACE) == Allow()
