"""The policy as a file. What is not understood, however little, stops the start: no policy is guessed at."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

from rove.errors import InvalidSettings
from rove.fields import UNKNOWN, InvalidFields, build
from rove.guard.policy.rule_policy import EFFECTS, PolicyRule, RulePolicy, Word
from rove.pattern import pattern
from rove.record import dataclass
from rove.settings import Settings
from rove.spelling import nearest

WORDS = ("allow", "deny", "ask")
KEYS = tuple(field.name for field in fields(PolicyRule))
LISTS = ("action", "effect", "origin", "session")
HINT = "Mend it, or remove it to have the default policy; docs/policy.md has the whole of its grammar."
_HEADER = pattern(r"^[ \t]*\[", re.MULTILINE)


@dataclass(frozen=True)
class Complaint:
    """What is wrong, and where: the nth rule, or None for what stands in no rule."""

    rule: int | None
    key: str
    why: str


def policy_from(settings: Settings) -> RulePolicy:
    """The policy that the settings name, or the default one if they name none and none lies in home."""
    path = settings.policy_file
    if settings.policy is None and not _is_there(path):
        return RulePolicy(source=str(path))
    if path.resolve().is_relative_to(settings.workspace_folder.resolve()):
        raise InvalidSettings(
            f"The policy {path} lies in the workspace, where an agent's files go.", hint="Keep it somewhere else."
        )
    return read_policy(path)


def read_policy(path: Path) -> RulePolicy:
    """The policy in a file, or an error that names every place that is wrong."""
    import tomllib  # most people have no such file

    try:
        text = path.read_text(encoding="utf-8")
        tree = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise InvalidSettings(f"The policy {path} cannot be read: {why}", hint=HINT) from error
    if complaints := list(_complaints(tree)):
        located = "".join(f"\n  {_located(text, complaint)}" for complaint in complaints)
        raise InvalidSettings(f"The policy {path} is not valid:{located}", hint=HINT)
    tables: list[Mapping[str, Any]] = tree.get("rule", [])
    rules = tuple(build(PolicyRule, _listed(table)) for table in tables)
    defaults: Mapping[str, Word] = tree.get("default", {})
    lines = tuple(_line_of(text, index) or 0 for index in range(len(rules)))
    return RulePolicy(rules, defaults, str(path), lines)


def _is_there(path: Path) -> bool:
    """Whether there is anything by that name: a link to nowhere is a broken policy, not none."""
    return path.exists() or path.is_symlink()


def _complaints(tree: Mapping[str, Any]) -> Iterator[Complaint]:
    for key in [key for key in tree if key not in ("rule", "default")]:
        yield Complaint(None, key, "is not known; a policy has [[rule]] tables and one [default]")
    default = tree.get("default", {})
    if isinstance(default, dict):
        yield from _default_complaints(cast("dict[str, Any]", default))
    else:
        yield Complaint(None, "default", "must be a table: [default]")
    rules = tree.get("rule", [])
    if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
        yield Complaint(None, "rule", "must be tables with two brackets each: [[rule]]")
        return
    for index, rule in enumerate(cast("list[dict[str, Any]]", rules)):
        yield from _rule_complaints(index, rule)


def _default_complaints(default: Mapping[str, Any]) -> Iterator[Complaint]:
    for effect, word in default.items():
        if effect not in EFFECTS:
            yield Complaint(None, effect, f"is no effect; there are: {', '.join(EFFECTS)}")
        elif word not in WORDS:
            yield Complaint(None, effect, f"must be one of {', '.join(WORDS)}")


def _rule_complaints(index: int, rule: Mapping[str, Any]) -> Iterator[Complaint]:
    for key in LISTS:
        if rule.get(key) in ([], ""):
            yield Complaint(index, key, "is empty; leave it out to match all")
    try:
        build(PolicyRule, _listed(rule))
    except InvalidFields as refused:
        for key, why in refused.complaints:
            yield Complaint(index, key, _unknown(key) if why == UNKNOWN else why)


def _unknown(key: str) -> str:
    near = nearest(key, KEYS)
    mean = f" (did you mean `{near}`?)" if near else ""
    return f"is not known{mean}; a rule has: {', '.join(KEYS)}"


def _listed(rule: Mapping[str, Any]) -> dict[str, Any]:
    """One word where several may stand is a list of one."""
    return {key: [value] if key in LISTS and isinstance(value, str) else value for key, value in rule.items()}


def _located(text: str, complaint: Complaint) -> str:
    key = complaint.key.partition(".")[0]
    line = _line_of(text, complaint.rule, key) or _line_of(text, complaint.rule)
    rule = f"rule {complaint.rule + 1}, " if complaint.rule is not None else ""
    return f"{f'line {line}: ' if line else ''}{rule}`{complaint.key}`: {complaint.why}"


def _line_of(text: str, rule: int | None, key: str = "") -> int | None:
    """The line of a rule's header, or of a key in it; what TOML's parser does not tell, and so a good guess."""
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
