"""`rove policy`: check the policy file, and explain what it decides on an action."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from rove.action import registry
from rove.advice import nearest
from rove.errors import InvalidArguments
from rove.guard.network.addresses import OwnPorts
from rove.guard.network.host_rules import HostRules
from rove.guard.network.urls import WEB_SCHEMES, scheme_of
from rove.guard.policy import Ask, Deny
from rove.guard.policy_rules import (
    BUILT_IN_DEFAULTS,
    ActionFacts,
    PolicyRule,
    RulePolicy,
    built_in_rules,
    policy_from,
    read_policy,
)
from rove.settings.tree import Settings
from rove.target import web_address
from rove.toolsets.catalogue import PREFIX

# A command such as `rove click` runs in the daemon, which has no terminal of its own.
OF_COMMANDS = "for a command such as `rove click`, the person at its terminal, or at `rove approve` or `rove watch`"
ASKED = {
    "client": f"{OF_COMMANDS}; for `rove mcp`, the person at its client, if that can put questions to them, else the "
    "answer is no; for `rove serve`, the person at its web page",
    "terminal": f"{OF_COMMANDS}; for `rove mcp` and `rove serve`, the person at the terminal that they run in",
    "none": "no person, so the answer is no",
}


def check(settings: Settings, path: Path | None) -> int:
    """Print what the policy says. Raises InvalidSettings if it is not valid."""
    rules = read_policy(path.expanduser().absolute()) if path else policy_from(settings)
    for line in _summary(rules, settings):
        print(line)
    return 0


def explain(settings: Settings, action: str, url: str | None, session: str) -> int:
    """Print what would be decided on an action at an address, and by which rule."""
    facts = ActionFacts.of(_verb(action), session, _address(url) if url else None)
    for line in _explained(policy_from(settings), facts, settings):
        print(line)
    return 0


def _address(said: str) -> str:
    try:
        return web_address(said)
    except ValueError as error:
        raise InvalidArguments(f"`{said}` {error}.") from error


def _verb(said: str) -> str:
    verb = said.removeprefix(PREFIX).replace("-", "_")
    if verb in registry():
        return verb
    near = nearest(verb, registry())
    mean = f"Did you mean `{near}`? " if near else ""
    raise InvalidArguments(f"There is no action `{said}`.", hint=f"{mean}There are: {', '.join(registry())}.")


def _summary(rules: RulePolicy, settings: Settings) -> Iterator[str]:
    count = f"{len(rules.rules)} rule" + ("" if len(rules.rules) == 1 else "s")
    yield f"{rules.source}: {count}" if Path(rules.source).exists() else f"{rules.source} is not there"
    for number, rule in enumerate(rules.rules, 1):
        yield f"{number:3}. {_shown(rule)}"
        if not (rule.action or rule.effect or rule.origin or rule.session) and number < len(rules.rules):
            yield f"     (it matches everything, so what comes after rule {number} is never tried)"
    for kind, bindings in rules.bindings.items():
        yield from (f"     {kind} {', '.join(each.name)}: session {', '.join(each.session)}" for each in bindings)
        if bindings:
            yield f"     (other {kind}s may be used by no session)"
    if rules.defaults:
        yield f"else {_by_word(rules.defaults)}, by [default]"
    for rule in built_in_rules():
        if not set(rule.effect) <= set(rules.defaults):
            yield f"else {_shown(rule)}, by rove's own rules"
    rest = {effect.value: word for effect, word in BUILT_IN_DEFAULTS.items() if effect.value not in rules.defaults}
    if rest:
        yield f"else {_by_word(rest)}, by rove's own rules"
    yield f"Asked is {ASKED[settings.approve]} (--approve {settings.approve})."


def _by_word(defaults: Mapping[str, str]) -> str:
    words = dict.fromkeys(defaults.values())
    return "; ".join(f"{word} {', '.join(effect for effect in defaults if defaults[effect] == word)}" for word in words)


def _shown(rule: PolicyRule) -> str:
    parts = [
        ", ".join(rule.action) or "every action",
        f"with the effect {' or '.join(rule.effect)}" if rule.effect else "",
        f"at {' or '.join(rule.origin)}" if rule.origin else "",
        f"in session {' or '.join(rule.session)}" if rule.session else "",
    ]
    words = rule.reason or rule.question
    return f"{rule.decide} {' '.join(filter(None, parts))}" + (f': "{words}"' if words else "")


def _explained(rules: RulePolicy, facts: ActionFacts, settings: Settings) -> Iterator[str]:
    if facts.url and scheme_of(facts.url) not in WEB_SCHEMES:
        yield f"deny: {facts.url} is not on the web, and no rule can change that"
        return
    if facts.url and facts.origin is None:
        yield f"deny: {facts.url} is no address"
        return
    if facts.url and (
        refusal := HostRules.of(settings.allow_host, settings.only_host or None, settings.deny_host).refuse_url(
            facts.url, OwnPorts()
        )
    ):
        yield f"deny: {refusal.message}"
        yield "  decided by the guard, before any policy; what a name leads to is known only when it is looked up"
        yield f"  {refusal.hint}"
        return
    verdict = rules.verdict(facts)
    where = f" at {facts.origin}" if facts.origin else ""
    yield f"{verdict.word}: {facts.verb} (effect {verdict.effect.value}){where}, session {facts.session}"
    rule = f": {_shown(verdict.rule)}" if verdict.rule else ""
    yield f"  decided by {verdict.where}{rule}"
    decision = rules.decision(facts, verdict)
    if isinstance(decision, Deny):
        yield f"  reason given: {decision.reason}"
    if isinstance(decision, Ask):
        yield f"  question: {decision.question}"
        yield f"  asked is {ASKED[settings.approve]} (--approve {settings.approve})"
    if not facts.url and any(rule.origin for rule in (*rules.rules, *built_in_rules())):
        yield "  without an address: rules that name an origin were left out"
