"""One action's way through the gate."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from rove import Allow, ApprovalAnswer, ApprovalRequest, Ask, Deny, Place
from rove.action import AnyAction
from rove.actions.forms import Fill
from rove.actions.pointer import Click
from rove.engine.approval import permission
from rove.engine.approval.gate import Gate
from rove.engine.approval.permission import FindElements, Grant, PermissionCheck
from rove.engine.journal import Entry
from rove.errors import Denied
from rove.guard.policy.approval import Approver, NoApprover, ShownElement
from rove.guard.policy.policy import Decision

PLACE = Place("default", "t1", "https://example.com/cart")
ELSEWHERE = Place("default", "t1", "https://evil.example/cart")
BUTTON = ShownElement("target", "e7", 'button "Pay"')
ASK = Ask("Really?", hint="Ask the owner.")


class Says:
    def __init__(self, *decisions: Decision) -> None:
        self.decisions = list(decisions)

    def decide(self, action: AnyAction, place: Place) -> Decision:
        return self.decisions.pop(0) if len(self.decisions) > 1 else self.decisions[0]


class Person:
    """Someone with the same answer each time, who remembers what was asked."""

    def __init__(self, answer: Any = ApprovalAnswer.ONCE) -> None:
        self.says = answer
        self.asked: list[ApprovalRequest] = []

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.asked.append(request)
        if isinstance(self.says, Exception):
            raise self.says
        if self.says == "never":
            await asyncio.Event().wait()
        answer: ApprovalAnswer = self.says
        return answer


def showing(*shown: ShownElement) -> FindElements:
    async def look() -> tuple[ShownElement, ...]:
        return shown

    return look


class Way:
    """A clearance with everything that it needs, and one short word for going all the way."""

    def __init__(
        self,
        decision: Decision = ASK,
        person: Approver | None = None,
        action: AnyAction | None = None,
        gate: Gate | None = None,
        ahead: list[Grant] | None = None,
    ) -> None:
        self.gate = gate or Gate(Says(decision), None, 20)
        self.entry = Entry("click", {})
        action = action or Click("#pay")
        self.permission: PermissionCheck[Any] = PermissionCheck(
            self.gate, action, self.entry, person, ahead if ahead is not None else []
        )

    async def goes(self, *looks: tuple[Place, FindElements]) -> AnyAction:
        """Ask at each look what is asked there, until it is let through; returns the action as it would be done."""
        for place, look in looks:
            question = await self.permission.check((place,), look)
            if question is None:
                return self.permission.action
            await self.permission.ask(question)
        raise AssertionError("it was still being asked about")


HERE = (PLACE, showing(BUTTON))


async def test_what_is_allowed_goes_through_without_asking_or_looking() -> None:
    async def look() -> tuple[ShownElement, ...]:
        raise AssertionError("nobody needs to see it")

    person = Person()
    way = Way(Allow(), person)
    assert await way.goes((PLACE, look)) == Click("#pay")
    assert (person.asked, way.entry.decision) == ([], "allowed")


async def test_what_is_denied_stops_with_its_reason_and_hint() -> None:
    way = Way(Deny("Not here.", hint="Go home."), Person())
    with pytest.raises(Denied) as caught:
        await way.goes(HERE)
    assert (caught.value.message, caught.value.hint, way.entry.decision) == ("Not here.", "Go home.", "denied")


async def test_a_yes_lets_it_through_and_holds_it_to_the_element_that_was_shown() -> None:
    person = Person()
    way = Way(ASK, person)
    assert await way.goes(HERE, HERE) == Click("e7")
    (request,) = person.asked
    assert (request.action, request.question, request.place) == ("click", "Really?", PLACE)
    assert (request.arguments, request.value) == ({"target": "#pay"}, {})
    assert (request.origins, request.elements) == (("https://example.com",), (BUTTON,))
    assert way.entry.decision == "approved"


@pytest.mark.parametrize(
    "answer",
    [ApprovalAnswer.NO, None, True, "once", "yes", 1, RuntimeError("the line is dead"), TimeoutError("too slow")],
    ids=["no", "nothing", "true", "a word", "another", "a number", "an exception", "a timeout of its own"],
)
async def test_anything_but_a_yes_stops_it(answer: Any) -> None:
    with pytest.raises(Denied):
        await Way(ASK, Person(answer)).goes(HERE, HERE)


@pytest.mark.parametrize("nobody", [None, NoApprover()])
async def test_nobody_to_ask_means_no_and_says_how_the_owner_could_allow_it(nobody: Approver | None) -> None:
    with pytest.raises(Denied) as caught:
        await Way(ASK, nobody).goes(HERE)
    assert caught.value.hint == "Ask the owner."


async def test_whom_the_owner_appointed_is_asked_and_not_the_one_at_the_callers_end() -> None:
    owner, caller = Person(ApprovalAnswer.NO), Person(ApprovalAnswer.ONCE)
    with pytest.raises(Denied):
        await Way(person=caller, gate=Gate(Says(ASK), owner, 20)).goes(HERE, HERE)
    assert (len(owner.asked), caller.asked) == (1, [])
    with pytest.raises(Denied):
        await Way(person=caller, gate=Gate(Says(ASK), NoApprover(), 20)).goes(HERE, HERE)
    assert caller.asked == []


async def test_an_answer_that_does_not_come_in_time_means_no() -> None:
    gate = Gate(Says(ASK), None, 0.05)
    with pytest.raises(Denied):
        await Way(person=Person("never"), gate=gate).goes(HERE)
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
async def test_what_has_changed_since_the_yes_is_asked_about_again(
    name: str, changed: tuple[Place, FindElements]
) -> None:
    person = Person()
    await Way(ASK, person).goes(HERE, changed, changed)
    assert len(person.asked) == 2, name


async def test_moving_within_the_origin_is_no_change() -> None:
    person = Person()
    moved = Place("default", "t1", "https://example.com/cart?step=2#pay")
    await Way(ASK, person).goes(HERE, (moved, showing(BUTTON)))
    assert len(person.asked) == 1


async def test_a_page_that_is_never_the_same_is_given_up() -> None:
    person = Person()
    looks = [(PLACE, showing(ShownElement("target", "e7", f'button "{number}"'))) for number in range(10)]
    with pytest.raises(Denied):
        await Way(ASK, person).goes(*looks)
    assert len(person.asked) == permission.MAX_QUESTIONS


async def test_a_policy_that_says_no_after_the_yes_is_heard() -> None:
    with pytest.raises(Denied):
        await Way(person=Person(), gate=Gate(Says(ASK, Deny("Not any more.")), None, 20)).goes(HERE, HERE)


async def test_a_yes_is_used_up() -> None:
    person = Person()
    gate = Gate(Says(ASK), None, 20)
    for times in (1, 2, 3):
        await Way(person=person, gate=gate).goes(HERE, HERE)
        assert len(person.asked) == times


@pytest.mark.parametrize(
    "other",
    [
        Fill("#name", "Beatrice"),
        Fill("#other", "Bea"),
        Click("#name"),
    ],
)
async def test_a_yes_ahead_counts_for_exactly_that_and_once(other: AnyAction) -> None:
    """What a batch was granted beforehand is worth nothing for another value, another target or another action."""
    field = ShownElement("target", "e3", 'textbox "Name"')
    person, ahead = Person(), list[Grant]()
    gate = Gate(Says(ASK), None, 20)
    way = Way(person=person, gate=gate, action=Fill("#name", "Bea"))
    question = await way.permission.check((PLACE,), showing(field))
    assert question is not None
    ahead += await permission.ask_person(gate, question, person)
    assert len(person.asked) == 1

    look = (PLACE, showing(field))
    await Way(person=person, gate=gate, action=other, ahead=ahead).goes(look, look)
    assert len(person.asked) == 2
    await Way(person=person, gate=gate, action=Fill("#name", "Bea"), ahead=ahead).goes(look)
    assert (len(person.asked), ahead) == (2, [])
    await Way(person=person, gate=gate, action=Fill("#name", "Bea"), ahead=ahead).goes(look, look)
    assert len(person.asked) == 3


async def test_a_yes_ahead_runs_out() -> None:
    person, gate = Person(), Gate(Says(ASK), None, 20)
    question = await Way(person=person, gate=gate).permission.check((PLACE,), showing(BUTTON))
    assert question is not None
    (grant,) = await permission.ask_person(gate, question, person)
    stale = [Grant(grant.request, grant.until - 20.001)]
    await Way(person=person, gate=gate, ahead=stale).goes(HERE, HERE)
    assert len(person.asked) == 2


async def test_a_yes_for_the_session_is_remembered_for_that_action_origin_and_session() -> None:
    person, gate = Person(ApprovalAnswer.FOR_SESSION), Gate(Says(ASK), None, 20)
    await Way(person=person, gate=gate).goes(HERE, HERE)
    way = Way(person=person, gate=gate, action=Click("#other"))
    other = ShownElement("target", "e9", 'button "Other"')
    assert await way.goes((PLACE, showing(other))) == Click("e9")
    assert (len(person.asked), way.entry.decision) == (1, "remembered")

    person.says = ApprovalAnswer.NO
    for place, action in (
        (ELSEWHERE, Click("#pay")),
        (Place("other", "t1", PLACE.url), Click("#pay")),
        (PLACE, Fill("#pay", "1")),
    ):
        with pytest.raises(Denied):
            await Way(person=person, gate=gate, action=action).goes((place, showing(BUTTON)))


async def test_a_session_that_is_closed_takes_what_was_said_for_it_along() -> None:
    person, gate = Person(ApprovalAnswer.FOR_SESSION), Gate(Says(ASK), None, 20)
    await Way(person=person, gate=gate).goes(HERE, HERE)
    gate.approvals.forget("other")
    await Way(person=person, gate=gate).goes(HERE)
    gate.approvals.forget("default")
    person.says = ApprovalAnswer.NO
    with pytest.raises(Denied):
        await Way(person=person, gate=gate).goes(HERE)


@pytest.mark.parametrize("place", [Place("default"), Place("default", "t1", "about:blank")])
async def test_what_happens_nowhere_cannot_be_remembered(place: Place) -> None:
    person, gate = Person(ApprovalAnswer.FOR_SESSION), Gate(Says(ASK), None, 20)
    for times in (1, 2):
        await Way(person=person, gate=gate).goes((place, showing()), (place, showing()))
        assert len(person.asked) == times
    assert not person.asked[0].can_be_remembered


async def test_each_request_has_an_id_of_its_own_and_an_end() -> None:
    person, gate = Person(), Gate(Says(ASK), None, 20)
    for _ in range(3):
        await Way(person=person, gate=gate).goes(HERE, HERE)
    assert len({request.id for request in person.asked}) == 3
    for request in person.asked:
        assert 19 < request.expires - request.created < 21
