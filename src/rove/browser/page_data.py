"""Plain data about a page: requests, dialogs, console messages, workers, text, screenshots and PDF files."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import Any, Literal

from rove.page_text import NOWHERE, Own, PageText
from rove.records import dataclass

MAX_URL_LENGTH = 2000
Level = Literal["debug", "info", "warning", "error"]
LEVELS: tuple[Level, ...] = ("debug", "info", "warning", "error")
ImageFormat = Literal["png", "jpeg", "webp"]
# The longest side that a picture can be asked for with, in pixels: models are given no larger ones.
LONGEST_SIDE = 8000
# The longest side of a picture that is only for a file: what browsers paint of a page at once.
FULL_SIZE = 16000
# x, y, width and height in CSS pixels.
Box = dict[str, float]


@dataclass(frozen=True)
class ScreenshotImage:
    """An encoded image and what it shows: a box of the page, at a scale."""

    kind: ImageFormat
    box: Box
    scale: float
    is_cut: bool
    data: bytes = field(repr=False)

    @property
    def size(self) -> tuple[int, int]:
        return round(self.box["width"] * self.scale), round(self.box["height"] * self.scale)


@dataclass(frozen=True)
class ScreencastFrame:
    """A JPEG of the viewport, the viewport's size in CSS pixels, and when it was taken, in seconds since the epoch."""

    width: float
    height: float
    at: float
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class TypedField:
    """A field that a person has typed into, by the document and a number in it, and its value."""

    document: str
    number: int
    value: str = field(repr=False)
    is_password: bool


@dataclass(frozen=True)
class PdfOptions:
    """How to print a page."""

    paper: str
    landscape: bool
    background: bool
    pages: str | None


@dataclass(frozen=True)
class PdfFile:
    """A PDF file in the workspace."""

    path: Path
    size: int
    pages: int


DownloadState = Literal["under way", "complete", "failed"]


@dataclass(frozen=True)
class DownloadedFile:
    """A download by the name that its server gave it; `path` is its file in the workspace once it is complete."""

    name: PageText
    path: PageText | None = None
    size: int | None = None
    # Where it came from, after redirects.
    url: PageText = PageText("", NOWHERE)
    state: DownloadState = "under way"


@dataclass(frozen=True)
class LeftRunning:
    """What goes on in a page and is not waited for.

    Seconds until the next timer, and the next animation, is over; what repeats, by the kind of work and its period in
    milliseconds; texts that keep changing; and whether the page, which was loaded, is empty or shows that it is busy.
    """

    timer: float = 0.0
    animation: float = 0.0
    repeats: tuple[tuple[str, float], ...] = ()
    texts: tuple[PageText, ...] = ()
    is_unfinished: bool = False


@dataclass(frozen=True)
class RefusedField:
    """A field that the browser's own validation refused, with its message, which the page may have written, quoted.

    `stops_form`: whether the form that it is in was about to be submitted, and was not.
    """

    line: PageText
    ref: str
    message: str
    stops_form: bool

    @property
    def told(self) -> PageText:
        return self.line.around(f"{self.line} [{self.ref}]" + (f": {self.message}" if self.message else ""))


@dataclass
class TrackedRequest:
    """A request that is not over yet."""

    url: str
    method: str
    began: float
    answered: float | None = None
    # The origin of the document that sent it.
    origin: str = NOWHERE
    # What the page loads with it, such as "fetch", "script", "image" or "eventsource".
    resource: str = "fetch"

    @property
    def told(self) -> PageText:
        return PageText(f"{self.method} {self.url}", self.origin)

    def __post_init__(self) -> None:
        self.url = self.url[:MAX_URL_LENGTH]  # a data: URL may be megabytes


@dataclass
class DocumentRequest:
    """The request for the main document, and its response; `loader` is the browser's id of the navigation."""

    loader: str
    url: str
    hops: list[str] = field(default_factory=list[str])
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict[str, str])
    challenge: str | None = None
    received: int = 0
    is_cut: bool = False
    failure: str | None = None
    # Whether the browser downloads it, and the tab shows what it did before.
    is_download: bool = False

    @property
    def is_awaited(self) -> bool:
        """Whether the server has been asked and has not answered yet."""
        return self.status is None and self.failure is None


# How far a document has come, in Playwright's words.
LoadStage = Literal["commit", "domcontentloaded", "load", "networkidle"]


@dataclass(frozen=True)
class OpenDialog:
    """A dialog as a person would see it."""

    kind: Own
    message: PageText
    default: PageText
    # The tab that it belongs to, if that is another than the one it blocks.
    tab: Own = Own()

    @property
    def told(self) -> PageText:
        """The dialog in one line, as the words of the frame that opened it."""
        return self.message.around(f'{self.kind} dialog "{self.message}"{f" of {self.tab}" if self.tab else ""}')


@dataclass(frozen=True)
class ConsoleSource:
    """The JavaScript context that wrote a message (page, frame or worker) and the origin of its code."""

    context: str
    origin: str

    def quote(self, text: str) -> PageText:
        """Return a text as the words of this source."""
        return PageText(text, self.origin or NOWHERE)


@dataclass(frozen=True)
class ConsoleMessage:
    """One console message, its position in the source code, and how often it was written in a row.

    `args` are the arguments of the call as JSON data. Those of objects are completed a moment after the call.
    """

    level: Level
    kind: str
    text: str
    location: str
    source: ConsoleSource
    at: float
    args: list[Any] = field(default_factory=list[Any], compare=False)
    count: int = 1


@dataclass(frozen=True)
class WorkerInfo:
    """A worker as it is now; `scope` and `controls_page` belong to service workers."""

    kind: Own
    url: PageText
    state: Own
    scope: PageText | None = None
    controls_page: bool = False
    # What only an inspection tells: the pages that it controls, and when its script was fetched and last changed.
    clients: tuple[PageText, ...] = ()
    fetched: Own | None = None
    modified: Own | None = None
