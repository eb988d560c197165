"""What came of an action: its result, where the tab is now, what changed, and whose words each text is."""

from __future__ import annotations

import dataclasses
import json
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Annotated, Any, Generic, Literal, TypeVar, cast

from rove.errors import RoveError
from rove.fields import plain
from rove.page_text import NOWHERE, Own, PageText
from rove.page_text import Text as Text
from rove.patterns import pattern
from rove.records import dataclass

_BREAK = pattern("[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_POSITION = pattern(r"(?P<url>.*?)(?::(?P<line>\d+):\d+)?")
_FRAME = "\n    at "
# Kinds that the browser itself writes, which Playwright tells by their level.
_OWN_KINDS = ("network", "security", "violation", "intervention", "deprecation", "recommendation", "other")

# `page`: all but the snapshot. `aria`: the snapshot too.
ViewKind = Literal["page", "aria"]

# Begins the line that names the origin of the lines after it, where passages are joined into one text for people.
FROM = "from "
# A key that rove has chosen, such as the name of a fact. Callers look it up with a plain `str`.
Name = Annotated[str, Own]
LONGEST_ERROR = 2000
LONGEST_SHOWN_URL = 100


def unbroken(text: str) -> str:
    """Return text on one line: its line breaks as escape sequences, all else as it is."""
    return _BREAK.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def console_line(kind: str, level: str, text: str, location: str) -> str:
    """Return one message on one line; of an uncaught error, its stack on lines of their own."""
    if kind == "exception":
        return _error_lines(text.removeprefix("Uncaught ").removeprefix("(in promise) "))
    match = _POSITION.fullmatch(location)
    url, line = (match["url"], int(match["line"] or 1)) if match else (location, 1)
    # Playwright counts lines from 0.
    return f"[{(level if kind in _OWN_KINDS else kind).upper()}] {unbroken(text)} @ {unbroken(url)}:{line - 1}"


def _error_lines(text: str) -> str:
    """Return an uncaught error. One that does not begin like the name of an error is marked as one."""
    told = _FRAME.join(map(unbroken, text.split(_FRAME)))
    return told if told[:1].isalpha() else f"[ERROR] {told}"


@dataclass(frozen=True)
class ViewedTab:
    """A tab as its page names it. The title is empty while a dialog blocks the page."""

    id: Own
    url: PageText
    title: PageText
    is_current: bool


@dataclass(frozen=True)
class ModalState:
    """What a page waits for: an answer to a dialog, or files. `kind` is that of the dialog."""

    waits_for: Literal["answer", "files"]
    kind: Own = Own()
    message: PageText = PageText("", NOWHERE)


@dataclass(frozen=True)
class ConsoleCounts:
    """How many console messages there are since the document was loaded."""

    total: int = 0
    errors: int = 0
    warnings: int = 0


@dataclass(frozen=True)
class WrittenLines:
    """A file in the workspace, and the lines that were added to it."""

    path: Own
    first: int
    last: int


@dataclass(frozen=True)
class ViewedDownload:
    """A download by the name that its server gave it; `path` is its file once it is complete."""

    name: PageText
    path: PageText | None = None


@dataclass(frozen=True)
class PageView:
    """The tabs, and the current one of them: its snapshot as YAML and as a file, and what it waits for.

    `is_changed`: whether another tab, title, address, status or number of messages than the caller knows.
    `locators`: a Playwright locator for each target of the action, by its path among the arguments.
    """

    tabs: tuple[ViewedTab, ...] = ()
    is_changed: bool = False
    status: int | None = None
    counts: ConsoleCounts = ConsoleCounts()
    # When the document was loaded, in seconds since the epoch.
    loaded: float = 0.0
    snapshot: PageText | None = None
    snapshot_file: Own | None = None
    modal_states: tuple[ModalState, ...] = ()
    console: WrittenLines | None = None
    downloads: tuple[ViewedDownload, ...] = ()
    locators: dict[Own, PageText] = field(default_factory=dict[Own, PageText])

    @property
    def current(self) -> ViewedTab | None:
        return next((tab for tab in self.tabs if tab.is_current), self.tabs[0] if self.tabs else None)


@dataclass(frozen=True)
class Passage:
    """A part of an answer: text that rove wrote or, with an origin, text that a page wrote.

    A `PageText` that is given no other origin has its own. An empty origin is that of the page in the tab. Raw text is
    as the page has it, not in lines that rove made: it could imitate the passages beside it. With `longest`, the text
    is shown on one line and cut at so many characters.
    """

    text: str
    origin: str | None = None
    is_raw: bool = False
    longest: int | None = None

    def __post_init__(self) -> None:
        if self.origin is None and isinstance(self.text, PageText):
            object.__setattr__(self, "origin", self.text.origin)

    def of(self, page: str) -> Passage:
        """Return the same passage with an origin that is spelled out, given that of the page in the tab."""
        return dataclasses.replace(self, origin=page) if self.origin == "" else self


def is_one_line(text: str) -> bool:
    """Whether a text has no line break, once a carriage return is made one."""
    return "\n" not in text and "\r" not in text


def joined(passages: Iterable[Passage]) -> str:
    """Return passages as one text for people; a line names the origin where it is not the page's.

    Only to be read: text of a page could imitate such a line, so programs take the passages.
    """
    return "\n".join(f"{FROM}{part.origin}\n{part.text}" if part.origin else part.text for part in passages)


def error_passages(error: RoveError) -> Iterator[Passage]:
    """Tell of an error: its code, its message, each quote of a page with its origin, and what to try next."""
    yield Passage(error.notice)
    parts = list(error.parts)
    first = parts[0] if parts and isinstance(parts[0], Own) else Own()
    yield Passage(f"{error.code}: {first}".rstrip(), longest=LONGEST_ERROR + len(error.code) + 2)
    yield from _part_passages(parts[1:] if first else parts)
    yield Passage(error.hint)


def said_of(error: RoveError) -> Text:
    """Return the message of an error as one text, of no known origin if it quotes several pages."""
    origins = error.origins
    if not origins:
        return Own(error.message)
    return PageText(error.message, origins[0] if len(origins) == 1 else NOWHERE)


def message_passages(error: RoveError) -> Iterator[Passage]:
    """Tell the message of an error alone, with the origin of each quote."""
    yield from _part_passages(error.parts)


def _part_passages(parts: Iterable[Text]) -> Iterator[Passage]:
    for part in parts:
        if isinstance(part, PageText):
            yield Passage(part, part.origin, longest=LONGEST_ERROR)
        elif words := part.strip(" .,;"):
            yield Passage(words + ("." if part.rstrip().endswith(".") else ""), longest=LONGEST_ERROR)


def origin_in(url: str | None) -> str:
    """Return the origin of an address that the browser itself reported, to be shown as a label."""
    match = _ORIGIN.match(url or "")
    return match[1] + match[2] if match else (url or NOWHERE)


_ORIGIN = re.compile(r"([a-z][a-z0-9+.-]*://)(?:[^/?#]*@)?([^/?#@]+)")


def moment(at: float) -> str:
    """Format a time as ISO 8601, to the millisecond."""
    # A whole number of milliseconds may be held as a bit less than that.
    seconds, milliseconds = divmod(int(at * 1000 + 1e-3), 1000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{milliseconds:03}+00:00"


@dataclass(frozen=True)
class Attachment:
    """A picture or a file that is returned beside the text."""

    kind: Literal["image", "file"]
    mime: str
    data: bytes = field(repr=False)
    name: str | None = None
    # The file of the workspace that has it already, if there is one.
    path: str | None = None


class Result:
    """What an action returns: a frozen dataclass of plain facts, with `__str__` for how a model reads them.

    All else has a default that suits most results; a result overrides what differs.
    """

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """Pictures and files to return beside the text."""
        return ()

    @property
    def error(self) -> RoveError | None:
        """The error that stopped the action half-way, where what was done before it is a result all the same."""
        return None

    @property
    def parts(self) -> tuple[AnyOutcome, ...]:
        """The outcomes of the actions that it ran. Each has a journal entry of its own."""
        return ()

    def passages(self, origin: str) -> Iterable[Passage]:
        """Tell the result to a model, given the origin of the page. Text that is not marked as `Own` is the page's."""
        text = str(self)
        yield Passage(text, author_of(self, origin), is_raw=not is_one_line(text))

    def __str__(self) -> str:
        facts = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}  # type: ignore[arg-type]
        shown = {name: plain(fact) for name, fact in facts.items() if not isinstance(fact, Attachment)}
        return json.dumps(shown, ensure_ascii=False)


def author_of(value: Any, page: str) -> str | None:
    """Return the one origin whose words a value holds; None where all of them are ours, NOWHERE where several wrote."""
    origins = {said.origin if isinstance(said, PageText) else page for said in _foreign_words(value)}
    if not origins:
        return None
    return origins.pop() if len(origins) == 1 else NOWHERE


def _foreign_words(value: Any) -> Iterator[str]:
    """Find every text in a value that does not say that it is ours."""
    if isinstance(value, str) and value and not isinstance(value, Own):
        yield value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for each in dataclasses.fields(value):
            yield from _foreign_words(getattr(value, each.name))
    elif isinstance(value, dict):
        mapping: dict[Any, Any] = value
        yield from (said for pair in mapping.items() for item in pair for said in _foreign_words(item))
    elif isinstance(value, list | tuple):
        items: Iterable[Any] = value
        yield from (said for item in items for said in _foreign_words(item))


D = TypeVar("D")


def quoted(value: D, origin: str) -> D:
    """Return data in which every text that does not say where it is from counts as written by an origin."""
    return cast(D, _quoted(value, origin))


def _quoted(value: Any, origin: str) -> Any:
    if isinstance(value, str):
        is_known = isinstance(value, Own) or (isinstance(value, PageText) and value.origin != NOWHERE)
        return value if is_known else PageText(value, origin)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {each.name: _quoted(getattr(value, each.name), origin) for each in dataclasses.fields(value)}
        return dataclasses.replace(value, **fields)
    if isinstance(value, dict):
        mapping: dict[Any, Any] = value
        return {_quoted(key, origin): _quoted(item, origin) for key, item in mapping.items()}
    if isinstance(value, list | tuple):
        items: list[Any] = [_quoted(item, origin) for item in value]
        return items if isinstance(value, list) else tuple(items)
    return value


@dataclass(frozen=True)
class Event:
    """Something that happened on the side: a new tab, a dialog, a download, an error in the console."""

    kind: Own
    text: Text
    # What to do about it.
    advice: Own = Own()


@dataclass(frozen=True)
class Changes:
    """What an agent would see differently since it last looked, each passage with the origin that wrote it."""

    kind: Literal["silent", "same", "changes", "snapshot", "page"] = "silent"
    passages: tuple[Passage, ...] = ()
    tokens: int = 0

    @property
    def text(self) -> str:
        """All passages as one text for people."""
        return joined(self.passages)


R = TypeVar("R", bound=Result)


@dataclass(frozen=True)
class Outcome(Generic[R]):
    """The answer to one action: its result, where the tab is now, and what changed."""

    action: Own
    result: R
    session: Own
    tab: Own | None = None
    url: PageText | None = None
    title: PageText | None = None
    changes: Changes = Changes()
    events: tuple[Event, ...] = ()
    pending: tuple[Text, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    seconds: float = 0.0
    # What changed after the last answer and before this action.
    earlier: Changes = Changes()
    # All of the page, for callers that are shown that instead of what changed.
    view: PageView | None = None

    def __repr__(self) -> str:
        # Short, for prompts and logs: the whole of it may be a page long.
        where = f" at {self.url[:LONGEST_SHOWN_URL]}" if self.url else ""
        return f"<rove.Outcome of {self.action}{where}: {type(self.result).__name__}, {self.changes.kind}>"

    @property
    def origin(self) -> str:
        """The origin of the page that the tab shows."""
        return self.url.origin if self.url is not None else NOWHERE


AnyOutcome = Outcome[Any]
