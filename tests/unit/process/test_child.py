"""Child processes: their descriptors, environment, signals and exit codes."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from rove.browser.shared.process import ChildProcess

# Prints its open descriptors, and whether it leads a session.
LIST_DESCRIPTORS = """
import os, sys
descriptors = sorted(int(name) for name in os.listdir("/dev/fd"))
print(" ".join(str(number) for number in descriptors if number > 2), os.getsid(0) == os.getpid(), end="")
"""


def run_child(code: str, descriptors: dict[int, int] | None = None, environment: dict[str, str] | None = None) -> str:
    """Run Python code in a child and return its standard output."""
    read_fd, write_fd = os.pipe()
    null = os.open(os.devnull, os.O_RDWR)
    child = ChildProcess(
        [sys.executable, "-I", "-S", "-c", code],
        os.environ if environment is None else environment,
        {0: null, 1: write_fd, 2: 2, **(descriptors or {})},
    )
    os.close(write_fd)
    os.close(null)
    with os.fdopen(read_fd) as output:
        text = output.read()
    assert child.wait() == 0
    return text


def test_a_child_leads_a_session_of_its_own_and_inherits_no_other_descriptor() -> None:
    read_fd, write_fd = os.pipe()
    os.set_inheritable(read_fd, True)
    try:
        # Descriptor 3 is the listing of the folder itself.
        assert run_child(LIST_DESCRIPTORS) == "3 True"
    finally:
        os.close(read_fd)
        os.close(write_fd)


def test_each_descriptor_has_its_number_even_where_two_exchange_theirs(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text("one")
    second.write_text("two")
    descriptors = [os.open(path, os.O_RDONLY) for path in (first, second)]
    code = "import os; print(os.read(3, 9).decode(), os.read(4, 9).decode(), end='')"
    try:
        # Whatever numbers they have here, the child gets them in the opposite order.
        assert run_child(code, {3: descriptors[1], 4: descriptors[0]}) == "two one"
    finally:
        for number in descriptors:
            os.close(number)


def test_a_child_has_only_the_given_environment() -> None:
    code = "import os; print(os.environ.get('ROVE_CHILD'), len(os.environ) < 5, end='')"
    assert run_child(code, None, {"ROVE_CHILD": "x"}) == "x True"


def test_a_broken_pipe_kills_a_child() -> None:
    read_fd, write_fd = os.pipe()
    os.close(read_fd)
    child = ChildProcess(["/bin/sh", "-c", "echo never read"], os.environ, {0: 0, 1: write_fd, 2: 2})
    os.close(write_fd)
    assert child.wait() == -13


def test_a_program_that_does_not_exist_raises_at_once(tmp_path: Path) -> None:
    before = set(Path("/dev/fd").iterdir())
    with pytest.raises(FileNotFoundError):
        ChildProcess([str(tmp_path / "nothing")], os.environ, {0: 0, 1: 1, 2: 2})
    assert set(Path("/dev/fd").iterdir()) == before


def test_wait_in_several_threads_and_poll_return_the_exit_code() -> None:
    read_fd, write_fd = os.pipe()
    child = ChildProcess(["/bin/sh", "-c", "read line; exit 7"], os.environ, {0: read_fd, 1: 1, 2: 2})
    os.close(read_fd)
    assert child.poll() is None
    codes: list[int] = []
    threads = [threading.Thread(target=lambda: codes.append(child.wait())) for _ in range(2)]
    for thread in threads:
        thread.start()
    os.close(write_fd)
    for thread in threads:
        thread.join(10)
    assert child.poll() == child.wait() == 7
    assert 7 in codes
