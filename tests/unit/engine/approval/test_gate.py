"""The gate: doubt means no."""

from __future__ import annotations

from typing import Any

import pytest

from rove import Allow, Ask, Deny, Place
from rove.action import AnyAction
from rove.actions.navigation import Navigate
from rove.actions.pointer import Click
from rove.engine.approval.gate import Gate
from rove.guard.policy.policy import Decision, WebOnly

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


class ByAddress:
    """A policy that says of each address what it was told."""

    def __init__(self, **decisions: Decision) -> None:
        self.decisions = decisions

    def decide(self, action: AnyAction, place: Place) -> Decision:
        return self.decisions[place.url or ""]


def decided(policy: Any, *places: Place, action: AnyAction | None = None) -> Decision:
    return Gate(policy, None, 20).decide(action or Click("e1"), places or (PLACE,))


@pytest.mark.parametrize("decision", [Allow(), Deny("Not here.", hint="Go home."), Ask("Really?")])
def test_the_policy_is_heard(decision: Decision) -> None:
    assert decided(Says(decision)) == decision


def test_a_policy_that_raises_means_no() -> None:
    assert isinstance(decided(Says(RuntimeError("broken"))), Deny)


@pytest.mark.parametrize("answer", [None, True, "allow", 1, object(), Allow])
def test_a_policy_that_answers_nonsense_means_no(answer: object) -> None:
    assert isinstance(decided(Says(answer)), Deny)


@pytest.mark.parametrize(
    ("said", "strictest"),
    [
        ([Allow(), Allow()], Allow()),
        ([Allow(), Ask("Really?")], Ask("Really?")),
        ([Ask("Really?"), Deny("No.")], Deny("No.")),
        ([Deny("No."), Allow()], Deny("No.")),
    ],
)
def test_of_several_places_the_strictest_word_counts(said: list[Decision], strictest: Decision) -> None:
    page, frame = Place("default", "t1", "page"), Place("default", "t1", "frame")
    assert decided(ByAddress(page=said[0], frame=said[1]), page, frame) == strictest
    assert decided(ByAddress(page=said[1], frame=said[0]), page, frame) == strictest


@pytest.mark.parametrize("address", ["file:///etc/passwd", "javascript:alert(1)", "data:text/html,x"])
def test_no_policy_reaches_below_the_floor(address: str) -> None:
    assert isinstance(decided(Says(Allow()), action=Navigate(address)), Deny)


@pytest.mark.parametrize("address", ["https://example.com", "HTTP://example.com", "http://[::1]/"])
def test_the_floor_holds_up_the_web(address: str) -> None:
    assert WebOnly().decide(Navigate(address), PLACE) == Allow()


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "FiLe:///etc/passwd", "chrome://version", "about:blank", "javascript:alert(1)"]
)
def test_the_floor_denies_the_rest(address: str) -> None:
    assert isinstance(WebOnly().decide(Navigate(address), PLACE), Deny)


def test_the_floor_has_nothing_to_say_on_what_loads_no_address() -> None:
    assert WebOnly().decide(Click("e1"), PLACE) == Allow()
