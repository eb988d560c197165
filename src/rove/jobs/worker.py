"""What runs pages: the interface between the scheduler and browsers, here or on another machine.

All that passes through it is plain data, so that a worker can be in another process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cache
from typing import Any, Protocol

from rove.action import registry
from rove.advice import LACKING, Names, insert_names
from rove.errors import RoveError
from rove.render.cleaning import readable
from rove.validation.record import dataclass

# What to try next, where the hint for agents does not fit: no action is called between two visits.
HINTS = {
    "deadline_exceeded": "Allow more time with --timeout.",
    "needs_credentials": "Write a FILE.py that sets them with session.credentials() first, and give it to --do.",
    "blocked": "Open the address in a browser, or use another source.",
}
LOOK_HINT = "Open the address in a browser to see what is there."


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
