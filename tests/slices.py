"""The slow tests in parts: each commit runs one of them, so that none of these tests can rot.

`python -m tests.slices COMMIT` writes the tests that fall to a commit into a file for pytest, and prints the targets of
the Makefile that they need. The parts are of tests that follow each other, as these share what they start.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
CHOSEN = TESTS.parent / ".venv" / "slice.txt"
# All of them take about an hour, so that a part takes about 15 seconds.
PARTS = 240
# What only slow tests need, by the beginning of their names.
NEEDS = {
    "tests/cluster/test_s3_store.py": "s3",
    "tests/library/test_tools.py": "adapters",
    "tests/surfaces/mcp_http/test_conformance.py": "conformance",
    "tests/surfaces/recordings/test_exports.py": "recordings",
    "tests/widgets/": "more_widgets",
}


def part_of(commit: str) -> int:
    """Return the number of the part that falls to a commit."""
    return int(commit, 16) % PARTS


def slice_of(tests: Sequence[str], part: int) -> Sequence[str]:
    """Return the tests of a part: each test is in one, and all parts are as large, but for one test."""
    begin, end = (len(tests) * number // PARTS for number in (part, part + 1))
    return tests[begin:end]


def targets_for(tests: Sequence[str]) -> list[str]:
    """Return the targets of the Makefile that tests need."""
    needed = {need for test in tests for start, need in NEEDS.items() if test.startswith(start)}
    return [f".venv/{need}/ready" for need in sorted(needed)]


class _Collector:
    """Keeps the names of the tests that pytest collects."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.names = [item.nodeid for item in session.items]


def slow_tests() -> list[str]:
    """Collect the slow tests; of files that do not mention the mark, none is read, which saves most of the time."""
    files = sorted(str(file) for file in TESTS.rglob("test_*.py") if "slow" in file.read_text(encoding="utf-8"))
    collector, said = _Collector(), io.StringIO()
    with contextlib.redirect_stdout(said):
        code = pytest.main(["--collect-only", "-qq", "-p", "no:cacheprovider", "-m", "slow", *files], [collector])
    if code != pytest.ExitCode.OK:
        sys.exit(f"The slow tests cannot be collected:\n{said.getvalue()}")
    return collector.names


def main() -> None:
    """Choose the tests of the commit that is given."""
    chosen = slice_of(slow_tests(), part_of(sys.argv[1]))
    CHOSEN.write_text("".join(f"{name}\n" for name in chosen), encoding="utf-8")
    sys.stdout.write(" ".join(targets_for(chosen)))


if __name__ == "__main__":
    main()
