"""What a caller chooses for a job."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from rove.engine.sessions.memory import available_memory
from rove.errors import InvalidArguments
from rove.validation.record import dataclass

KINDS = ("fetch", "extract", "screenshot", "snapshot", "pdf")
# Sessions for each processor core: while pages wait for their servers, another can be drawn.
SESSIONS_PER_CORE = 4
# Memory that is set aside for one session. A page of an ordinary site takes about half of it.
SESSION_MEMORY = 400 * 2**20
MOST_BY_DEFAULT = 32


def default_parallel() -> int:
    """Return how many sessions this machine can run at once, by its cores and its free memory."""
    memory = available_memory()
    return parallel_for(_core_count(), None if memory is None else memory.available)


def parallel_for(cores: int, memory: int | None) -> int:
    """Return how many sessions run at once with so many cores and bytes of memory; None if that is not known."""
    by_memory = MOST_BY_DEFAULT if memory is None else memory // SESSION_MEMORY
    return max(1, min(cores * SESSIONS_PER_CORE, by_memory, MOST_BY_DEFAULT))


def _core_count() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class PageOptions:
    """What is done with each page, and with what isolation.

    `do`: one of `KINDS`, or the path of a Python file. `seconds`: the most that one visit may take. `fresh`: a context
    of its own for each page. `keep_session`: cookies and storage go on from host to host. `folder`: where in the
    workspace files are saved. `replaces_files`: a file of the same page is from a visit that was broken off.
    """

    do: str
    seconds: float = 60.0
    fresh: bool = False
    keep_session: bool = False
    full_page: bool = False
    state: str | None = None
    folder: str = "map"
    replaces_files: bool = False

    @property
    def script(self) -> Path | None:
        return None if self.do in KINDS else Path(self.do)

    @property
    def recorded(self) -> dict[str, Any]:
        """What distinguishes the results of this job from those of another: they do not belong in one file."""
        if (script := self.script) is not None:
            return {"do": script.name, "script": str(script.resolve())}
        return {"do": self.do, **({"full_page": True} if self.full_page else {})}

    def check(self) -> None:
        """Raise InvalidArguments for what cannot be done."""
        if self.script is not None and not self.script.is_file():
            kinds = ", ".join(KINDS)
            raise InvalidArguments(f"--do {self.do}: there is no such file.", hint=f"Use one of {kinds}, or a FILE.py.")
        if self.full_page and self.do != "screenshot":
            raise InvalidArguments("--full-page is for --do screenshot.", hint="Leave it out.")
        if self.fresh and self.keep_session:
            raise InvalidArguments("--fresh and --keep-session exclude each other.", hint="Leave one of them out.")


@dataclass(frozen=True)
class JobOptions:
    """How pages are scheduled.

    `per_host`: visits of one host at once; None for `PER_HOST`, without a limit for hosts of this machine.
    `delay`: seconds between two starts on one host. `retries`: further visits of a page after one that failed.
    `repeat`: visit an address as often as the input has it. `retry_failed`: visit again what has failed before.
    """

    per_host: int | None = None
    delay: float = 0.0
    retries: int = 2
    repeat: bool = False
    retry_failed: bool = False
    drain_seconds: float = 30.0
