"""A process that is given what it is meant to have, and nothing else."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from rove.chromium.process.child import ChildProcess

# Says what stands at which descriptor, and which session it leads.
LOOK = """
import os, sys
there = sorted(int(name) for name in os.listdir("/dev/fd"))
print(" ".join(str(number) for number in there if number > 2), os.getsid(0) == os.getpid(), end="")
"""


def ran(code: str, descriptors: dict[int, int] | None = None, environment: dict[str, str] | None = None) -> str:
    """What a child says at its standard output."""
    reading, writing = os.pipe()
    nowhere = os.open(os.devnull, os.O_RDWR)
    child = ChildProcess(
        [sys.executable, "-I", "-S", "-c", code],
        os.environ if environment is None else environment,
        {0: nowhere, 1: writing, 2: 2, **(descriptors or {})},
    )
    os.close(writing)
    os.close(nowhere)
    with os.fdopen(reading) as said:
        text = said.read()
    assert child.wait() == 0
    return text


def test_it_leads_a_session_of_its_own_and_inherits_nothing_else() -> None:
    left_open, other = os.pipe()
    os.set_inheritable(left_open, True)
    try:
        # The one that is listed beside is what the list is read through.
        assert ran(LOOK) == "3 True"
    finally:
        os.close(left_open)
        os.close(other)


def test_each_descriptor_is_found_at_its_number_even_where_two_change_places(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text("one")
    second.write_text("two")
    low = [os.open(path, os.O_RDONLY) for path in (first, second)]
    try:
        # Whatever numbers they have here, they are wanted the other way round there.
        swapped = {3: low[1], 4: low[0]}
        assert ran("import os; print(os.read(3, 9).decode(), os.read(4, 9).decode(), end='')", swapped) == "two one"
    finally:
        for number in low:
            os.close(number)


def test_it_has_the_environment_that_it_was_given_and_no_other() -> None:
    assert ran(
        "import os; print(os.environ.get('ROVE_CHILD'), len(os.environ) < 5, end='')", None, {"ROVE_CHILD": "x"}
    ) == ("x True")


def test_a_broken_pipe_ends_it_as_it_ends_everyone() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    child = ChildProcess(["/bin/sh", "-c", "echo never read"], os.environ, {0: 0, 1: writing, 2: 2})
    os.close(writing)
    assert child.wait() == -13


def test_a_program_that_is_not_there_is_told_of_at_once(tmp_path: Path) -> None:
    before = set(Path("/dev/fd").iterdir())
    with pytest.raises(FileNotFoundError):
        ChildProcess([str(tmp_path / "nothing")], os.environ, {0: 0, 1: 1, 2: 2})
    assert set(Path("/dev/fd").iterdir()) == before


def test_whoever_waits_and_whoever_asks_are_told_the_same() -> None:
    reading, writing = os.pipe()
    child = ChildProcess(["/bin/sh", "-c", "read line; exit 7"], os.environ, {0: reading, 1: 1, 2: 2})
    os.close(reading)
    assert child.poll() is None
    told: list[int] = []
    waiting = [threading.Thread(target=lambda: told.append(child.wait())) for _ in range(2)]
    for thread in waiting:
        thread.start()
    os.close(writing)
    for thread in waiting:
        thread.join(10)
    assert child.poll() == child.wait() == 7
    assert 7 in told
