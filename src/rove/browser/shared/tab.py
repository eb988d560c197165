"""One tab, as far as it is the same for every engine: how an action begins, elements, reading, what is allowed."""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rove.browser.annotation import Mark, find_marks
from rove.browser.page_data import Box, OpenDialog, ScreenshotImage
from rove.browser.performance import NoProfiler, Profiler
from rove.browser.shared import targets
from rove.browser.shared.consequences import ActEffects
from rove.browser.shared.element import Element
from rove.browser.shared.frames import World, box_of
from rove.browser.shared.input import InputDevices, Keyboard, scroll_by_wheel
from rove.browser.shared.live_page import LivePage, keep_properties
from rove.browser.shared.page_observer import PageObserver
from rove.browser.shared.popups import OpenerGroup, Popups
from rove.browser.shared.reading import read_page_source
from rove.browser.shared.targets import Descriptions, elements_in, question_for
from rove.errors import RoveError
from rove.page_text import PageText
from rove.settings.tree import Settings
from rove.target import Ref, parse_target

if TYPE_CHECKING:
    from rove.browser.element import PointerTarget, SecretSource
    from rove.reading.page_source import PageSource


async def begin(devices: InputDevices, observer: PageObserver, targets: Sequence[str], describes: bool) -> bool:
    """Note that an action begins, and ask all frames what its targets mean; return whether the page may have changed.

    What has no answer yet is asked for, and waited for, when the action needs it.
    """
    aims = {target: parsed for target in targets if (parsed := parse_target(target)) and target not in devices.aims}
    searched = {target: spec for target, parsed in aims.items() if (spec := question_for(devices, parsed))}
    questions: dict[World, list[tuple[str, dict[str, Any]]]] = {}
    if searched:
        questions = {world: list(searched.items()) for world in await devices.page.every_world()}
    for target, parsed in aims.items() if describes else ():
        if isinstance(parsed, Ref):
            with contextlib.suppress(RoveError):  # the frame is gone, which the action itself says
                world = devices.page.worlds.with_prefix(parsed.frame)
                questions.setdefault(world, []).append((target, {"ref": parsed.local}))
    has_changed, answers = await observer.begin(
        {world: [spec for _, spec in asked] for world, asked in questions.items()}, describes
    )
    if all(answer is not None for answer in answers.values()):
        _keep_answers(devices, questions, answers)
    return has_changed


def _keep_answers(
    devices: InputDevices,
    questions: Mapping[World, Sequence[tuple[str, dict[str, Any]]]],
    answers: Mapping[World, Sequence[dict[str, Any]] | None],
) -> None:
    found: dict[str, list[Element]] = {}
    for world, asked in questions.items():
        for (target, spec), answer in zip(asked, answers[world] or (), strict=True):
            if "ref" in spec:
                devices.aims.keep_description(world.prefix + spec["ref"], answer["description"])
            elif "error" in answer:
                return  # which is raised when the action asks for the element
            else:
                elements = elements_in(devices, world, parse_target(target), answer)
                found.setdefault(target, []).extend(elements)
                if answer["description"]:
                    devices.aims.keep_description(world.prefix + answer["matches"][0]["ref"], answer["description"])
    for target, elements in found.items():
        if elements:
            devices.aims.keep(target, elements)


