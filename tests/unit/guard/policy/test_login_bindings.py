"""Which sessions may use which saved states and profiles; what is not understood or not bound is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove.action import AnyAction
from rove.actions.navigation import Navigate
from rove.actions.sessions import OpenSession
from rove.actions.states import DeleteState, ExportState, LoadState, SaveState
from rove.errors import InvalidSettings
from rove.guard.policy import Allow, Ask, Deny, Place
from rove.guard.policy_rules import RulePolicy, read_policy

BOUND = """
[[state]]
name = "bank"
session = ["money", "taxes"]

[[state]]
name = ["news", "weather"]
session = "*"

[[profile]]
name = "work"
session = "office"
"""


@pytest.fixture
def policy(tmp_path: Path) -> RulePolicy:
    path = tmp_path / "policy.toml"
    path.write_text(BOUND)
    return read_policy(path)


@pytest.mark.parametrize(
    ("action", "session", "decision"),
    [
        (LoadState(name="bank"), "money", Allow),
        (LoadState(name="bank"), "default", Deny),
        (SaveState(name="bank"), "default", Deny),
        (DeleteState(name="bank"), "default", Deny),
        (ExportState(name="bank"), "default", Deny),
        (ExportState(name="bank"), "money", Ask),
        (LoadState(name="news"), "default", Allow),
        (LoadState(name="unbound"), "money", Deny),
        # The session that counts is the one that is opened, not the one that asks for it.
        (OpenSession(name="taxes", state="bank"), "default", Allow),
        (OpenSession(name="other", state="bank"), "money", Deny),
        (OpenSession(state="bank"), "money", Deny),
        (OpenSession(state="news"), "money", Allow),
        (OpenSession(name="office", profile="work"), "default", Allow),
        (OpenSession(name="home", profile="work"), "office", Deny),
        (OpenSession(name="office", profile="unbound"), "office", Deny),
        (OpenSession(name="home"), "office", Allow),
        (Navigate(url="https://bank.example"), "default", Allow),
    ],
)
def test_a_state_is_used_only_by_the_sessions_that_it_is_bound_to(
    policy: RulePolicy, action: AnyAction, session: str, decision: type
) -> None:
    assert isinstance(policy.decide(action, Place(session)), decision)


def test_without_bindings_the_effect_decides() -> None:
    assert isinstance(RulePolicy().decide(LoadState(name="bank"), Place("any")), Allow)
    asked = RulePolicy().decide(ExportState(name="bank"), Place("any"))
    assert isinstance(asked, Ask)
    assert "not encrypted" in asked.question
    strict = RulePolicy(defaults={"secret": "deny"})
    assert isinstance(strict.decide(OpenSession(state="bank"), Place("any")), Deny)
    assert isinstance(strict.decide(OpenSession(), Place("any")), Allow)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('[[state]]\nname = "bank"', "state.session"),
        ('[[state]]\nsession = "a"', "state.name"),
        ('[[state]]\nname = []\nsession = "a"', "state.name"),
        ('[[state]]\nname = "bank"\nsesion = "a"', "sesion"),
        ('[state]\nname = "bank"\nsession = "a"', "[[state]]"),
        ("state = [1]", "state"),
        ('[[states]]\nname = "bank"', "states"),
    ],
)
def test_a_binding_that_is_not_understood_stops_the_start(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(text)
    with pytest.raises(InvalidSettings) as refused:
        read_policy(path)
    assert named in refused.value.message
