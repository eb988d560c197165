"""One tab of a browser context: what can be asked of it, read in it and done with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from rove.browser.annotation import Mark
from rove.browser.consequences import Consequences, Effects
from rove.browser.element import Descriptions, Element, Frame, Keyboard, PointerTarget, ScrollPosition, SecretSource
from rove.browser.input_event import InputEvent
from rove.browser.logs import ConsoleLog, NetworkLog, Workers
from rove.browser.page_data import (
    Box,
    ImageFormat,
    LeftRunning,
    LoadStage,
    OpenDialog,
    PdfFile,
    PdfOptions,
    RefusedField,
    ScreencastFrame,
    ScreenshotImage,
)
from rove.browser.page_state import PageState
from rove.browser.performance import Profiler
from rove.browser.storage import Cookies, PageStorage
from rove.page_text import Own, PageText
from rove.reading.page_source import PageSource
from rove.settings.tree import Settings
from rove.snapshot import Snapshot
from rove.validation.record import dataclass


@dataclass(frozen=True)
class AriaSnapshot:
    """The text, and the origins of the page and of the frames whose words it holds."""

    text: PageText
    origins: tuple[Own, ...]


class AriaReader(Protocol):
    """Takes aria snapshots of one page. Their refs are numbered apart from those of other snapshots."""

    # What the caller has been told of the tab, and the file of its console messages; the engine keeps them here.
    told: object
    console_file: object
    told_download: object

    async def loaded_at(self) -> float:
        """Return when the document began to load, in seconds since the epoch."""
        ...

    async def take_snapshot(
        self, ref: str | None = None, depth: int | None = None, boxes: bool = False, /
    ) -> AriaSnapshot:
        """Return the page, or the element that a ref means, with the frames in it."""
        ...

    async def take_outline(self, ref: str | None = None, /) -> AriaSnapshot:
        """Return the page, or the element that a ref means, as an outline: a line for each element, without refs."""
        ...

    async def ref_of(self, frame: int, number: int, /) -> str:
        """Return the ref of the element that an aria snapshot has numbered; raise if it is gone."""
        ...

    async def refs_located(self, steps: list[dict[str, Any]], limit: int, /) -> list[str]:
        """Return the refs of the elements that a locator means."""
        ...

    async def matching(self, texts: list[str], regex: str, /) -> list[int]:
        """Return the places of the texts that match a JavaScript pattern, which may be /pattern/flags."""
        ...

    async def locator_of(self, ref: str, is_exact: bool = False, /) -> str:
        """Return a Playwright locator for the element that a ref means, as JavaScript; empty if it is gone.

        `is_exact`: by whole texts only, as Playwright's locators fit parts of texts too.
        """
        ...


class PageObserver(Protocol):
    """Takes snapshots of a page and remembers the last one that the agent has seen."""

    @property
    def aria(self) -> AriaReader: ...

    @property
    def seen(self) -> Snapshot | None:
        """The snapshot that the agent saw last."""
        ...

    @property
    def moments(self) -> tuple[Snapshot, ...]:
        """The page as it was at moments during the last wait until it was quiet, without its frames."""
        ...

    @property
    def refused_fields(self) -> list[RefusedField]:
        """The fields that the browser's validation has refused since the list was last cleared."""
        ...

    @property
    def seen_document(self) -> int:
        """The number of the document that was seen last, as `LoadState.documents` counts."""
        ...

    async def take_snapshot(self, ref: str | None = None, **options: Any) -> Snapshot:
        """Return the page, or one element of it, as it is now."""
        ...

    def mark_seen(self, snapshot: Snapshot, /) -> None:
        """Note what the agent has seen: later changes are reported against it."""

    def restore_seen(self, snapshot: Snapshot | None, document: int, /) -> None:
        """Note that the agent has not been told of any snapshot since this one."""

    def clear_seen(self) -> None:
        """Note that the agent has seen nothing of the page as it is now."""

    def is_new_image(self, data: bytes, /) -> bool:
        """Return whether a screenshot differs from the last one, and remember it."""
        ...

    async def wait_for_effect(self, seconds: float, /) -> None:
        """Wait for the first change since the last snapshot, or for `seconds`."""

    async def wait_until_quiet(
        self, read_rows: bool, since: float, until: float, loading: float | None = None, /
    ) -> LeftRunning:
        """Wait until all that an action of the moment `since` set off is over; return what is left running at `until`.

        With `read_rows`, the page is read at the same moment, for the next snapshot. `loading`: for a document that was
        loaded, until when it is waited for if it is empty or shows that it is busy.
        """
        ...

    async def wait_until_complete(self, is_picture: bool, /) -> int:
        """Wait for what no later answer can tell of; return how many pictures in view have not arrived.

        That is content of a page that was lately loaded or acted on and, before a picture is taken, what it draws.
        """
        ...

    async def has_answered(self) -> bool:
        """Return whether the page shows something else than before the action, other than that it is busy."""
        ...


