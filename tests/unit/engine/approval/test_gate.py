"""The gate: an error of the policy denies."""

from __future__ import annotations

from typing import Any

import pytest

from rove import Allow, Ask, Deny, Place
from rove.action import AnyAction
from rove.actions.input import Click
from rove.actions.navigation import Navigate
from rove.engine.gate import Gate
from rove.guard.policy import Decision, WebOnly

PLACE = Place("default", "t1", "https://example.com/")


class OneDecision:
    """A policy that always decides the same, or raises."""

    def __init__(self, decision: Any) -> None:
        self.decision = decision

    def decide(self, action: AnyAction, place: Place) -> Decision:
        if isinstance(self.decision, Exception):
            raise self.decision
        decision: Decision = self.decision
        return decision


class ByAddress:
    """A policy with a decision for each URL."""

    def __init__(self, **decisions: Decision) -> None:
        self.decisions = decisions

    def decide(self, action: AnyAction, place: Place) -> Decision:
        return self.decisions[place.url or ""]


def decide(policy: Any, *places: Place, action: AnyAction | None = None) -> Decision:
    return Gate(policy, None, 20).decide(action or Click("e1"), places or (PLACE,))


@pytest.mark.parametrize("decision", [Allow(), Deny("Not here.", hint="Go home."), Ask("Really?")])
def test_the_decision_of_the_policy_counts(decision: Decision) -> None:
    assert decide(OneDecision(decision)) == decision


def test_a_policy_that_raises_denies() -> None:
    assert isinstance(decide(OneDecision(RuntimeError("broken"))), Deny)


@pytest.mark.parametrize("answer", [None, True, "allow", 1, object(), Allow])
def test_a_policy_that_returns_no_decision_denies(answer: object) -> None:
    assert isinstance(decide(OneDecision(answer)), Deny)


@pytest.mark.parametrize(
    ("decisions", "strictest"),
    [
        ([Allow(), Allow()], Allow()),
        ([Allow(), Ask("Really?")], Ask("Really?")),
        ([Ask("Really?"), Deny("No.")], Deny("No.")),
        ([Deny("No."), Allow()], Deny("No.")),
    ],
)
def test_of_several_places_the_strictest_decision_counts(decisions: list[Decision], strictest: Decision) -> None:
    page, frame = Place("default", "t1", "page"), Place("default", "t1", "frame")
    assert decide(ByAddress(page=decisions[0], frame=decisions[1]), page, frame) == strictest
    assert decide(ByAddress(page=decisions[1], frame=decisions[0]), page, frame) == strictest


@pytest.mark.parametrize("address", ["file:///etc/passwd", "javascript:alert(1)", "data:text/html,x"])
def test_no_policy_can_allow_an_address_that_is_not_of_the_web(address: str) -> None:
    assert isinstance(decide(OneDecision(Allow()), action=Navigate(address)), Deny)


@pytest.mark.parametrize("address", ["https://example.com", "HTTP://example.com", "http://[::1]/"])
def test_web_only_allows_the_web(address: str) -> None:
    assert WebOnly().decide(Navigate(address), PLACE) == Allow()


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "FiLe:///etc/passwd", "chrome://version", "about:blank", "javascript:alert(1)"]
)
def test_web_only_denies_every_other_address(address: str) -> None:
    assert isinstance(WebOnly().decide(Navigate(address), PLACE), Deny)


def test_web_only_allows_actions_that_load_no_address() -> None:
    assert WebOnly().decide(Click("e1"), PLACE) == Allow()
