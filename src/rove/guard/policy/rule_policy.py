"""A policy made of rules: tried in order, the first that matches decides; then what is said of each effect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cache, cached_property
from typing import Literal

from rove.action import AnyAction, CompositeAction, Effect, arg, registry
from rove.fields import InvalidFields, Validated
from rove.guard.hosts.origins import OriginPattern, origin_text
from rove.guard.policy.policy import Allow, Ask, Decision, Deny, Place
from rove.record import dataclass
from rove.spelling import nearest

Word = Literal["allow", "deny", "ask"]
STRICTEST: Mapping[Word, int] = {"deny": 0, "ask": 1, "allow": 2}
EFFECTS = {effect.value: effect for effect in Effect}


def _actions(names: tuple[str, ...]) -> tuple[str, ...]:
    return _known("action", names, registry())


def _effects(names: tuple[str, ...]) -> tuple[str, ...]:
    return _known("effect", names, EFFECTS)


def _known(what: str, names: tuple[str, ...], known: Mapping[str, object]) -> tuple[str, ...]:
    for name in names:
        if name not in known:
            near = nearest(name, known)
            mean = f" (did you mean `{near}`?)" if near else ""
            raise ValueError(f"there is no {what} `{name}`{mean}; there are: {', '.join(known)}")
    return names


def _origins(texts: tuple[str, ...]) -> tuple[str, ...]:
    for text in texts:
        OriginPattern.parse(text)
    return texts


@dataclass(frozen=True)
class PolicyRule(Validated):
    """What to do with actions of these names, effects, origins and sessions; what is not given matches all."""

    decide: Word = arg("What to do: allow, deny or ask.")
    action: tuple[str, ...] = arg("Actions.", default=(), check=_actions)
    effect: tuple[str, ...] = arg("Effects of actions.", default=(), check=_effects)
    origin: tuple[str, ...] = arg("Where it happens or goes.", default=(), check=_origins)
    session: tuple[str, ...] = arg("Names of sessions.", default=())
    reason: str | None = arg("Said when it is denied.", default=None)
    question: str | None = arg("Put to the person who is asked.", default=None)

    def complete(self) -> None:
        for name, word in (("reason", "deny"), ("question", "ask")):
            if getattr(self, name) is not None and self.decide != word:
                raise InvalidFields([(name, f'goes with decide = "{word}" alone')])
        for action in self.action:
            # A secret can be named in any action that takes a text: an effect beside its own.
            effect = registry()[action].effect.value
            if self.effect and not {effect, Effect.SECRET.value} & set(self.effect):
                raise InvalidFields([("effect", f"`{action}` has the effect {effect}, so this can never match it")])

    @cached_property
    def _patterns(self) -> tuple[OriginPattern, ...]:
        return tuple(map(OriginPattern.parse, self.origin))

    def matches(self, facts: ActionFacts, effect: Effect) -> bool:
        return (
            (facts.verb in self.action if self.action else not facts.is_made_of_others)
            and (not self.effect or effect.value in self.effect)
            and (not self.session or facts.session in self.session)
            and (not self.origin or self._matches_origin(facts.origin))
        )

    def _matches_origin(self, origin: str | None) -> bool:
        return origin is not None and any(pattern.matches(origin) for pattern in self._patterns)


@dataclass(frozen=True)
class ActionFacts:
    """What rules decide on. An action happens where it goes to, or else on the page that it acts on."""

    verb: str
    session: str
    url: str | None = None
    effects: tuple[Effect, ...] = ()

    @classmethod
    def of(cls, verb: str, session: str = "default", url: str | None = None) -> ActionFacts:
        """Of an action of that name, whatever its arguments."""
        return cls(verb, session, url, (registry()[verb].effect,))

    @property
    def is_made_of_others(self) -> bool:
        """A batch is decided on step by step; a rule means the whole of it only if it names it."""
        return issubclass(registry()[self.verb], CompositeAction)

    @cached_property
    def origin(self) -> str | None:
        return origin_text(self.url) if self.url else None


@dataclass(frozen=True)
class PolicyVerdict:
    """What was decided, by which rule, and where that stands."""

    word: Word
    effect: Effect
    where: str
    rule: PolicyRule | None = None


@cache
def built_in_rules() -> tuple[PolicyRule, ...]:
    """Rove's own, made when first needed, as reading an origin takes a moment to import."""
    # What is sent to this machine's own programs does not leave it, and testing the app that one writes is a main use.
    own_machine = ("localhost", "*.localhost", "127.0.0.1", "[::1]")
    return (PolicyRule(decide="allow", effect=("send_file",), origin=own_machine),)


