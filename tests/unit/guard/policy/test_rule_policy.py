"""Policy rules are tried in order, and the first that matches decides."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rove import Allow, Ask, Deny, Place, PolicyRule, RulePolicy
from rove.action import CompositeAction, Effect, parse, registry
from rove.actions.files import Upload
from rove.actions.forms import Fill
from rove.actions.input import Click
from rove.actions.navigation import Navigate
from rove.fields import InvalidFields
from rove.guard.policy_rules import BUILT_IN_DEFAULTS, ActionFacts, Word

SHOP = Place("default", "t1", "https://shop.example/cart")
CLICK = Click("e1")
VERBS = [verb for verb, cls in registry().items() if not issubclass(cls, CompositeAction)]


def rule(decide: Word, **conditions: Any) -> PolicyRule:
    return PolicyRule(decide, **conditions)


def decided(*rules: PolicyRule, place: Place = SHOP, action: Any = CLICK, **defaults: Word) -> str:
    decision = RulePolicy(rules, defaults).decide(action, place)
    return type(decision).__name__.lower()


def test_the_first_rule_that_matches_decides() -> None:
    assert decided(rule("deny", action=("fill",)), rule("ask", effect=("act",)), rule("deny")) == "ask"


@pytest.mark.parametrize(
    ("conditions", "matches"),
    [
        ({}, True),
        ({"action": ("click", "fill")}, True),
        ({"action": ("fill",)}, False),
        ({"effect": ("act",)}, True),
        ({"effect": ("read", "navigate")}, False),
        ({"origin": ("https://shop.example",)}, True),
        ({"origin": ("https://shop.example:8443", "https://*.shop.example")}, False),
        ({"session": ("default",)}, True),
        ({"session": ("work",)}, False),
        ({"action": ("click",), "origin": ("shop.example",), "session": ("default",)}, True),
        ({"action": ("click",), "origin": ("other.example",), "session": ("default",)}, False),
    ],
)
def test_a_rule_matches_only_if_all_of_its_conditions_do(conditions: dict[str, Any], matches: bool) -> None:
    assert decided(rule("deny", **conditions)) == ("deny" if matches else "allow")


def test_an_action_with_a_destination_happens_at_the_destination() -> None:
    navigate = Navigate("https://other.example/")
    assert decided(rule("deny", origin=("other.example",)), action=navigate) == "deny"
    assert decided(rule("deny", origin=("shop.example",)), action=navigate) == "allow"


@pytest.mark.parametrize("url", [None, "about:blank", "data:text/html,x", "null"])
def test_a_rule_with_an_origin_does_not_match_a_page_without_one(url: str | None) -> None:
    without_origin = Place("default", "t1", url)
    assert decided(rule("allow", origin=("*",)), rule("deny"), place=without_origin) == "deny"


@pytest.mark.parametrize("address", ["https://a:99999/", "http://[::1/", "https:///"])
def test_an_invalid_destination_is_denied_if_a_rule_names_origins(address: str) -> None:
    action = Navigate("https://example.com/")
    action.__dict__["url"] = address  # no action can be made with it, but a rule must not depend on that
    assert decided(rule("allow", origin=("*",)), action=action) == "deny"


def test_the_owners_default_for_an_effect_applies_after_rules_and_before_built_in_rules() -> None:
    upload = Upload("e1", ("notes.txt",))
    local = Place("default", "t1", "http://localhost:3000/")
    assert decided(action=upload, place=local) == "allow"
    assert decided(action=upload, place=local, send_file="deny") == "deny"
    assert decided(rule("ask", action=("upload",)), action=upload, place=local, send_file="deny") == "ask"


def test_by_default_the_public_web_is_allowed_and_uploads_are_asked_about() -> None:
    for verb in VERBS:
        verdict = RulePolicy().verdict(ActionFacts.of(verb, "default", "https://example.com/"))
        assert verdict.word == ("ask" if registry()[verb].effect is Effect.SEND_FILE else "allow"), verb


@pytest.mark.parametrize("effect", list(Effect))
def test_every_effect_has_a_default(effect: Effect) -> None:
    assert effect in BUILT_IN_DEFAULTS


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("http://localhost:3000/", "allow"),
        ("http://app.localhost/", "allow"),
        ("http://127.0.0.1:8000/", "allow"),
        ("http://[::1]:8000/", "allow"),
        ("http://localhost.example.com/", "ask"),
        ("http://127.0.0.1.example.com/", "ask"),
        ("http://notlocalhost/", "ask"),
        ("http://192.168.0.1/", "ask"),
        ("about:blank", "ask"),
        (None, "ask"),
    ],
)
def test_uploads_are_allowed_without_a_question_only_to_this_machine(url: str | None, word: str) -> None:
    assert RulePolicy().verdict(ActionFacts.of("upload", "default", url)).word == word


@pytest.mark.parametrize(
    ("rules", "word"),
    [
        ((), "allow"),
        ((rule("deny", effect=("secret",)),), "deny"),
        ((rule("ask", effect=("act",)),), "ask"),
        # Permission to act is not permission to use secrets, and the reverse.
        ((rule("allow", effect=("act",)), rule("deny")), "deny"),
        ((rule("allow", effect=("secret",)), rule("ask")), "ask"),
        ((rule("allow", effect=("secret", "act")), rule("deny")), "allow"),
        ((rule("deny", action=("fill",), effect=("secret",)),), "deny"),
    ],
)
def test_an_action_with_a_secret_needs_permission_for_both_of_its_effects(
    rules: tuple[PolicyRule, ...], word: str
) -> None:
    assert decided(*rules, action=Fill("e1", "secret:bank")) == word
    assert decided(rule("deny", effect=("secret",)), action=Fill("e1", "plain")) == "allow"


def test_only_a_rule_that_names_batch_matches_a_batch() -> None:
    batch = parse("batch", {"steps": [{"action": "status"}]})
    assert decided(rule("deny"), action=batch, act="deny") == "allow"
    assert decided(rule("deny", effect=("act",)), action=batch) == "allow"
    assert decided(rule("ask", action=("batch",)), action=batch) == "ask"


def test_a_denial_gives_the_owners_reason_and_names_the_rule() -> None:
    rules = RulePolicy((rule("deny", reason="Not with money."),), source="/home/policy.toml", lines=(7,))
    decision = rules.decide(CLICK, SHOP)
    assert isinstance(decision, Deny)
    assert decision.reason == "Not with money."
    assert "rule 1 of /home/policy.toml, line 7" in (decision.hint or "")


def test_a_question_is_the_owners_and_its_hint_says_how_to_allow_it() -> None:
    rules = RulePolicy((rule("ask", question="Buy this?"),), source="/home/policy.toml")
    decision = rules.decide(CLICK, SHOP)
    assert isinstance(decision, Ask)
    assert decision.question == "Buy this?"
    for words in ("/home/policy.toml", 'action = "click"', 'origin = "https://shop.example"', "--approve terminal"):
        assert words in (decision.hint or "")


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("decide", {"decide": "perhaps"}),
        ("action", {"decide": "deny", "action": ("clik",)}),
        ("effect", {"decide": "deny", "effect": ("fly",)}),
        ("origin", {"decide": "deny", "origin": ("exa*mple.com",)}),
        ("session", {"decide": "deny", "session": 7}),
        ("reason", {"decide": "allow", "reason": "because"}),
        ("question", {"decide": "deny", "question": "really?"}),
        ("effect", {"decide": "deny", "action": ("click",), "effect": ("read",)}),
    ],
)
def test_an_invalid_rule_cannot_be_created(field: str, values: dict[str, Any]) -> None:
    with pytest.raises(InvalidFields) as caught:
        PolicyRule(**values)
    assert [where for where, _ in caught.value.complaints] == [field]


WORDS = st.sampled_from(["allow", "deny", "ask"])
RULES = st.builds(
    lambda word, verbs, hosts, sessions: PolicyRule(
        word, action=tuple(verbs), origin=tuple(f"https://{host}.example" for host in hosts), session=tuple(sessions)
    ),
    WORDS,
    st.lists(st.sampled_from(VERBS), max_size=2),
    st.lists(st.sampled_from("abc"), max_size=2),
    st.lists(st.sampled_from(["one", "two"]), max_size=1),
)


@given(st.lists(RULES, max_size=5), st.sampled_from(VERBS), st.sampled_from("abcd"), st.sampled_from(["one", "two"]))
def test_a_list_of_rules_decides_as_its_first_match_does_alone(
    rules: list[PolicyRule], verb: str, host: str, session: str
) -> None:
    facts = ActionFacts.of(verb, session, f"https://{host}.example/")
    first = next((each for each in rules if each.matches(facts, registry()[verb].effect)), None)
    verdict = RulePolicy(tuple(rules)).verdict(facts)
    assert verdict.rule is first or first is None
    assert verdict.word == (RulePolicy((first,)) if first else RulePolicy()).verdict(facts).word


@given(st.lists(RULES, max_size=5), st.sampled_from(VERBS))
def test_a_first_rule_that_denies_everything_denies_everything(rules: list[PolicyRule], verb: str) -> None:
    facts = ActionFacts.of(verb, "one", "https://a.example/")
    assert RulePolicy((PolicyRule("deny"), *rules)).verdict(facts).word == "deny"


def test_a_rule_that_allows_returns_allow() -> None:
    assert RulePolicy((rule("allow"),)).decide(CLICK, SHOP) == Allow()
