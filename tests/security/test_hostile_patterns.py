"""A page cannot hold the server up: each pattern that pages are searched with takes time in proportion to their length.

`re` runs with the interpreter locked: while one search goes on, no other session is answered.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import sys
import time
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, AnyStr

import rove.actions
import rove.content
import rove.engine.web_client
import rove.engine.web_reading
from rove.content.http.browser_needed import SIGNS
from rove.content.readable.facts import LONGEST_LINE
from rove.patterns import Pattern

PACKAGES = (rove.content, rove.actions)
MODULES = (rove.engine.web_client, rove.engine.web_reading)
INLINE = frozenset(["search", "match", "fullmatch", "sub", "split", "findall", "finditer"])
# Seconds that a search of so many repetitions may take if it is to be called short; a slow one is many times over.
SHORT = 0.03
REPETITIONS = (4, 8, 16, 32, 64, 128, 512, 2048, 4096)
MOST_PUMPS = 60
# Patterns that only the beginning of a text is searched with.
LOOKED_AT = {
    "rove.content.http.answer._META": 1024,
    "rove.content.http.answer._XML": 1024,
    "rove.content.readable.facts._BEFORE_DATE": LONGEST_LINE,
    "rove.content.structured.offers._MADE_UP": 62,
}
ANCHORED = frozenset(["match", "fullmatch"])
REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)


def _modules() -> Iterator[Any]:
    for package in PACKAGES:
        yield package
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield importlib.import_module(found.name)
    yield from MODULES


def _patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Yield each pattern of a module, those written where they are used, and those of the signs of walls."""
    for module in _modules():
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern | Pattern):
                yield f"{module.__name__}.{name}", value if isinstance(value, re.Pattern) else value.compiled
        for node in ast.walk(ast.parse(Path(module.__file__).read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {f"re.{name}" for name in INLINE}:
                given = node.args[0]
                if isinstance(given, ast.Constant) and isinstance(given.value, str):
                    yield f"{module.__name__}:{node.lineno}", re.compile(given.value)
    for sign in SIGNS:
        for text in filter(None, (sign.value, sign.body, sign.words)):
            yield f"{sign.vendor}: {text[:40]}", re.compile(text, re.IGNORECASE | re.DOTALL)


def _sample(node: Any) -> str:
    """Return a short text that a part of a pattern matches."""
    if isinstance(node, parser.SubPattern | list):
        return "".join(_sample(each) for each in node)
    code, value = node
    if code is codes.LITERAL:
        return chr(value)
    if code is codes.NOT_LITERAL:
        return "a" if value != ord("a") else "b"
    if code is codes.ANY:
        return "a"
    if code is codes.IN:
        return _of_class(value)
    if code in REPEATS:
        return _sample(value[2]) * max(int(value[0]), 1)
    if code is codes.SUBPATTERN:
        return _sample(value[3])
    if code is codes.ATOMIC_GROUP:
        return _sample(value)
    return _sample(value[1][0]) if code is codes.BRANCH else ""


def _of_class(members: Any) -> str:
    sure = "".join(chr(each) for each in range(32, 127))
    is_negated = members[0][0] is codes.NEGATE
    inside = {character for character in sure for member in members if _is_member(character, member)}
    found = [each for each in "a1 <" + sure if (each in inside) != is_negated]
    first = next((chr(value) for code, value in members if code is codes.LITERAL), "a")
    return found[0] if found else first


def _is_member(character: str, member: Any) -> bool:
    code, value = member
    if code is codes.LITERAL:
        return bool(ord(character) == value)
    if code is codes.RANGE:
        return bool(value[0] <= ord(character) <= value[1])
    kinds = {codes.CATEGORY_DIGIT: r"\d", codes.CATEGORY_SPACE: r"\s", codes.CATEGORY_WORD: r"\w"}
    kinds |= {codes.CATEGORY_NOT_DIGIT: r"\D", codes.CATEGORY_NOT_SPACE: r"\S", codes.CATEGORY_NOT_WORD: r"\W"}
    return code is codes.CATEGORY and re.match(kinds[value], character) is not None


def _sequences(node: Any) -> Iterator[list[Any]]:
    """Yield the sequences of parts in a pattern, at every depth."""
    items = list(node)
    yield items
    for code, value in items:
        if code in REPEATS:
            yield from _sequences(value[2])
        elif code is codes.SUBPATTERN:
            yield from _sequences(value[3])
        elif code is codes.ATOMIC_GROUP:
            yield from _sequences(value)
        elif code is codes.BRANCH:
            for branch in value[1]:
                yield from _sequences(branch)


def _attacks(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str]]:
    """Yield texts that come before a repeated one, and those that are repeated."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    tree = parser.parse(source, pattern.flags & ~re.UNICODE)
    sequences = [items for items in _sequences(tree) if any(item[0] in REPEATS for item in items)]
    for items in sequences:
        parts = [_sample(item) for item in items]
        for start in range(len(parts)):
            yield "".join(parts[:start]), parts[start]
            yield "", "".join(parts[: start + 1])
            yield "", "".join(parts[start:])


def _pumps(pattern: re.Pattern[Any]) -> list[tuple[str, str]]:
    seen = dict.fromkeys((before, pump) for before, pump in _attacks(pattern) if pump)
    return list(islice(seen, MOST_PUMPS))


@cache
def _sources() -> str:
    return "\n".join(Path(module.__file__).read_text() for module in _modules())


def _is_anchored(name: str) -> bool:
    """Whether a pattern is only ever tried at the beginning of a text."""
    module, _, variable = name.rpartition(".")
    if module not in sys.modules:
        return False
    source = Path(str(sys.modules[module].__file__)).read_text() if variable.startswith("_") else _sources()
    used = set(re.findall(rf"\b{variable}\.(\w+)", source))
    return bool(used) and used <= ANCHORED


def _seconds(pattern: re.Pattern[AnyStr], text: AnyStr, is_anchored: bool) -> float:
    began = time.thread_time()
    pattern.match(text)
    pattern.fullmatch(text)
    for _ in () if is_anchored else pattern.finditer(text):
        pass
    return time.thread_time() - began


def _slow_on(name: str, pattern: re.Pattern[Any], before: str, pump: str) -> str | None:
    """Return how a pattern's time grows with a repeated text, if it grows faster than the text."""
    last, is_anchored = 0.0, _is_anchored(name)
    for count in REPETITIONS:
        text: Any = (before + pump * count + "\x01")[: LOOKED_AT.get(name)]
        text = text.encode("utf-8") if isinstance(pattern.pattern, bytes) else text
        took = _seconds(pattern, text, is_anchored)
        if took > SHORT:  # a pause of the machine is not the pattern's
            took = min(took, _seconds(pattern, text, is_anchored))
        if took > SHORT and (count < 2048 or took > last * 3):
            return f"{before!r} + {pump!r} * {count}: {took:.2f} s"
        last = took
    return None


def _slow_searches(name: str, pattern: re.Pattern[Any]) -> list[str]:
    found = (_slow_on(name, pattern, before, pump) for before, pump in _pumps(pattern))
    return list(islice(filter(None, found), 3))


def test_the_time_of_a_search_grows_no_faster_than_the_text() -> None:
    """All patterns in one test: they are found by parsing rove, which each worker would do to collect one for each."""
    patterns = dict(_patterns())
    assert len(patterns) > 100
    slow = {name: _slow_searches(name, pattern) for name, pattern in patterns.items()}
    assert {name: found for name, found in slow.items() if found} == {}