HOUSE_DEFAULTS: Mapping[Effect, Word] = {
    Effect.READ: "allow",
    Effect.ACT: "allow",
    Effect.NAVIGATE: "allow",
    Effect.SCRIPT: "allow",
    Effect.SEND_FILE: "ask",
    # The owner has bound each to its origins, in a file that neither page nor agent can write: that is consent.
    Effect.SECRET: "allow",
    Effect.SPAWN: "allow",
}


@dataclass(frozen=True)
class RulePolicy:
    """Rules of the owner, then what they say of effects, then what rove does by itself."""

    rules: tuple[PolicyRule, ...] = ()
    defaults: Mapping[str, Word] = field(default_factory=dict[str, Word])
    source: str = "policy.toml"
    lines: tuple[int, ...] = ()

    def decide(self, action: AnyAction, place: Place) -> Decision:
        facts = ActionFacts(action.verb, place.session, action.destination or place.url, action.effects)
        if action.destination and facts.origin is None and any(rule.origin for rule in self.rules):
            return Deny(f"No rule can be tried on what is no address: {action.destination[:200]}")
        return self.said(facts, self.verdict(facts))

    def verdict(self, facts: ActionFacts) -> PolicyVerdict:
        """Which rule decides, and how; where an action has two effects, the stricter word that is said of either."""
        return min((self._verdict(facts, effect) for effect in facts.effects), key=lambda said: STRICTEST[said.word])

    def _verdict(self, facts: ActionFacts, effect: Effect) -> PolicyVerdict:
        for index, rule in enumerate(self.rules):
            if rule.matches(facts, effect):
                return PolicyVerdict(rule.decide, effect, self._where(index), rule)
        if facts.is_made_of_others:
            return PolicyVerdict("allow", effect, "each of its steps is decided on by itself")
        if effect.value in self.defaults:
            return PolicyVerdict(self.defaults[effect.value], effect, f"[default] in {self.source}")
        for rule in built_in_rules():
            if rule.matches(facts, effect):
                return PolicyVerdict(rule.decide, effect, "rove's own rules", rule)
        # An effect that nobody has thought of is asked about.
        return PolicyVerdict(HOUSE_DEFAULTS.get(effect, "ask"), effect, "rove's own defaults")

    def said(self, facts: ActionFacts, verdict: PolicyVerdict) -> Decision:
        """The verdict in words for whoever hears it."""
        where = f" at {facts.origin}" if facts.origin else ""
        if verdict.word == "allow":
            return Allow()
        if verdict.word == "deny":
            own = verdict.rule.reason if verdict.rule else None
            reason = own or f"The policy does not allow `{facts.verb}`{where}."
            return Deny(reason, hint=f"The owner decided so ({verdict.where}); do not try another way round it.")
        own = verdict.rule.question if verdict.rule else None
        return Ask(own or f"May the agent {_in_words(facts, verdict)}{where}?", hint=self._how_to_allow(facts))

    def _where(self, index: int) -> str:
        line = f", line {self.lines[index]}" if index < len(self.lines) else ""
        return f"rule {index + 1} of {self.source}{line}"

    def _how_to_allow(self, facts: ActionFacts) -> str:
        origin = f', origin = "{facts.origin}"' if facts.origin else ""
        return (
            f'Tell the owner: a [[rule]] with decide = "allow", action = "{facts.verb}"{origin} in {self.source} '
            "allows it; `--approve terminal`, or an MCP client that can put questions to people, lets them be asked."
        )


def _in_words(facts: ActionFacts, verdict: PolicyVerdict) -> str:
    words = {
        Effect.SEND_FILE: "send files of the workspace to a page",
        Effect.SCRIPT: "run a script in the page",
        Effect.SECRET: "use a secret",
    }
    return words.get(verdict.effect, f"do `{facts.verb}`")
