"""The permission of one action: policy, a person's answer, and the check after it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from rove import Allow, ApprovalAnswer, ApprovalRequest, Ask, Deny, Place
from rove.action import AnyAction
from rove.actions.forms import Fill
from rove.actions.input import Click
from rove.engine import permission
from rove.engine.gate import Gate
from rove.engine.journal import Entry
from rove.engine.permission import FindShown, Grant, PermissionCheck, Shown
from rove.errors import Denied
from rove.guard.policy import Approver, Decision, NoApprover, ShownElement

PLACE = Place("default", "t1", "https://example.com/cart")
ELSEWHERE = Place("default", "t1", "https://evil.example/cart")
BUTTON = ShownElement("target", "e7", 'button "Pay"')
ASK = Ask("Really?", hint="Ask the owner.")


class FixedPolicy:
    """A policy that returns these decisions in order, and then the last one again."""

    def __init__(self, *decisions: Decision) -> None:
        self.decisions = list(decisions)

    def decide(self, action: AnyAction, place: Place) -> Decision:
        return self.decisions.pop(0) if len(self.decisions) > 1 else self.decisions[0]


class Person:
    """An approver with the same answer each time, and a list of what it was asked."""

    def __init__(self, answer: Any = ApprovalAnswer.ONCE) -> None:
        self.reply = answer
        self.asked: list[ApprovalRequest] = []

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.asked.append(request)
        if isinstance(self.reply, Exception):
            raise self.reply
        if self.reply == "never":
            await asyncio.Event().wait()
        answer: ApprovalAnswer = self.reply
        return answer


def showing(*shown: ShownElement) -> FindShown:
    async def look() -> Shown:
        return Shown(shown)

    return look


class Check:
    """A permission check with all that it needs."""

    def __init__(
        self,
        decision: Decision = ASK,
        person: Approver | None = None,
        action: AnyAction | None = None,
        gate: Gate | None = None,
        advance_grants: list[Grant] | None = None,
    ) -> None:
        self.gate = gate or Gate(FixedPolicy(decision), None, 20)
        self.entry = Entry("click", {})
        action = action or Click("#pay")
        self.permission: PermissionCheck[Any] = PermissionCheck(
            self.gate, action, self.entry, person, advance_grants if advance_grants is not None else []
        )

    async def run(self, *looks: tuple[Place, FindShown]) -> AnyAction:
        """Check once per look, and ask after each that returns a question; return the action that may run."""
        for place, look in looks:
            question = await self.permission.check((place,), look)
            if question is None:
                return self.permission.action
            await self.permission.ask(question)
        raise AssertionError("there was still a question")


HERE = (PLACE, showing(BUTTON))


async def test_an_allowed_action_runs_without_a_question_or_a_look_at_elements() -> None:
    async def look() -> Shown:
        raise AssertionError("elements must not be looked up")

    person = Person()
    check = Check(Allow(), person)
    assert await check.run((PLACE, look)) == Click("#pay")
    assert (person.asked, check.entry.decision) == ([], "allowed")


async def test_a_denied_action_raises_the_reason_and_hint_of_the_policy() -> None:
    check = Check(Deny("Not here.", hint="Go home."), Person())
    with pytest.raises(Denied) as caught:
        await check.run(HERE)
    assert (caught.value.message, caught.value.hint, check.entry.decision) == ("Not here.", "Go home.", "denied")


async def test_a_yes_allows_the_action_on_the_element_that_was_shown() -> None:
    person = Person()
    check = Check(ASK, person)
    assert await check.run(HERE, HERE) == Click("e7")
    (request,) = person.asked
    assert (request.action, request.question, request.place) == ("click", "Really?", PLACE)
    assert (request.arguments, request.value) == ({"target": "#pay"}, {})
    assert (request.origins, request.elements) == (("https://example.com",), (BUTTON,))
    assert check.entry.decision == "approved"


@pytest.mark.parametrize(
    "answer",
    [ApprovalAnswer.NO, None, True, "once", "yes", 1, RuntimeError("the line is dead"), TimeoutError("too slow")],
    ids=["no", "nothing", "true", "a word", "another", "a number", "an exception", "a timeout of its own"],
)
async def test_any_answer_but_a_yes_denies(answer: Any) -> None:
    with pytest.raises(Denied):
        await Check(ASK, Person(answer)).run(HERE, HERE)


@pytest.mark.parametrize("approver", [None, NoApprover()])
async def test_without_an_approver_it_is_denied_with_the_hint_of_the_policy(approver: Approver | None) -> None:
    with pytest.raises(Denied) as caught:
        await Check(ASK, approver).run(HERE)
    assert caught.value.hint == "Ask the owner."


async def test_the_approver_of_the_owner_is_asked_and_not_that_of_the_caller() -> None:
    owner, caller = Person(ApprovalAnswer.NO), Person(ApprovalAnswer.ONCE)
    with pytest.raises(Denied):
        await Check(person=caller, gate=Gate(FixedPolicy(ASK), owner, 20)).run(HERE, HERE)
    assert (len(owner.asked), caller.asked) == (1, [])
    with pytest.raises(Denied):
        await Check(person=caller, gate=Gate(FixedPolicy(ASK), NoApprover(), 20)).run(HERE, HERE)
    assert caller.asked == []


async def test_an_answer_that_does_not_come_in_time_denies() -> None:
    gate = Gate(FixedPolicy(ASK), None, 0.05)
    with pytest.raises(Denied):
        await Check(person=Person("never"), gate=gate).run(HERE)
    assert gate.approvals.pending == ()


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("another origin", (ELSEWHERE, showing(BUTTON))),
        ("another tab", (Place("default", "t2", PLACE.url), showing(BUTTON))),
        ("another name", (PLACE, showing(ShownElement("target", "e7", 'button "Pay everything"')))),
        ("another element of that name", (PLACE, showing(ShownElement("target", "e8", 'button "Pay"')))),
        ("nothing", (PLACE, showing())),
    ],
)
async def test_a_change_after_the_yes_is_asked_about_again(name: str, changed: tuple[Place, FindShown]) -> None:
    person = Person()
    await Check(ASK, person).run(HERE, changed, changed)
    assert len(person.asked) == 2, name


async def test_another_url_of_the_same_origin_is_no_change() -> None:
    person = Person()
    moved = Place("default", "t1", "https://example.com/cart?step=2#pay")
    await Check(ASK, person).run(HERE, (moved, showing(BUTTON)))
    assert len(person.asked) == 1


async def test_a_page_that_changes_after_every_yes_is_denied() -> None:
    person = Person()
    looks = [(PLACE, showing(ShownElement("target", "e7", f'button "{number}"'))) for number in range(10)]
    with pytest.raises(Denied):
        await Check(ASK, person).run(*looks)
    assert len(person.asked) == permission.MAX_QUESTIONS


async def test_a_policy_that_denies_after_the_yes_counts() -> None:
    with pytest.raises(Denied):
        await Check(person=Person(), gate=Gate(FixedPolicy(ASK, Deny("Not any more.")), None, 20)).run(HERE, HERE)


async def test_a_yes_counts_once() -> None:
    person = Person()
    gate = Gate(FixedPolicy(ASK), None, 20)
    for times in (1, 2, 3):
        await Check(person=person, gate=gate).run(HERE, HERE)
        assert len(person.asked) == times


@pytest.mark.parametrize(
    "other",
    [
        Fill("#name", "Beatrice"),
        Fill("#other", "Bea"),
        Click("#name"),
    ],
)
async def test_a_yes_in_advance_counts_for_exactly_that_action_and_once(other: AnyAction) -> None:
    """A grant for a step of a batch does not cover another value, another target or another action."""
    field = ShownElement("target", "e3", 'textbox "Name"')
    person, advance_grants = Person(), list[Grant]()
    gate = Gate(FixedPolicy(ASK), None, 20)
    check = Check(person=person, gate=gate, action=Fill("#name", "Bea"))
    question = await check.permission.check((PLACE,), showing(field))
    assert question is not None
    advance_grants += await permission.ask_person(gate, question, person)
    assert len(person.asked) == 1

    look = (PLACE, showing(field))
    await Check(person=person, gate=gate, action=other, advance_grants=advance_grants).run(look, look)
    assert len(person.asked) == 2
    await Check(person=person, gate=gate, action=Fill("#name", "Bea"), advance_grants=advance_grants).run(look)
    assert (len(person.asked), advance_grants) == (2, [])
    await Check(person=person, gate=gate, action=Fill("#name", "Bea"), advance_grants=advance_grants).run(look, look)
    assert len(person.asked) == 3


async def test_a_yes_in_advance_expires() -> None:
    person, gate = Person(), Gate(FixedPolicy(ASK), None, 20)
    question = await Check(person=person, gate=gate).permission.check((PLACE,), showing(BUTTON))
    assert question is not None
    (grant,) = await permission.ask_person(gate, question, person)
    stale = [Grant(grant.request, grant.until - 20.001)]
    await Check(person=person, gate=gate, advance_grants=stale).run(HERE, HERE)
    assert len(person.asked) == 2


async def test_a_yes_for_the_session_is_remembered_for_that_action_origin_and_session() -> None:
    person, gate = Person(ApprovalAnswer.FOR_SESSION), Gate(FixedPolicy(ASK), None, 20)
    await Check(person=person, gate=gate).run(HERE, HERE)
    check = Check(person=person, gate=gate, action=Click("#other"))
    other = ShownElement("target", "e9", 'button "Other"')
    assert await check.run((PLACE, showing(other))) == Click("e9")
    assert (len(person.asked), check.entry.decision) == (1, "remembered")

    person.reply = ApprovalAnswer.NO
    for place, action in (
        (ELSEWHERE, Click("#pay")),
        (Place("other", "t1", PLACE.url), Click("#pay")),
        (PLACE, Fill("#pay", "1")),
    ):
        with pytest.raises(Denied):
            await Check(person=person, gate=gate, action=action).run((place, showing(BUTTON)))


async def test_closing_a_session_forgets_what_was_approved_for_it() -> None:
    person, gate = Person(ApprovalAnswer.FOR_SESSION), Gate(FixedPolicy(ASK), None, 20)
    await Check(person=person, gate=gate).run(HERE, HERE)
    gate.approvals.forget("other")
    await Check(person=person, gate=gate).run(HERE)
    gate.approvals.forget("default")
    person.reply = ApprovalAnswer.NO
    with pytest.raises(Denied):
        await Check(person=person, gate=gate).run(HERE)


@pytest.mark.parametrize("place", [Place("default"), Place("default", "t1", "about:blank")])
async def test_an_action_without_an_origin_cannot_be_approved_for_a_session(place: Place) -> None:
    person, gate = Person(ApprovalAnswer.FOR_SESSION), Gate(FixedPolicy(ASK), None, 20)
    for times in (1, 2):
        await Check(person=person, gate=gate).run((place, showing()), (place, showing()))
        assert len(person.asked) == times
    assert not person.asked[0].can_be_remembered


async def test_each_request_has_its_own_id_and_expires() -> None:
    person, gate = Person(), Gate(FixedPolicy(ASK), None, 20)
    for _ in range(3):
        await Check(person=person, gate=gate).run(HERE, HERE)
    assert len({request.id for request in person.asked}) == 3
    for request in person.asked:
        assert 19 < request.expires - request.created < 21
