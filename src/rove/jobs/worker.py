"""What visits the pages of a job, what it is asked and answers, and which failures are tried again.

All that passes through it is plain data, so that a worker can be in another process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from rove.action import registry
from rove.advice import LACKING, Names, insert_names
from rove.engine.memory import available_memory
from rove.errors import InvalidArguments, RoveError
from rove.guard.cleaning import readable
from rove.records import dataclass

# What to try next, where the hint for agents does not fit: no action is called between two visits.
HINTS = {
    "deadline_exceeded": "Allow more time with --timeout.",
    "needs_credentials": "Write a FILE.py that sets them with session.credentials() first, and give it to --do.",
    "blocked": "Open the address in a browser, or use another source.",
}
LOOK_HINT = "Open the address in a browser to see what is there."

# Answers of servers that ask for fewer requests, and those of servers or proxies in trouble.
SLOW_DOWN = (429, 503)
RETRYABLE_STATUSES = (408, 425, 429, 500, 502, 503, 504)
# Failures that are not the page's: they do not count as its attempts, up to a limit.
NOT_OF_THE_PAGE = ("browser_unavailable", "limit_reached")
MOST_OTHER_FAILURES = 10
# A server that cannot be reached at all is left alone as one that asks for it.
OF_THE_HOST = ("navigation_failed",)
FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0
# The most that a server's Retry-After is heeded. A page for which it asks for more time fails.
LONGEST_RETRY_AFTER = 300.0
KINDS = ("fetch", "extract", "screenshot", "snapshot", "pdf")
# Sessions for each processor core: while pages wait for their servers, another can be drawn.
SESSIONS_PER_CORE = 4
# Memory that is set aside for one session. A page of an ordinary site takes about half of it.
SESSION_MEMORY = 400 * 2**20
MOST_BY_DEFAULT = 32


@cache
def names_of_none() -> Names:
    """Return names for hints that leave out what tells to call an action."""
    return dict.fromkeys(registry(), LACKING)


@dataclass(frozen=True)
class PageTask:
    """One address to visit. `file`: the name, without an ending, of the file that its picture or PDF is saved as."""

    url: str
    host: str
    file: str = ""


@dataclass(frozen=True)
class PageError:
    """Why a page has no result. `is_fatal`: no other page would have one either, such as without a browser."""

    code: str
    message: str
    hint: str = ""
    retryable: bool = False
    retry_after: float | None = None
    is_fatal: bool = False

    @classmethod
    def of(cls, error: RoveError, is_fatal: bool = False) -> PageError:
        may_try = error.retryable or error.retry_after is not None
        hint = HINTS.get(error.code) or insert_names(error.hint, names_of_none()) or LOOK_HINT
        return cls(error.code, readable(error.message), hint, may_try, error.retry_after, is_fatal)

    def as_dict(self) -> dict[str, str]:
        return {"code": self.code, "message": self.message, "hint": self.hint}


@dataclass(frozen=True)
class PageAnswer:
    """What came of one visit: a result, or an error. `files`: paths of the workspace.

    `is_incomplete`: the page was still loading when it was read.
    `is_broken_off`: the worker was closed in the middle of it, so that there is neither.
    `node`: where in a cluster it was visited.
    """

    result: Any = None
    error: PageError | None = None
    final_url: str | None = None
    title: str | None = None
    status: int | None = None
    files: tuple[str, ...] = ()
    seconds: float = 0.0
    is_incomplete: bool = False
    is_broken_off: bool = False
    node: str | None = None


@dataclass(frozen=True)
class Health:
    """How a worker is. `memory`: bytes of its process and its browser, None where the system does not tell."""

    busy: int
    pages: int
    failed: int
    memory: int | None = None
    is_draining: bool = False


@dataclass(frozen=True)
class WorkerState:
    """What a worker has to carry over to another process: of each of its sessions, cookies and storage as JSON."""

    sessions: Mapping[str, str] = field(default_factory=dict[str, str])


class WorkerLost(Exception):
    """A slot of a worker has gone in the middle of a page, which another has to visit."""


class Worker(Protocol):
    """Visits pages, several at once. The scheduler gives it no more than `slots` at a time."""

    @property
    def slots(self) -> int: ...

    async def open(self) -> None:
        """Make ready. Raises RoveError if no page can be visited, such as without a browser."""

    async def run(self, task: PageTask, /) -> PageAnswer:
        """Visit a page once. What goes wrong is in the answer. Raises WorkerLost if the slot is lost."""
        ...

    async def save(self) -> WorkerState:
        """Return what another worker needs to go on with the same cookies and storage."""
        ...

    async def restore(self, state: WorkerState, /) -> None:
        """Go on with what another worker has saved. Called before the first page."""

    async def drain(self, seconds: float, /) -> None:
        """Take no more pages, finish those that run, for at most so many seconds, and close everything."""

    async def health(self) -> Health: ...


@dataclass(frozen=True)
class Retry:
    """When to visit a page again, and whether its whole host is to be left alone until then."""

    seconds: float
    of_host: bool


class RetryRules:
    """Decides on failures, given how often a page was visited and how often other failures got in its way."""

    def __init__(self, retries: int, random: Callable[[], float]) -> None:
        self._retries = retries
        self._random = random

    def decide(self, answer: PageAnswer, attempts: int, other_failures: int) -> Retry | None:
        """Return when to visit a page again; None if its answer is final."""
        error = answer.error
        if error is None or not error.retryable:
            return None
        if error.code in NOT_OF_THE_PAGE:
            wait = max(error.retry_after or 0.0, self._wait(other_failures))
            return Retry(wait, of_host=False) if other_failures < MOST_OTHER_FAILURES else None
        if attempts > self._retries or (error.retry_after or 0.0) > LONGEST_RETRY_AFTER:
            return None
        of_host = answer.status in SLOW_DOWN or error.code in OF_THE_HOST
        return Retry(max(error.retry_after or 0.0, self._wait(attempts)), of_host)

    def pause(self, answer: PageAnswer) -> float:
        """Return for how many seconds a host asked to be left alone; 0 if it did not."""
        asked = answer.error.retry_after if answer.error is not None else None
        return min(asked or FIRST_WAIT, LONGEST_RETRY_AFTER) if answer.status in SLOW_DOWN else 0.0

    def _wait(self, attempts: int) -> float:
        """Return a wait that doubles with each attempt, shortened at random so that pages do not come all at once."""
        return min(FIRST_WAIT * 2.0 ** max(attempts - 1, 0), LONGEST_WAIT) * (0.5 + self._random() / 2)


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
