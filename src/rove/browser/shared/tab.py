"""One tab, as far as it is the same for every engine: how an action begins, elements, reading, what is allowed."""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from rove.browser.annotation import Mark, find_marks
from rove.browser.page_data import (
    Box,
    ImageFormat,
    LoadStage,
    OpenDialog,
    PdfFile,
    PdfOptions,
    ScreenshotImage,
)
from rove.browser.shared import targets
from rove.browser.shared.capture import PdfTarget, Screencast, without_withheld_frames
from rove.browser.shared.consequences import ActEffects, PageConsequences
from rove.browser.shared.element import Element
from rove.browser.shared.frames import World, box_of
from rove.browser.shared.input import InputDevices, Keyboard, scroll_by_wheel
from rove.browser.shared.live_page import LivePage
from rove.browser.shared.logs import ConsoleLog, LoggedRequest, NetworkLog
from rove.browser.shared.navigation import Navigator
from rove.browser.shared.page_observer import PageObserver
from rove.browser.shared.person_input import PersonInput
from rove.browser.shared.popups import OpenerGroup, Popups
from rove.browser.shared.profiler import Profiler
from rove.browser.shared.reading import read_page_source
from rove.browser.shared.resources import SharedResources
from rove.browser.shared.storage import PageCookies, PageStorage
from rove.browser.shared.targets import Descriptions, elements_in, question_for
from rove.browser.shared.workers import WorkerControl
from rove.errors import RoveError
from rove.page_text import PageText
from rove.target import Ref, parse_target
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.browser.element import SecretSource
    from rove.browser.input_event import InputEvent
    from rove.browser.shared.targets import ViewportPoint
    from rove.content.page_source import PageSource

R = TypeVar("R")


