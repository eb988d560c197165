"""What came of an action."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

R = TypeVar("R")


@dataclass(frozen=True)
class Attachment:
    """A picture or a file that goes beside the text."""

    kind: Literal["image", "file"]
    mime: str
    data: bytes = field(repr=False)
    name: str | None = None


@dataclass(frozen=True)
class Event:
    """Something that happened on the side: a new tab, a dialog, a download, an error in the console."""

    kind: str
    text: str


@dataclass(frozen=True)
class Changes:
    """What the agent would see differently since it last looked."""

    kind: Literal["silent", "same", "changes", "snapshot", "page"] = "silent"
    text: str = ""
    tokens: int = 0


@dataclass(frozen=True)
class Outcome(Generic[R]):
    """The answer to one action: its result, where the tab is now, and what changed."""

    action: str
    result: R
    session: str
    tab: str | None = None
    url: str | None = None
    title: str | None = None
    changes: Changes = Changes()
    events: tuple[Event, ...] = ()
    pending: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    seconds: float = 0.0


AnyOutcome = Outcome[Any]
