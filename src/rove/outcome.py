"""What came of an action."""

from __future__ import annotations

import re
import time
from dataclasses import field
from typing import Any, Generic, Literal, TypeVar

from rove.record import dataclass

R = TypeVar("R")
# Names the origin of what no origin is known of.
NOWHERE = "unknown"


class Own(str):
    """A word of the caller's or of ours in a result. Any other text there counts as the page's."""

    __slots__ = ()


class Quoted(str):
    """Words of a frame that belongs to another site than the page: whose they are goes along with them."""

    __slots__ = ("origin",)
    origin: str

    def __new__(cls, text: str, origin: str = NOWHERE) -> Quoted:
        made = super().__new__(cls, text)
        made.origin = origin
        return made


@dataclass(frozen=True)
class Passage:
    """A part of an answer: words of ours, or with an origin, words of a page.

    Raw ones are text as the page has it, not lines that we made: they could imitate their neighbours.
    """

    text: str
    origin: str | None = None
    is_raw: bool = False


def origin_in(url: str | None) -> str:
    """The origin of an address as the browser itself reported it, for a label."""
    match = re.match(r"([a-z][a-z0-9+.-]*://)(?:[^/?#]*@)?([^/?#@]+)", url or "")
    return match[1] + match[2] if match else (url or NOWHERE)


def moment(at: float) -> str:
    """A time as ISO 8601 writes it, to the millisecond."""
    seconds, milliseconds = divmod(int(at * 1000 + 1e-3), 1000)  # as what is a whole one may be held as a bit less
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{milliseconds:03}+00:00"


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
    # What to do about it, in our own words.
    advice: str = ""


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
