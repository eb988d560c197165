"""A policy made of rules, and the file that it is read from: if any part is not understood, rove does not start."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import field, fields, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, cast

from rove.action import AnyAction, CompositeAction, Effect, arg, registry
from rove.advice import nearest
from rove.errors import InvalidSettings
from rove.fields import UNKNOWN, InvalidFields, Validated, build
from rove.guard.network.urls import OriginPattern, origin_text
from rove.guard.policy import Allow, Ask, Decision, Deny, Place
from rove.owned_names import mark_in, without_mark
from rove.patterns import pattern
from rove.records import dataclass
from rove.settings.toolset_file import DEFAULT_TOOLSET, parse_toml, read_toolset
from rove.settings.tree import Settings
from rove.storage.state import LoginKind

# How many decisions a policy keeps.
MOST_DECIDED = 500
Word = Literal["allow", "deny", "ask"]
STRICTNESS: Mapping[Word, int] = {"deny": 0, "ask": 1, "allow": 2}
EFFECTS = {effect.value: effect for effect in Effect}
WORDS = ("allow", "deny", "ask")
LIST_KEYS = ("action", "effect", "origin", "session", "name")
LOGIN_KINDS: tuple[LoginKind, ...] = ("state", "profile")
HINT = "Correct the file, or remove it to use the default policy; docs/policy.md describes its syntax."
_HEADER = pattern(r"^[ \t]*\[", re.MULTILINE)


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


KEYS = tuple(field.name for field in fields(PolicyRule))


@dataclass(frozen=True)
class PolicyProblem:
    """A problem in the file, and the index of the rule that it is in, or None if it is outside of all rules."""

    rule: int | None
    key: str
    why: str


def policy_from(settings: Settings) -> RulePolicy:
    """Return the policy that the settings name, or the default policy if they name none and home has none."""
    path, defaults = settings.policy_file, _toolset_defaults(settings)
    if settings.policy is None and not _exists(path):
        return RulePolicy(source=str(path), toolset_defaults=defaults)
    if path.resolve().is_relative_to(settings.workspace_folder.resolve()):
        raise InvalidSettings(
            f"The policy {path} is in the workspace, where agents can write files.", hint="Move it somewhere else."
        )
    return replace(read_policy(path), toolset_defaults=defaults)


def _toolset_defaults(settings: Settings) -> Mapping[str, Word]:
    """Return what the toolset says about actions and effects that the user's policy says nothing about."""
    if settings.toolset is None or settings.toolset == DEFAULT_TOOLSET:
        return {}
    given = read_toolset(settings.toolset, settings.home_folder).get("approval", {})
    table = cast("dict[str, Any]", given) if isinstance(given, dict) else {"approval": given}
    effects = {key: word for key, word in table.items() if key not in registry() or word not in WORDS}
    for problem in _default_problems(effects):
        raise InvalidSettings(
            f"The toolset {settings.toolset} is not valid: `{problem.key}` of [approval] {problem.why}.",
            hint="Correct the file; docs/toolsets.md describes its syntax.",
        )
    return cast("Mapping[str, Word]", table)


def read_policy(path: Path) -> RulePolicy:
    """Read a policy from a file. Raises InvalidSettings with every problem in the file."""
    try:
        data = path.read_bytes()
        tree, text = parse_toml(data), data.decode("utf-8")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise InvalidSettings(f"The policy {path} cannot be read: {why}", hint=HINT) from error
    if problems := list(_problems(tree)):
        located = "; ".join(_with_line(text, problem) for problem in problems)
        raise InvalidSettings(f"The policy {path} is not valid: {located}.", hint=HINT)
    tables: list[Mapping[str, Any]] = tree.get("rule", [])
    rules = tuple(build(PolicyRule, _with_lists(table)) for table in tables)
    defaults: Mapping[str, Word] = tree.get("default", {})
    lines = tuple(_line_of(text, index) or 0 for index in range(len(rules)))
    bindings: dict[LoginKind, tuple[LoginBinding, ...]] = {
        kind: tuple(build(LoginBinding, _with_lists(table)) for table in tree.get(kind, ())) for kind in LOGIN_KINDS
    }
    return RulePolicy(rules, defaults, str(path), lines, bindings=bindings)


