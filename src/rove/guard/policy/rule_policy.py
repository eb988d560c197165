"""A policy made of rules. The first rule that matches decides; otherwise the default for the action's effect does."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import field
from functools import cache, cached_property
from typing import Literal

from rove.action import AnyAction, CompositeAction, Effect, arg, registry
from rove.guard.hosts.origins import OriginPattern, origin_text
from rove.guard.policy.policy import Allow, Ask, Decision, Deny, Place
from rove.owned_names import mark_in, without_mark
from rove.states.choice import LoginKind
from rove.validation.fields import InvalidFields, Validated
from rove.validation.record import dataclass
from rove.validation.spelling import nearest

# How many decisions a policy keeps.
MOST_DECIDED = 500
Word = Literal["allow", "deny", "ask"]
STRICTNESS: Mapping[Word, int] = {"deny": 0, "ask": 1, "allow": 2}
EFFECTS = {effect.value: effect for effect in Effect}


def _check_actions(names: tuple[str, ...]) -> tuple[str, ...]:
    return _check_known("action", names, registry())


def _check_effects(names: tuple[str, ...]) -> tuple[str, ...]:
    return _check_known("effect", names, EFFECTS)


def _check_known(what: str, names: tuple[str, ...], known: Mapping[str, object]) -> tuple[str, ...]:
    for name in names:
        if name not in known:
            near = nearest(name, known)
            mean = f" (did you mean `{near}`?)" if near else ""
            raise ValueError(f"there is no {what} `{name}`{mean}; there are: {', '.join(known)}")
    return names


def _check_origins(texts: tuple[str, ...]) -> tuple[str, ...]:
    for text in texts:
        OriginPattern.parse(text)
    return texts


@dataclass(frozen=True)
class PolicyRule(Validated):
    """What to do with actions of these names, effects, origins and sessions. A field that is left out matches all."""

    decide: Word = arg("What to do: allow, deny or ask.")
    action: tuple[str, ...] = arg("Actions.", default=(), check=_check_actions)
    effect: tuple[str, ...] = arg("Effects of actions.", default=(), check=_check_effects)
    origin: tuple[str, ...] = arg("Where it happens or goes.", default=(), check=_check_origins)
    session: tuple[str, ...] = arg("Names of sessions.", default=())
    reason: str | None = arg("What the agent is told when it is denied.", default=None)
    question: str | None = arg("What the person is asked.", default=None)

    def complete(self) -> None:
        for name, word in (("reason", "deny"), ("question", "ask")):
            if getattr(self, name) is not None and self.decide != word:
                raise InvalidFields([(name, f'is only for rules with decide = "{word}"')])
        for action in self.action:
            # An action that takes a text can name a secret, and then has the effect `secret` besides its own.
            effect = registry()[action].effect.value
            if self.effect and not {effect, Effect.SECRET.value} & set(self.effect):
                raise InvalidFields([("effect", f"`{action}` has the effect {effect}, so this rule never matches it")])

    @cached_property
    def _patterns(self) -> tuple[OriginPattern, ...]:
        return tuple(map(OriginPattern.parse, self.origin))

    def matches(self, facts: ActionFacts, effect: Effect) -> bool:
        return (
            (facts.verb in self.action if self.action else not facts.is_composite)
            and (not self.effect or effect.value in self.effect)
            and (not self.session or self._matches_session(facts.session))
            and (not self.origin or self._matches_origin(facts.origin))
        )

    def _matches_session(self, session: str) -> bool:
        """Whether a session has one of the names. What is allowed to a name is not allowed to that of another client.

        Clients of a server choose the names of their sessions; the mark that the server adds tells them apart.
        """
        return session in self.session or (self.decide != "allow" and without_mark(session) in self.session)

    def _matches_origin(self, origin: str | None) -> bool:
        return origin is not None and any(pattern.matches(origin) for pattern in self._patterns)


@dataclass(frozen=True)
class LoginBinding(Validated):
    """Which sessions may use which saved states, or which profiles. `*` stands for every session."""

    name: tuple[str, ...] = arg("States, or profiles.", min_length=1)
    session: tuple[str, ...] = arg("Sessions that may use them.", min_length=1)

    def allows(self, name: str, session: str) -> bool:
        return name in self.name and (session in self.session or "*" in self.session)


@dataclass(frozen=True)
class ActionFacts:
    """The facts that rules decide on. `url` is the URL that the action goes to, or else that of the page it acts on."""

    verb: str
    session: str
    url: str | None = None
    effects: tuple[Effect, ...] = ()

    @classmethod
    def of(cls, verb: str, session: str = "default", url: str | None = None) -> ActionFacts:
        """Return the facts of an action with this name, whatever its arguments."""
        return cls(verb, session, url, (registry()[verb].effect,))

    @property
    def is_composite(self) -> bool:
        """Whether it is a batch. Its steps are decided on one by one; a rule must name the batch to match it."""
        return issubclass(registry()[self.verb], CompositeAction)

    @cached_property
    def origin(self) -> str | None:
        return origin_text(self.url) if self.url else None


@dataclass(frozen=True)
class PolicyVerdict:
    """A decision, the rule that made it, and where that rule is written."""

    word: Word
    effect: Effect
    where: str
    rule: PolicyRule | None = None


@cache
def built_in_rules() -> tuple[PolicyRule, ...]:
    """Return rove's own rules. They are created when first needed, because parsing origins imports a library."""
    # A file that is uploaded to a server on this machine does not leave it, and testing one's own app is a main use.
    own_machine = ("localhost", "*.localhost", "127.0.0.1", "[::1]")
    return (
        PolicyRule(decide="allow", effect=("send_file",), origin=own_machine),
        # No page can read such a cookie, and who has the value of a login has the login.
        PolicyRule(decide="ask", action=("cookies",), effect=("secret",)),
    )