class FrameReader(Protocol):
    """Reads the frames of a screencast. A frame that is not read before the next one comes is left out."""

    async def next(self) -> ScreencastFrame | None:
        """Return the newest frame, once there is one that was not read yet; None if the page is gone."""
        ...

    def close(self) -> None: ...


class Screencast(Protocol):
    """Pictures of a page as it changes. All readers share one screencast, which runs only while there are some."""

    def open(self, max_width: int, quality: int, /) -> FrameReader:
        """Return a new reader. Frames are at least as wide, and as good, as it asks for."""
        ...

    async def may_be_kept(self) -> bool:
        """Return whether frames that were sent until now show only what the agent may see.

        Secrets and what a person has typed are covered from now on, until the person types again.
        """
        ...


class TabInfo(Protocol):
    """The facts that are listed of a tab."""

    @property
    def id(self) -> str: ...
    @property
    def url(self) -> PageText: ...
    @property
    def open_dialog(self) -> OpenDialog | None:
        """The dialog that blocks it, if there is one."""
        ...

    async def title(self) -> PageText: ...


class Tab(TabInfo, Protocol):
    """A page with an id that is never reused."""

    settings: Settings
    lock: asyncio.Lock
    # Whether the page did not answer when it was last asked.
    is_unresponsive: bool
    # Replaces secrets, and what a person typed, in text that is written to files.
    redact: Callable[[str], str]

    @property
    def page(self) -> PageState: ...
    @property
    def observer(self) -> PageObserver: ...
    @property
    def keyboard(self) -> Keyboard: ...
    @property
    def console(self) -> Sequence[ConsoleLog]:
        """The console log of the tab, and that of the workers that its session shares."""
        ...

    @property
    def network(self) -> NetworkLog: ...
    @property
    def workers(self) -> Workers: ...
    @property
    def cookies(self) -> Cookies: ...
    @property
    def storage(self) -> PageStorage: ...
    @property
    def screencast(self) -> Screencast: ...
    @property
    def profiler(self) -> Profiler: ...
    @property
    def consequences(self) -> Consequences: ...
    @property
    def effects(self) -> Effects: ...
    @property
    def descriptions(self) -> Descriptions: ...
    @property
    def main_frame(self) -> Frame: ...
    @property
    def is_stuck(self) -> bool:
        """Whether the page may have to be replaced before another document can load."""
        ...

    def begin_action(self, deadline: float, seconds: float, acts: bool, /) -> None:
        """Set the deadline of the action that starts now, its seconds in all, and whether it acts on the page."""

    def end_action(self) -> None: ...
    def allow_changes(self, secrets: SecretSource, /) -> None:
        """Let the page navigate if an action causes it to, and let the action type these secrets."""

    async def navigate(self, url: str, until: LoadStage = "domcontentloaded", /) -> None:
        """Load a URL until the document has come so far: parsed, unless time is short; a later stage in any case."""

    async def go_in_history(self, steps: int, /) -> bool:
        """Go back or forward in history; False when there is no such entry."""
        ...

    async def reload(self) -> None: ...
    async def resolve(self, target: str, /) -> Element:
        """Return the one element that a target means, or raise why there is not exactly one."""
        ...

    async def resolve_all(self, target: str, /, wait: bool = True) -> Sequence[Element]:
        """Return every element that a target means, at least one; unless `wait` is False, wait for one to exist."""
        ...

    async def resolve_ahead(self, target: str, /, wait: bool = True) -> Sequence[Element]:
        """Return what `resolve_all` does; the action acts on these very elements, unless it acts on others first."""
        ...

    async def begin(self, targets: Sequence[str], describes: bool, /) -> bool:
        """Note that an action begins, and ask the page what its targets mean; return whether it may have changed.

        `describes`: whether it is also asked by what an element that is meant alone can be found again.
        """
        ...

    async def resolve_pointer_target(self, target: str, /) -> PointerTarget:
        """Return the element, or the point of the viewport, that a target means."""
        ...

    async def focused_element(self) -> Element:
        """Return the element that has the focus, in any frame; raise if there is none."""
        ...

    @property
    def awaits_files(self) -> bool:
        """Whether the page has opened a file chooser that is not answered."""
        ...

    async def file_input_asking(self) -> Element | None:
        """Return the file input whose chooser is open; raise Denied if it is in a frame of another origin."""
        ...

    def close_file_chooser(self) -> None: ...
    async def find(self, spec: dict[str, str], limit: int, /) -> tuple[int, list[dict[str, Any]]]:
        """Search every frame; return how many matches there are, and the first of them."""
        ...

    async def has_frames(self) -> bool: ...
    def require_frame(self, prefix: str, /) -> None:
        """Raise what became of the frame whose refs have this prefix, if it is not on the page."""

    async def elements_at(self, x: float, y: float, /) -> Sequence[Element]:
        """Return the elements at a point of the viewport: in the page, and in each frame that the point is in."""
        ...

    async def element_with_focus(self) -> Element | None:
        """Return the element that receives keys; None if no frame has the focus."""
        ...

    async def scroll(self, direction: str, amount: int | None, /) -> ScrollPosition: ...
    async def shows_text(self, text: str, /) -> bool: ...
    async def shows_selector(self, css: str, /) -> bool: ...
    async def page_source(self) -> PageSource:
        """Return the page as HTML that holds only what a person sees, with its frames."""
        ...

    async def wait_for_change(self, timeout: float, /) -> None:
        """Wait for the next change of the document, or for `timeout` seconds."""

    async def evaluate(self, expression: str, await_promise: bool = True, /) -> Any:
        """Run JavaScript in the page; a function is called."""
        ...

    async def take_screenshot(
        self, box: Box | None, full_page: bool, kind: ImageFormat, max_side: int | None = None, /
    ) -> ScreenshotImage:
        """Capture the viewport, the full page, or a box of the viewport; neither side is longer than `max_side`."""
        ...

    async def take_picture(self, quality: int, /) -> bytes:
        """Return a JPEG of the viewport as it is shown now."""
        ...

    async def box_of(self, ref: str, /) -> Box:
        """Return where the element of a ref is in the viewport now, without scrolling."""
        ...

    async def send_input(self, event: InputEvent, /) -> None:
        """Send the input of a person to the page, as it is."""

    async def end_input(self) -> None:
        """Release what the person still holds down."""

    async def marks(self, image: ScreenshotImage, /) -> list[Mark]:
        """Return the interactive elements that a screenshot shows, and where in it they are."""
        ...

    async def print_pdf(self, options: PdfOptions, name: str, folder: str = "", /) -> PdfFile: ...
    async def resize(self, width: int, height: int, /) -> None: ...