def _exists(path: Path) -> bool:
    """Return whether the path exists. A broken symbolic link counts: it is an unreadable policy, not a missing one."""
    return path.exists() or path.is_symlink()


def _problems(tree: Mapping[str, Any]) -> Iterator[PolicyProblem]:
    for key in [key for key in tree if key not in ("rule", "default", *LOGIN_KINDS)]:
        known = "[[rule]], [[state]] and [[profile]] tables and one [default] table"
        yield PolicyProblem(None, key, f"is not known; a policy has {known}")
    for kind in LOGIN_KINDS:
        yield from _binding_problems(kind, tree.get(kind, []))
    default = tree.get("default", {})
    if isinstance(default, dict):
        yield from _default_problems(cast("dict[str, Any]", default))
    else:
        yield PolicyProblem(None, "default", "must be a table: [default]")
    rules = tree.get("rule", [])
    if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
        yield PolicyProblem(None, "rule", "must be an array of tables: [[rule]]")
        return
    for index, rule in enumerate(cast("list[dict[str, Any]]", rules)):
        yield from _rule_problems(index, rule)


def _binding_problems(kind: str, tables: Any) -> Iterator[PolicyProblem]:
    if not isinstance(tables, list):
        yield PolicyProblem(None, kind, f"must be an array of tables: [[{kind}]]")
        return
    for table in tables:
        try:
            build(LoginBinding, _with_lists(table) if isinstance(table, dict) else {})
        except InvalidFields as refused:
            for key, why in refused.complaints:
                yield PolicyProblem(None, f"{kind}.{key}", why if why != UNKNOWN else "is not known: name, session")


def _default_problems(default: Mapping[str, Any]) -> Iterator[PolicyProblem]:
    for effect, word in default.items():
        if effect not in EFFECTS:
            yield PolicyProblem(None, effect, f"is not an effect; there are: {', '.join(EFFECTS)}")
        elif word not in WORDS:
            yield PolicyProblem(None, effect, f"must be one of {', '.join(WORDS)}")


def _rule_problems(index: int, rule: Mapping[str, Any]) -> Iterator[PolicyProblem]:
    for key in LIST_KEYS:
        if rule.get(key) in ([], ""):
            yield PolicyProblem(index, key, "is empty; leave it out to match all")
    try:
        build(PolicyRule, _with_lists(rule))
    except InvalidFields as refused:
        for key, why in refused.complaints:
            yield PolicyProblem(index, key, _unknown_key(key) if why == UNKNOWN else why)


def _unknown_key(key: str) -> str:
    near = nearest(key, KEYS)
    mean = f" (did you mean `{near}`?)" if near else ""
    return f"is not known{mean}; a rule has: {', '.join(KEYS)}"


def _with_lists(rule: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rule with single strings turned into lists where lists are expected."""
    return {key: [value] if key in LIST_KEYS and isinstance(value, str) else value for key, value in rule.items()}


def _with_line(text: str, problem: PolicyProblem) -> str:
    key = problem.key.partition(".")[0]
    line = _line_of(text, problem.rule, key) or _line_of(text, problem.rule)
    rule = f"rule {problem.rule + 1}, " if problem.rule is not None else ""
    return f"{f'line {line}: ' if line else ''}{rule}`{problem.key}`: {problem.why}"


def _line_of(text: str, rule: int | None, key: str = "") -> int | None:
    """Find the line of a rule's header, or of a key in it, by searching the text: tomllib reports no line numbers."""
    start, end = 0, len(text)
    if rule is not None:
        headers = [match.start() for match in re.finditer(r"^[ \t]*\[\[\s*rule\s*\]\]", text, re.MULTILINE)]
        if rule >= len(headers):
            return None
        start = headers[rule]
        following = _HEADER.search(text, text.find("\n", start) + 1) if "\n" in text[start:] else None
        end = following.start() if following else len(text)
    if key:
        found = re.compile(rf"^[ \t]*\[*\s*\"?{re.escape(key)}\b", re.MULTILINE).search(text, start, end)
        if found is None:
            return None
        start = found.start()
    return text.count("\n", 0, start) + 1
