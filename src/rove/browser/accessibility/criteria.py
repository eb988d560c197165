"""The tags of axe-core's rules as the standards that they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from rove.page_text import Own

Level = Literal["a", "aa", "aaa"]
# The tags of axe-core by the level of WCAG 2.2, each with those of the levels below it.
_A = ("wcag2a", "wcag21a", "wcag22a")
_AA = (*_A, "wcag2aa", "wcag21aa", "wcag22aa")
LEVEL_TAGS: dict[Level, tuple[str, ...]] = {"a": _A, "aa": _AA, "aaa": (*_AA, "wcag2aaa", "wcag21aaa", "wcag22aaa")}
_LEVEL = re.compile(r"wcag(2|21|22)(a{1,3})(?:-obsolete)?$")
_CRITERION = re.compile(r"wcag(\d)(\d)(\d+)$")
_VERSIONS = {"2": "2.0", "21": "2.1", "22": "2.2"}


def criteria(tags: Iterable[str]) -> tuple[Own, ...]:
    """Return what a rule is part of: `WCAG 2.0 AA`, `1.4.3`; or `best practice` where no standard asks for it."""
    named = [*_levels(tags), *_numbers(tags)]
    return tuple(map(Own, named)) or (Own("best practice" if "best-practice" in tags else "other standard"),)


def _levels(tags: Iterable[str]) -> Iterator[str]:
    for match in filter(None, map(_LEVEL.match, tags)):
        yield f"WCAG {_VERSIONS[match[1]]} {match[2].upper()}"


def _numbers(tags: Iterable[str]) -> Iterator[str]:
    for match in filter(None, map(_CRITERION.match, tags)):
        yield f"{match[1]}.{match[2]}.{match[3]}"


def chosen_rules(
    level: Level | None, tags: Sequence[str], rules: Sequence[str], without: Sequence[str]
) -> dict[str, object]:
    """Return axe-core's options for the rules to run; all that are not experimental, if nothing is chosen."""
    options: dict[str, object] = {}
    chosen = (*(LEVEL_TAGS[level] if level else ()), *tags)
    if chosen:
        options["runOnly"] = {"type": "tag", "values": list(chosen)}
    elif rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    switched = {**(dict.fromkeys(rules, True) if chosen else {}), **dict.fromkeys(without, False)}
    if switched:
        options["rules"] = {rule: {"enabled": is_on} for rule, is_on in switched.items()}
    return options
