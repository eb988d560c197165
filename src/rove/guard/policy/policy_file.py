"""Reads the policy file. If any part of it is not understood, rove does not start."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, cast

from rove.action import registry
from rove.errors import InvalidSettings
from rove.guard.policy.rule_policy import EFFECTS, LoginBinding, PolicyRule, RulePolicy, Word
from rove.settings.toml_text import parse_toml
from rove.settings.toolset_file import DEFAULT_TOOLSET, read_toolset
from rove.settings.tree import Settings
from rove.states.choice import LoginKind
from rove.validation.fields import UNKNOWN, InvalidFields, build
from rove.validation.pattern import pattern
from rove.validation.record import dataclass
from rove.validation.spelling import nearest

WORDS = ("allow", "deny", "ask")
KEYS = tuple(field.name for field in fields(PolicyRule))
LIST_KEYS = ("action", "effect", "origin", "session", "name")
LOGIN_KINDS: tuple[LoginKind, ...] = ("state", "profile")
HINT = "Correct the file, or remove it to use the default policy; docs/policy.md describes its syntax."
_HEADER = pattern(r"^[ \t]*\[", re.MULTILINE)


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
