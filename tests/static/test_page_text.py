"""Text of a page that does not say where it is from does not type-check."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rove.action import registry
from rove.errors import RoveError
from rove.outcome import Attachment, Event, Name, Outcome, Passage, Result
from rove.page_text import Own, PageText

EXAMPLES = Path(__file__).parent / "page_text_examples.py"
ROOT = EXAMPLES.parents[2]
# A passage is what an answer is made of: its text and, as data, its origin. Bytes have names of rove's own.
HOLD_ORIGINS = (Passage, Attachment, RoveError)


@pytest.mark.slow  # `make check` runs it, after mypy has read all that it reads
def test_mypy_refuses_bare_text_of_a_page_and_takes_text_with_its_origin() -> None:
    lines = EXAMPLES.read_text().splitlines()
    wanted = {number for number, line in enumerate(lines, 1) if line.endswith("# refused")}
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", str(EXAMPLES.relative_to(ROOT))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    found = {int(number) for number in re.findall(rf"{EXAMPLES.name}:(\d+): error", done.stdout)}
    assert found == wanted, done.stdout + done.stderr


def test_text_of_a_page_is_not_made_rove_s_own_at_run_time_either() -> None:
    words = PageText("words", "https://shop.example")
    with pytest.raises(TypeError):
        Own(words)  # type: ignore[arg-type]  # the plugin refuses it
    assert Passage(words).origin == words.origin


def _results() -> list[type[Any]]:
    registry()  # imports all actions
    return [Event, Outcome, *_subclasses(Result)]


def _subclasses(cls: type[Any]) -> Iterator[type[Any]]:
    for each in cls.__subclasses__():
        if each.__module__.startswith("rove."):
            yield each
        yield from _subclasses(each)


def _bare(hint: Any, seen: set[Any], where: str) -> Iterator[str]:
    """Find each place at which a type allows a bare `str`."""
    if hint == Name:
        return
    if hint is str:
        yield where
    for argument in typing.get_args(hint):
        yield from _bare(argument, seen, where)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint) and hint not in seen:
        seen.add(hint)
        if not issubclass(hint, HOLD_ORIGINS):
            for name, inner in typing.get_type_hints(hint, include_extras=True).items():
                yield from _bare(inner, seen, f"{hint.__name__}.{name}")


def test_no_result_event_or_outcome_declares_a_bare_str() -> None:
    seen: set[Any] = set()
    assert [place for cls in _results() for place in _bare(cls, seen, cls.__name__)] == []