class Tab(ABC):
    """A page with an id that is never reused. The engine's tab adds navigation, logs, pictures and emulation.

    `page` and `input` are the engine's; `redact` replaces secrets in text that is written to files.
    """

    def __init_subclass__(cls) -> None:
        keep_properties(cls, "page")

    def __init__(
        self,
        identity: str,
        settings: Settings,
        page: LivePage,
        observer: PageObserver,
        devices: InputDevices,
        popups: Popups,
    ) -> None:
        self.id = identity
        self.settings = settings
        self.lock = asyncio.Lock()
        self.is_unresponsive = False
        self.redact: Callable[[str], str] = str
        self.profiler: Profiler = NoProfiler()
        self.observer = observer
        self.popups = popups
        self._devices = devices
        self.effects = ActEffects(devices, observer)
        self.descriptions = Descriptions(page, devices.aims)
        self.opener_group = OpenerGroup()
        self.opener_group.add(identity, page)
        page.worlds.set_tab(identity)

    @property
    @abstractmethod
    def page(self) -> LivePage: ...

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
    def keyboard(self) -> Keyboard:
        return self._devices.keyboard

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
        self._devices.aims.clear()
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
        self._devices.secrets = secrets

    # Elements

    async def resolve(self, target: str) -> Element:
        """Return the one element that a target means, or raise why there is not exactly one."""
        return await targets.resolve(self._devices, target)

    async def resolve_all(self, target: str, wait: bool = True) -> list[Element]:
        """Return every element that a target means, at least one; unless `wait` is False, wait for one to exist."""
        return await targets.resolve_all(self._devices, target, wait)

    async def resolve_ahead(self, target: str, wait: bool = True) -> list[Element]:
        """Return what `resolve_all` does; the action acts on these very elements, unless it acts on others first."""
        return await targets.resolve_all(self._devices, target, wait, keeps=True)

    async def begin(self, targets: Sequence[str], describes: bool) -> bool:
        """Note that an action begins, and ask the page what its targets mean; return whether it may have changed.

        `describes`: whether it is also asked by what an element that is meant alone can be found again.
        """
        return await begin(self._devices, self.observer, targets, describes)

    async def resolve_pointer_target(self, target: str) -> PointerTarget:
        """Return the element, or the point of the viewport, that a target means."""
        return await targets.resolve_pointer_target(self._devices, target)

    @property
    def awaits_files(self) -> bool:
        return self._devices.file_chooser.asking is not None

    async def file_input_asking(self) -> Element | None:
        """Return the file input whose chooser is open; raise Denied if it is in a frame of another origin."""
        return await targets.file_input_asking(self._devices)

    def close_file_chooser(self) -> None:
        self._devices.file_chooser.asking = None

    async def find(self, spec: dict[str, str], limit: int) -> tuple[int, list[dict[str, Any]]]:
        """Search every frame; return how many matches there are, and the first of them."""
        return await targets.find(self._devices, spec, limit)

    async def focused_element(self) -> Element:
        """Return the element that has the focus, in any frame; raise if there is none."""
        return await targets.focused_element(self._devices)

    async def element_with_focus(self) -> Element | None:
        """Return the element that receives keys; None if no frame has the focus."""
        return await targets.element_with_focus(self._devices)

    async def elements_at(self, x: float, y: float) -> list[Element]:
        """Return the elements at a point of the viewport: in the page, and in each frame that the point is in."""
        return await targets.elements_at(self._devices, x, y)

    async def has_frames(self) -> bool:
        return len(await self.page.worlds.current()) > 1

    def require_frame(self, prefix: str) -> None:
        """Raise what became of the frame whose refs have this prefix, if it is not on the page."""
        self.page.worlds.with_prefix(prefix)

    # Reading and capturing

    async def shows_text(self, text: str) -> bool:
        return await targets.shows_text(self._devices, text)

    async def shows_selector(self, css: str) -> bool:
        return await targets.shows_selector(self._devices, css)

    async def wait_for_change(self, timeout: float) -> None:
        """Wait for the next change of the document, or for `timeout` seconds."""
        await self.page.wait_for_change(timeout)

    async def scroll(self, direction: str, amount: int | None) -> dict[str, int]:
        main = self.page.worlds.main
        return await scroll_by_wheel(
            self._devices, main, await main.call("(d, a) => rove.scrollPage(d, a)", direction, amount)
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

    # Opener and closing

    def join_opener(self, opener: Tab) -> None:
        """Note that this page was opened by another, with which it may share a thread."""
        self.opener_group = opener.opener_group
        self.opener_group.add(self.id, self.page)

    def rename(self, identity: str) -> None:
        self.id = identity
        self.page.worlds.set_tab(identity)
        self.opener_group.rename(self.page, identity)

    async def release(self) -> None:
        """Cancel and await the background tasks of a page that is gone."""
        self.page.dialogs.stop_timer()
        await self.page.tasks.close()