class Tab(ABC):
    """A page with an id that is never reused. The engine's tab adds its logs, its devices, and how pictures are taken.

    `redact` replaces secrets in text that is written to files.
    """

    # Those of the engine.
    input_type: ClassVar[type[InputDevices]]

    network: NetworkLog[LoggedRequest]
    workers: WorkerControl
    cookies: PageCookies
    screencast: Screencast
    profiler: Profiler
    _console: ConsoleLog
    _navigator: Navigator

    def __init__(self, identity: str, page: LivePage, shared: SharedResources, scratch: Path) -> None:
        """`scratch`: a folder for copies of files, which the page may read until it is closed."""
        page.policy_allows = lambda address: shared.may_read(address)
        page.worlds.main.redact = shared.redact_answer
        self.id = identity
        self.page = page
        self.settings = page.settings
        self.lock = asyncio.Lock()
        # Whether the page did not answer when it was last asked.
        self.is_unresponsive = False
        self.redact: Callable[[str], str] = shared.redact
        self.observer = PageObserver(page, lambda: shared.withheld)
        self.input = self.input_type(page, self.observer, shared.clipboard, scratch)
        self.popups = Popups(page.events, self.settings.limits.tabs, page.stop_opening_windows, page.origins)
        self.effects = ActEffects(self.input, self.observer)
        self.descriptions = Descriptions(page, self.input.aims)
        self.consequences = PageConsequences(self.input)
        self.storage = PageStorage(page.worlds)
        self.opener_group = OpenerGroup()
        self.opener_group.add(identity, page)
        # The input of a person, where the engine can pass it on.
        self._person_input: PersonInput | None = None
        self._shared = shared
        self._scratch = scratch
        page.worlds.set_tab(identity)

    # Primitives of an engine

    @abstractmethod
    async def open(self) -> None:
        """Follow the page and set it up. Raises BrowserError if it was closed meanwhile."""

    @abstractmethod
    async def evaluate(self, expression: str, await_promise: bool = True) -> Any:
        """Run JavaScript in the page; a function is called."""

    @abstractmethod
    def capture_screenshot(
        self, box: Box | None, full_page: bool, kind: ImageFormat, max_side: int
    ) -> Coroutine[Any, Any, ScreenshotImage]:
        """Return a picture of the viewport, the full page, or a box of the viewport, whatever it shows."""

    @abstractmethod
    def capture_picture(self, quality: int) -> Coroutine[Any, Any, bytes]:
        """Return a JPEG of the viewport, whatever it shows."""

    @abstractmethod
    def print_page(self, options: PdfOptions, target: PdfTarget) -> Coroutine[Any, Any, PdfFile]:
        """Print the page to the workspace."""

    @abstractmethod
    async def resize(self, width: int, height: int) -> None:
        """Give the viewport this size."""

    @abstractmethod
    async def close_page(self) -> None:
        """Close the page in a bounded time, even if it does not answer."""

    # State

    @property
    def url(self) -> PageText:
        return self.page.url

    async def title(self) -> PageText:
        return await self.page.title()

    @property
    def open_dialog(self) -> OpenDialog | None:
        return self.page.dialogs.open

    @property
    def console(self) -> tuple[ConsoleLog, ...]:
        """The console log of the tab, and that of the workers that its session shares."""
        shared = self._shared.console
        return (self._console,) if shared is None else (self._console, shared)

    @property
    def keyboard(self) -> Keyboard:
        return self.input.keyboard

    @property
    def main_frame(self) -> World:
        return self.page.worlds.main

    @property
    def is_stuck(self) -> bool:
        """Whether the page may have to be replaced before another document can load."""
        return self.is_unresponsive or self.page.keeps_navigating

    # Actions

    def begin_action(self, deadline: float, seconds: float, acts: bool) -> None:
        """Set the deadline of the action that starts now, and the seconds that it was allowed in all.

        If it acts on the page, it may open dialogs and popups.
        """
        self.page.time.set(deadline, seconds)
        self.input.aims.clear()
        self.page.dialogs.is_acting = self.popups.is_acting = acts
        if acts:
            self.page.load_state.mark_seen()

    def end_action(self) -> None:
        self.page.time.set(None)
        self.page.dialogs.is_acting = self.popups.is_acting = False

    def allow_changes(self, secrets: SecretSource) -> None:
        """Let the page navigate if an action causes it to, and let the action type these secrets."""
        self.page.allow_navigation()
        self.observer.note_touched(None)
        self.effects.begin()
        self.input.secrets = secrets

    # Elements

    async def resolve(self, target: str) -> Element:
        """Return the one element that a target means, or raise why there is not exactly one."""
        return await targets.resolve(self.input, target)

    async def resolve_all(self, target: str, wait: bool = True) -> list[Element]:
        """Return every element that a target means, at least one; unless `wait` is False, wait for one to exist."""
        return await targets.resolve_all(self.input, target, wait)

    async def resolve_ahead(self, target: str, wait: bool = True) -> list[Element]:
        """Return what `resolve_all` does; the action acts on these very elements, unless it acts on others first."""
        return await targets.resolve_all(self.input, target, wait, keeps=True)

    async def begin(self, targets: Sequence[str], describes: bool) -> bool:
        """Note that an action begins, and ask the page what its targets mean; return whether it may have changed.

        What has no answer yet is asked for, and waited for, when the action needs it. `describes`: whether it is also
        asked by what an element that is meant alone can be found again.
        """
        parsed = {target: parse_target(target) for target in targets if target not in self.input.aims}
        searched = {target: spec for target, aim in parsed.items() if (spec := question_for(self.input, aim))}
        questions: dict[World, list[tuple[str, dict[str, Any]]]] = {}
        if searched:
            questions = {world: list(searched.items()) for world in await self.page.every_world()}
        for target, aim in parsed.items() if describes else ():
            if isinstance(aim, Ref):
                with contextlib.suppress(RoveError):  # the frame is gone, which the action itself says
                    world = self.page.worlds.with_prefix(aim.frame)
                    questions.setdefault(world, []).append((target, {"ref": aim.local}))
        has_changed, answers = await self.observer.begin(
            {world: [spec for _, spec in asked] for world, asked in questions.items()}, describes
        )
        if all(answer is not None for answer in answers.values()):
            self._keep_answers(questions, answers)
        return has_changed

    def _keep_answers(
        self,
        questions: Mapping[World, Sequence[tuple[str, dict[str, Any]]]],
        answers: Mapping[World, Sequence[dict[str, Any]] | None],
    ) -> None:
        aims, found = self.input.aims, dict[str, list[Element]]()
        for world, asked in questions.items():
            for (target, spec), answer in zip(asked, answers[world] or (), strict=True):
                if "ref" in spec:
                    aims.keep_description(world.prefix + spec["ref"], answer["description"])
                elif "error" not in answer:  # which is raised when the action asks for the element
                    elements = elements_in(self.input, world, parse_target(target), answer)
                    found.setdefault(target, []).extend(elements)
                    if answer["description"]:
                        aims.keep_description(world.prefix + answer["matches"][0]["ref"], answer["description"])
        for target, elements in found.items():
            if elements:
                aims.keep(target, elements)

    async def resolve_pointer_target(self, target: str) -> Element | ViewportPoint:
        """Return the element, or the point of the viewport, that a target means."""
        return await targets.resolve_pointer_target(self.input, target)

    @property
    def awaits_files(self) -> bool:
        return self.input.file_chooser.asking is not None

    async def file_input_asking(self) -> Element | None:
        """Return the file input whose chooser is open; raise Denied if it is in a frame of another origin."""
        return await targets.file_input_asking(self.input)

    def close_file_chooser(self) -> None:
        self.input.file_chooser.asking = None

    async def find(self, spec: dict[str, str], limit: int) -> tuple[int, list[dict[str, Any]]]:
        """Search every frame; return how many matches there are, and the first of them."""
        return await targets.find(self.input, spec, limit)

    async def focused_element(self) -> Element:
        """Return the element that has the focus, in any frame; raise if there is none."""
        return await targets.focused_element(self.input)

    async def element_with_focus(self) -> Element | None:
        """Return the element that receives keys; None if no frame has the focus."""
        return await targets.element_with_focus(self.input)

    async def elements_at(self, x: float, y: float) -> list[Element]:
        """Return the elements at a point of the viewport: in the page, and in each frame that the point is in."""
        return await targets.elements_at(self.input, x, y)

    async def has_frames(self) -> bool:
        return len(await self.page.worlds.current()) > 1

    def require_frame(self, prefix: str) -> None:
        """Raise what became of the frame whose refs have this prefix, if it is not on the page."""
        self.page.worlds.with_prefix(prefix)

    # Reading and capturing

    async def shows_text(self, text: str) -> bool:
        return await targets.shows_text(self.input, text)

    async def shows_selector(self, css: str) -> bool:
        return await targets.shows_selector(self.input, css)

    async def wait_for_change(self, timeout: float) -> None:
        """Wait for the next change of the document, or for `timeout` seconds."""
        await self.page.wait_for_change(timeout)

    async def scroll(self, direction: str, amount: int | None) -> dict[str, int]:
        main = self.page.worlds.main
        return await scroll_by_wheel(
            self.input, main, await main.call("(d, a) => rove.scrollPage(d, a)", direction, amount)
        )

    async def box_of(self, ref: str) -> Box:
        """Return where the element of a ref is in the viewport now, without scrolling."""
        return await box_of(self.page.worlds, ref)

    async def marks(self, image: ScreenshotImage) -> list[Mark]:
        """Return the interactive elements that a screenshot shows, and where in it they are."""
        return find_marks(image, await self.observer.take_snapshot(mode="interactive", boxes=True))

    async def page_source(self) -> PageSource:
        """Return the page as HTML that holds only what a person sees, with its frames."""
        return await read_page_source(self.page.worlds, self.observer.read_options())

    async def take_screenshot(
        self, box: Box | None, full_page: bool, kind: ImageFormat, max_side: int | None = None
    ) -> ScreenshotImage:
        """Capture the viewport, the full page, or a box of the viewport; neither side is longer than `max_side`."""
        capture = self.capture_screenshot(box, full_page, kind, max_side or self.settings.observing.picture)
        async with without_withheld_frames(self.page):
            return await self.page.painted(self._covered(capture))

    async def take_picture(self, quality: int) -> bytes:
        """Return a JPEG of the viewport as it is shown now."""
        return await self._covered(self.capture_picture(quality))

    async def print_pdf(self, options: PdfOptions, name: str, folder: str = "") -> PdfFile:
        """Print the page to a file in a folder of the workspace."""
        max_bytes = self.settings.limits.download_megabytes * 2**20
        target = PdfTarget(Workspace(self.settings.workspace_folder), name, max_bytes, self._scratch, folder)
        async with without_withheld_frames(self.page):
            with self.input.page_modes.printing():
                return await self._covered(self.print_page(options, target))

    def _covered(self, capture: Coroutine[Any, Any, R]) -> Coroutine[Any, Any, R]:
        """Return a picture that may be kept, without secrets and what a person has typed."""
        return capture if self._person_input is None else self._person_input.covered(capture)

    # A person's input

    async def send_input(self, event: InputEvent) -> None:
        """Send the input of a person to the page, as it is."""
        assert self._person_input is not None, "the engine passes no input on"
        self.page.dialogs.is_acting = self.popups.is_acting = True
        await self._person_input.send(event)

    async def end_input(self) -> None:
        """Release what the person still holds down."""
        if self._person_input is not None:
            await self._person_input.release()
            self.page.dialogs.is_acting = self.popups.is_acting = False

    # Navigation

    async def navigate(self, url: str, until: LoadStage = "domcontentloaded") -> None:
        """Load a URL until the document has come so far: parsed, unless time is short; a later stage in any case."""
        await self._navigator.navigate(url, until)

    async def go_in_history(self, steps: int) -> bool:
        """Go back or forward in history; False when there is no such entry."""
        return await self._navigator.go_in_history(steps)

    async def reload(self) -> None:
        await self._navigator.reload()

    def _note_document(self, url: str) -> None:
        """Forget what belonged to the last document, as the main frame shows another."""
        self.input.aims.clear()
        self.input.page_modes.start_document()
        self.popups.start_document()
        self._shared.on_document(url)
        self._shared.on_changed()

    # Opener and closing

    def join_opener(self, opener: Tab) -> None:
        """Note that this page was opened by another, with which it may share a thread."""
        self.opener_group = opener.opener_group
        self.opener_group.add(self.id, self.page)

    def rename(self, identity: str) -> None:
        self.id = identity
        self.page.worlds.set_tab(identity)
        self.opener_group.rename(self.page, identity)

    async def close(self) -> None:
        """Close the page in a bounded time, even if it does not answer."""
        try:
            await self.close_page()
        finally:
            await self.release()

    async def release(self) -> None:
        """Cancel and await the background tasks of a page that is gone."""
        self.page.dialogs.stop_timer()
        await self.page.tasks.close()