BUILT_IN_DEFAULTS: Mapping[Effect, Word] = {
    Effect.READ: "allow",
    Effect.ACT: "allow",
    Effect.NAVIGATE: "allow",
    Effect.SCRIPT: "allow",
    Effect.SEND_FILE: "ask",
    # The owner has consented by binding each secret to its origins, in a file that neither page nor agent can write.
    Effect.SECRET: "allow",
    Effect.SPAWN: "allow",
    # It only asks, and the person decides whether to take over.
    Effect.HANDOFF: "allow",
}


@dataclass(frozen=True)
class RulePolicy:
    """The owner's rules and defaults for effects, then those of the toolset, then rove's own rules and defaults."""

    rules: tuple[PolicyRule, ...] = ()
    defaults: Mapping[str, Word] = field(default_factory=dict[str, Word])
    source: str = "policy.toml"
    lines: tuple[int, ...] = ()
    toolset_defaults: Mapping[str, Word] = field(default_factory=dict[str, Word])
    # By kind. Of a kind that is bound at all, a session may use only what is bound to it.
    bindings: Mapping[LoginKind, tuple[LoginBinding, ...]] = field(
        default_factory=dict["LoginKind", tuple[LoginBinding, ...]]
    )

    def decide(self, action: AnyAction, place: Place) -> Decision:
        for use in action.logins:
            session = place.session if use.session is None else use.session + mark_in(place.session)
            if not self.may_use(use.kind, use.name, session):
                return Deny(
                    f"The policy does not let the session {session or '(new)'} use the {use.kind} {use.name}.",
                    hint=f"The owner binds them to sessions with [[{use.kind}]] tables in {self.source}.",
                )
        facts = ActionFacts(action.verb, place.session, action.destination or place.url, action.effects)
        if action.destination and facts.origin is None and any(rule.origin for rule in self.rules):
            return Deny(f"The policy cannot decide on an invalid address: {action.destination[:200]}")
        key = (facts.verb, facts.session, facts.url, facts.effects)
        if (decided := self._decided.get(key)) is None:
            if len(self._decided) >= MOST_DECIDED:
                self._decided.clear()
            decided = self._decided[key] = self.decision(facts, self.verdict(facts))
        return decided

    @cached_property
    def _decided(self) -> dict[Hashable, Decision]:
        """What was decided: the same action is decided on several times in a call, and rules do not change."""
        return {}

    def may_use(self, kind: LoginKind, name: str, session: str) -> bool:
        """Whether a session may use a state or a profile, as far as bindings decide that."""
        bindings = self.bindings.get(kind, ())
        return not bindings or any(binding.allows(name, session) for binding in bindings)

    def verdict(self, facts: ActionFacts) -> PolicyVerdict:
        """Return the strictest verdict over the effects of the action."""
        verdicts = (self._verdict(facts, effect) for effect in facts.effects)
        return min(verdicts, key=lambda verdict: STRICTNESS[verdict.word])

    def _verdict(self, facts: ActionFacts, effect: Effect) -> PolicyVerdict:
        for index, rule in enumerate(self.rules):
            if rule.matches(facts, effect):
                return PolicyVerdict(rule.decide, effect, self._where(index), rule)
        if facts.verb in self.toolset_defaults and effect.value not in self.defaults:
            return PolicyVerdict(self.toolset_defaults[facts.verb], effect, "[approval] of the toolset")
        if facts.is_composite:
            return PolicyVerdict("allow", effect, "each of its steps is decided on by itself")
        if effect.value in self.defaults:
            return PolicyVerdict(self.defaults[effect.value], effect, f"[default] in {self.source}")
        if effect.value in self.toolset_defaults:
            return PolicyVerdict(self.toolset_defaults[effect.value], effect, "[approval] of the toolset")
        for rule in built_in_rules():
            if rule.matches(facts, effect):
                return PolicyVerdict(rule.decide, effect, "rove's own rules", rule)
        # An effect without a default is asked about.
        return PolicyVerdict(BUILT_IN_DEFAULTS.get(effect, "ask"), effect, "rove's own defaults")

    def decision(self, facts: ActionFacts, verdict: PolicyVerdict) -> Decision:
        """Return the decision for a verdict, with the reason for the agent or the question for the person."""
        where = f" at {facts.origin}" if facts.origin else ""
        if verdict.word == "allow":
            return Allow()
        if verdict.word == "deny":
            own = verdict.rule.reason if verdict.rule else None
            reason = own or f"The policy does not allow `{facts.verb}`{where}."
            return Deny(reason, hint=f"The owner decided this ({verdict.where}); do not try to get around it.")
        own = verdict.rule.question if verdict.rule else None
        return Ask(own or f"May the agent {_description(facts, verdict)}{where}?", hint=self._how_to_allow(facts))

    def _where(self, index: int) -> str:
        line = f", line {self.lines[index]}" if index < len(self.lines) else ""
        return f"rule {index + 1} of {self.source}{line}"

    def _how_to_allow(self, facts: ActionFacts) -> str:
        origin = f', origin = "{facts.origin}"' if facts.origin else ""
        return (
            f'Tell the owner: a [[rule]] with decide = "allow", action = "{facts.verb}"{origin} in {self.source} '
            "allows it. With `--approve terminal`, or an MCP client that supports elicitation, rove can ask a person, "
            "but not in `rove map`."
        )


def _description(facts: ActionFacts, verdict: PolicyVerdict) -> str:
    descriptions = {
        Effect.SEND_FILE: "write saved logins to a file, not encrypted"
        if facts.verb == "export_state"
        else "send files of the workspace to a page",
        Effect.SCRIPT: "run a script in the page" if facts.verb == "evaluate" else f"do `{facts.verb}`",
        Effect.SECRET: "read the value of a cookie that is hidden from scripts, such as a login"
        if facts.verb == "cookies"
        else f"use a secret or saved logins (`{facts.verb}`)",
        Effect.SPAWN: "start a browser session",
    }
    if facts.is_composite and facts.verb == "batch":
        return "run these actions, one after the other"
    return descriptions.get(verdict.effect, f"do `{facts.verb}`")
