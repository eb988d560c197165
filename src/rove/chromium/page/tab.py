"""One tab: where it is, what is on it, and hands to use it with."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from rove.chromium.capture.annotation import Mark, marks_in
from rove.chromium.capture.screenshot import ImageFormat, ScreenshotImage, take_screenshot
from rove.chromium.capture.viewport import resize
from rove.chromium.events.console import ConsoleLog, Contexts
from rove.chromium.events.network_log import NetworkLog
from rove.chromium.events.page_events import PageEvents
from rove.chromium.events.request_tracker import RequestTracker
from rove.chromium.events.workers import Workers
from rove.chromium.frames.worlds import FRAME_PATIENCE, WORLD, World, Worlds
from rove.chromium.input import hit_test, target_resolution
from rove.chromium.input.element import Element, ViewportPoint, scroll_by_wheel
from rove.chromium.input.evaluation import evaluate
from rove.chromium.input.keyboard import Keyboard
from rove.chromium.input.mouse import Mouse
from rove.chromium.input.page_modes import PageModes
from rove.chromium.input.password_guard import NoSecrets, PasswordGuard, SecretSource
from rove.chromium.input.press_tracker import PressTracker
from rove.chromium.input.uploads import copy_files, drop_files, set_files
from rove.chromium.page.closing import close_target
from rove.chromium.page.dialogs import SILENCE, Dialogs
from rove.chromium.page.downloads import Pending
from rove.chromium.page.load_state import LoadState, is_web, scheme_refusal
from rove.chromium.page.navigation_block import NavigationBlock
from rove.chromium.page.navigator import Navigator
from rove.chromium.page.opener_group import OpenerGroup
from rove.chromium.page.page_observer import PageObserver
from rove.chromium.page.popups import Popups
from rove.chromium.page.shared_resources import SharedResources
from rove.chromium.protocol.connection import CdpConnection, CdpError, CdpSession
from rove.chromium.scripts import page_script, refusing_script
from rove.errors import (
    ScriptFailed,
)
from rove.settings import Settings

R = TypeVar("R")
# Bodies are fetched when asked for; the browser need not keep much of them, nor send along what a page uploads.
NETWORK_BUFFERS = {"maxTotalBufferSize": 20_000_000, "maxResourceBufferSize": 5_000_000, "maxPostDataSize": 1}
# Service workers belong to the whole session, which is told of them itself.
ATTACHED = [{"type": "service_worker", "exclude": True}, {}]
PING_PATIENCE = 1.0
BREAKING_OFF = 0.5
TIME_TO_LOOK = 1.0
# A page that is being replaced may still answer what it was asked just before.
LAST_WORDS = 0.3
CATCHING_UP = 2.0
QUIET_ROUND = 1.0
MOST_STORED = 1_000_000
FRAME_ORIGIN = "(ref, x, y) => rove.frameOrigin(ref, x, y)"


class Tab:
    """A page with an id that is never reused."""

    def __init__(
        self,
        cdp: CdpSession,
        connection: CdpConnection,
        target: dict[str, Any],
        identity: str,
        settings: Settings,
        scratch: Path,
        shared_resources: SharedResources,
    ) -> None:
        self.cdp = cdp
        self.id = identity
        self.settings = settings
        self.target: str = target["targetId"]
        self._connection = connection
        self.scratch = scratch
        self.lock = asyncio.Lock()
        self.deadline: float | None = None
        self._allotted = settings.deadlines.action
        self.page_events = PageEvents()
        self.dialogs = Dialogs(self.page_events, settings.deadlines.dialog)
        self.downloads = Pending()
        self.shared_resources = shared_resources
        self.clipboard = shared_resources.clipboard
        self.console = ConsoleLog(self.page_events)
        # A page's main frame goes by the id of its target.
        self.requests = RequestTracker(
            self.target, self.page_events, settings.limits.page_megabytes * 2**20, self.stop_soon
        )
        self.network = NetworkLog(self.target)
        self.workers = Workers(self.console, shared_resources.network_conditions, self.network, self.page_events)
        self.load_state = LoadState(self.target, target["url"])
        self.navigator = Navigator(self)
        self.navigation_block = NavigationBlock(cdp, self.target, self._tell)
        self.worlds = Worlds(cdp, self.target)
        self.page_modes = PageModes(self.worlds.main, self.page_events)
        self.press_tracker = PressTracker()
        self.mouse = Mouse(self)
        self.keyboard = Keyboard(self)
        self.password_guard = PasswordGuard(self)
        self.secret_source: SecretSource = NoSecrets()
        self.observer = PageObserver(self)
        self.crashed = asyncio.Event()
        self.is_suspect = False
        self.bypasses_workers = False
        self.popups = Popups(self.page_events, settings.limits.tabs, self._tell)
        self.pictured: bytes | None = None
        self.on_chooser: Callable[[int], object] | None = None
        # In somebody's own browser: the page keeps the size of its window, and the browser is not ours to give up.
        self.is_attached = False
        self._background: set[asyncio.Task[None]] = set()
        self.opener_group = OpenerGroup()
        self.opener_group.add(self)

    async def open(self) -> None:
        """Listen, set the page up as every page of ours, and let it go on."""
        self.console.listen(self.cdp, Contexts(self.cdp, self.target))
        self.network.listen(self.cdp, "page")
        self.load_state.listen(self.cdp)
        self.cdp.on("Page.frameNavigated", self._on_navigated)
        self.popups.listen(self.cdp)
        self.navigation_block.listen()
        self.cdp.on("Page.frameRequestedNavigation", self._on_requested)
        self.cdp.on("Inspector.targetCrashed", self._on_crash)
        size = self.settings.viewport
        await asyncio.gather(
            self._attach(self.cdp),
            self.cdp.send("Page.setLifecycleEventsEnabled", {"enabled": True}),
            *([] if self.is_attached else [resize(self.cdp, size.width, size.height)]),
            # Every page believes to be in front, so that none is throttled or loses its focus to another.
            self.cdp.send("Emulation.setFocusEmulationEnabled", {"enabled": True}),
        )

    async def catch_up(self) -> None:
        """A page that was there before us may hold frames, and may still be on its way to where it is said to be."""
        said = self.url
        tree = await self.cdp.send("Page.getFrameTree")
        self.load_state.find(tree["frameTree"]["frame"])
        self.worlds.note_frame()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CATCHING_UP):
                if not _same_page(said, self.url):
                    await self.load_state.commits_after(0)
                await self.load_state.reaches("DOMContentLoaded")

    async def _attach(self, cdp: CdpSession) -> None:
        """What the page's wire and those of its separate frames have in common."""
        self.dialogs.listen(cdp)
        self.requests.listen(cdp)
        self.worlds.listen(cdp)
        self.press_tracker.listen(cdp)
        cdp.on("Target.attachedToTarget", self._on_attached)
        cdp.on("Page.fileChooserOpened", self._on_chooser)
        cdp.on("Page.frameAttached", self._on_frame)
        script = {"source": page_script(), "worldName": WORLD}
        attach = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True, "filter": ATTACHED}
        await asyncio.gather(
            cdp.send("Page.enable"),
            cdp.send("Runtime.enable"),
            cdp.send("Log.enable"),
            cdp.send("Network.enable", NETWORK_BUFFERS),
            self.shared_resources.network_conditions.join(cdp),
            self.clipboard.listen(cdp),
            *([self._bypass(cdp)] if self.bypasses_workers else []),
            self.page_modes.listen(cdp),
            cdp.send("Page.addScriptToEvaluateOnNewDocument", script),
            cdp.send("Page.addScriptToEvaluateOnNewDocument", {"source": refusing_script()}),
            self.password_guard.expect(cdp),
            cdp.send("Page.setInterceptFileChooserDialog", {"enabled": True}),
            cdp.send("Target.setAutoAttach", attach),
            cdp.send("Runtime.runIfWaitingForDebugger"),
        )

    def _on_attached(self, event: dict[str, Any]) -> None:
        cdp, target = self._connection.cdp_session(event["sessionId"]), event["targetInfo"]
        if target["type"] == "iframe":
            self.worlds.add_separate(target["targetId"], cdp)
            self.console.listen(cdp, Contexts(cdp, None))
            self.network.listen(cdp, "frame")
            cdp.on("Inspector.targetCrashed", self._on_frame_crash)
            self._later(self._attach(cdp))
        elif target["type"] == "worker":
            self._later(self.workers.set_up(cdp, target))
        else:
            # Workers are not ours to drive, but they wait for someone to let them go.
            self._later(_told(cdp, "Runtime.runIfWaitingForDebugger"))

    def _on_navigated(self, event: dict[str, Any]) -> None:
        if "parentId" not in event["frame"]:
            self.worlds.forget()
            self.page_modes.start_anew()
            self.dialogs.start_anew()
            self.popups.start_anew()

    def _on_frame(self, event: dict[str, Any]) -> None:
        self.worlds.note_frame()

    def _on_requested(self, event: dict[str, Any]) -> None:
        if not is_web(event["url"]):
            self.page_events.add("address refused", scheme_refusal(event["url"]))

    def _on_crash(self, event: dict[str, Any]) -> None:
        self.crashed.set()

    def _on_frame_crash(self, event: dict[str, Any]) -> None:
        self.page_events.add("frame crashed", "What it showed is gone; browser_reload brings it back.")

    def _on_chooser(self, event: dict[str, Any]) -> None:
        if self.on_chooser is not None and "backendNodeId" in event:
            answer, self.on_chooser = self.on_chooser, None
            answer(event["backendNodeId"])
        else:
            self.page_events.add("file chooser", "The page asks for files: give them with browser_upload.")

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(_unless_gone(work))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    @property
    def is_crashed(self) -> bool:
        return self.crashed.is_set()

    @property
    def url(self) -> str:
        return self.load_state.url

    async def title(self) -> str:
        # The browser process knows it without asking the page, which may be too busy to answer.
        try:
            answer = await self.cdp.send("Target.getTargetInfo")
        except CdpError:
            if not self.cdp.is_closed:
                raise
            return ""  # the page has closed itself meanwhile
        title: str = answer["targetInfo"]["title"]
        return title

    def give(self, deadline: float | None) -> None:
        """Say until when the running action must have answered."""
        self.deadline = deadline
        self._allotted = self.time_left

    @property
    def time_to_wait(self) -> float:
        """Seconds that may be spent on a page that takes its time, so that some are left to look at it."""
        return max(self.time_left - min(TIME_TO_LOOK, self._allotted / 4), 0.0)

    @property
    def time_left(self) -> float:
        """Seconds until the running action must have answered."""
        if self.deadline is None:
            return self.settings.deadlines.action
        return max(self.deadline - time.monotonic(), 0.0)

    def set_acting(self, acting: bool) -> None:
        """Say whether an act is under way, whose answer a dialog or a new window is likely to be."""
        self.dialogs.is_acting = self.popups.is_acting = acting

    def allow_navigation(self) -> None:
        """Whatever the page does from here on may have been asked for."""
        self.load_state.calm()
        self.navigation_block.disable()
        self.observer.touched = None

    @property
    def is_restless(self) -> bool:
        """Whether the page keeps navigating, or would if it were not held."""
        return self.navigation_block.is_on or self.load_state.is_restless

    @property
    def is_stuck(self) -> bool:
        """Whether the page may have to be got out of the way before another can take its place."""
        return self.is_suspect or self.is_restless

    # Going places

    async def navigate(self, url: str) -> None:
        """Load an address, as far as the document is parsed or the time allows."""
        await self.navigator.navigate(url)

    async def travel(self, steps: int) -> bool:
        """Go back or forward in history; False when there is nothing there."""
        return await self.navigator.travel(steps)

    async def reload(self) -> None:
        await self.navigator.reload()

    @property
    def status(self) -> int | None:
        """The HTTP status of the document that the tab shows, where it has one."""
        document = self.requests.document
        return document.status if document and _same_page(document.url, self.url) else None

    async def navigate_with(self, url: str, script: str | None) -> None:
        """Load an address with a script that runs ahead of the page's own, this once."""
        if script is None:
            return await self.navigate(url)
        added = await self.cdp.send("Page.addScriptToEvaluateOnNewDocument", {"source": script})
        try:
            await self.navigate(url)
        finally:
            await self.cdp.send("Page.removeScriptToEvaluateOnNewDocument", added)
        return None

    # Finding things

    async def resolve(self, target: str) -> Element:
        """The one element that a target means, or an error that says why there is not just one."""
        return await target_resolution.resolve(self, target)

    async def aim(self, target: str) -> Element | ViewportPoint:
        """The element, or the point of the viewport, that the pointer is to go to."""
        return await target_resolution.aim(self, target)

    async def resolve_all(self, target: str) -> list[Element]:
        """Every element that a target means; at least one."""
        return await target_resolution.resolve_all(self, target)

    async def find(self, spec: dict[str, str], limit: int) -> tuple[int, list[dict[str, Any]]]:
        """Search every frame; returns how many matches there are, and the first of them."""
        return await target_resolution.find(self, spec, limit)

    async def focused(self) -> Element:
        """What has the focus, in whichever frame."""
        return await hit_test.focused(self)

    async def every_world(self) -> list[World]:
        """The worlds of all frames that answer, the main one first."""
        below = await self.worlds.refresh(self.frame_patience)
        return [self.worlds.main, *(world for world in below if not world.is_silent)]

    # Looking

    @property
    def frame_patience(self) -> float:
        """How long a frame may take: no frame is worth the whole page."""
        return min(FRAME_PATIENCE, self.time_left / 4)

    async def local_storage(self) -> tuple[str, list[dict[str, str]]] | None:
        """What the page's origin has stored, as far as it is small; None where there is nothing to be had."""
        try:
            async with asyncio.timeout(PING_PATIENCE):
                kept = await self.worlds.main.call("most => rove.storedItems(most)", MOST_STORED)
        except (TimeoutError, CdpError, ScriptFailed):
            return None
        return (kept["origin"], kept["items"]) if kept else None

    async def take_screenshot(self, element: Element | None, full_page: bool, kind: ImageFormat) -> ScreenshotImage:
        """A picture of the viewport, of the whole page, or of an element."""
        box = await element.box() if element else None
        taking = asyncio.ensure_future(take_screenshot(self.cdp, box, full_page, kind, self.settings.observing.picture))
        try:
            await asyncio.wait({taking}, timeout=self.time_left / 2)
            if not taking.done() and not self.load_state.has("load"):
                # A page paints nothing while it waits for a style sheet, which may never come.
                self.page_events.add("loading stopped", "What the page was waiting for kept it from being shown.")
                self.stop_soon()
            return await taking
        finally:
            taking.cancel()

    async def marks(self, picture: ScreenshotImage) -> list[Mark]:
        """The pressable elements that a picture shows, and where in it they are."""
        seen = await self.observer.look(mode="interactive", boxes=True)
        return marks_in(picture, seen)

    async def next_change(self, patience: float) -> None:
        """Wait for the next change of the document, or for `patience` seconds."""
        began = time.monotonic()
        try:
            await self.worlds.main.call("ms => rove.nextChange(ms)", patience * 1000)
        except CdpError:
            # The document went away, which is a change; but a page that cannot be asked must not spin us.
            left = patience - (time.monotonic() - began)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.load_state.commits_after(self.load_state.commits), max(left, 0.01))

    async def shows_text(self, text: str) -> bool:
        return await self._any_world("text => rove.showsText(text)", text)

    async def shows_selector(self, css: str) -> bool:
        return await self._any_world("css => rove.showsSelector(css)", css)

    async def _any_world(self, function: str, *arguments: Any) -> bool:
        for world in await self.every_world():
            if await world.call(function, *arguments):
                return True
        return False

    async def scroll(self, direction: str, amount: int | None) -> dict[str, int]:
        answer = await self.worlds.main.call("(d, a) => rove.scrollPage(d, a)", direction, amount)
        return await scroll_by_wheel(self, self.worlds.main, answer)

    async def bypass_workers(self, bypass: bool) -> None:
        """Have the page ask the network itself, past its service worker; from its next request on."""
        self.bypasses_workers = bypass
        await asyncio.gather(*(self._bypass(cdp) for cdp in [self.cdp, *self.worlds.cdp_sessions]))

    async def _bypass(self, cdp: CdpSession) -> None:
        await cdp.send("Network.setBypassServiceWorker", {"bypass": self.bypasses_workers})

    async def upload(self, element: Element, paths: tuple[str, ...], drop: bool) -> list[str]:
        """Give files of the workspace to the page; returns their names."""
        largest = self.settings.limits.upload_megabytes * 2**20
        copies = await copy_files(self.settings.workspace_folder, paths, largest, self.scratch)
        await (drop_files(element, copies) if drop else set_files(self, element, copies))
        return [copy.name for copy in copies]

    async def evaluate(self, expression: str, element: Element | None) -> Any:
        """Run JavaScript among the page's own; a function is called, with the element if one is given."""
        return await evaluate(self.cdp, expression, element)

    # Trouble

    async def answers(self, patience: float) -> bool:
        """Whether the page's thread is free to run anything at all."""
        return await self._does("Runtime.evaluate", {"expression": "1"}, patience)

    async def suppress_dialogs(self, patience: float) -> bool:
        """Keep the page from opening dialogs; False if it is too busy even for that."""
        return await self._does("Runtime.evaluate", {"expression": SILENCE}, patience)

    async def _does(self, method: str, params: dict[str, Any] | None, patience: float) -> bool:
        """Whether the page does something in so many seconds."""
        try:
            async with asyncio.timeout(patience):
                await self.cdp.send(method, params)
        except (TimeoutError, CdpError):
            return False
        return True

    @property
    def awaited_server(self) -> str | None:
        """Who has not answered for the next document: until then nothing of ours reaches the page that is there."""
        document = self.requests.document
        return self.requests.silent_server if self.load_state.is_starting and document and document.is_awaited else None

    async def unless_replaced(self, work: Coroutine[Any, Any, R]) -> R | None:
        """What the page answers, unless another is on its way and its server takes its time."""
        working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(self.load_state.starts())
        try:
            await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({working}, timeout=LAST_WORDS)
            return None if not working.done() and self.awaited_server else await working
        finally:
            leaving.cancel()
            working.cancel()

    async def stay_or_arrive(self) -> None:
        """Wait for a document that is on its way; where its server does not answer in time, stay with what is there."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.time_to_wait):
                await self.load_state.rests()
        if server := self.awaited_server:
            self.page_events.add(
                "loading stopped", f"{server} had not answered, and the page before it is still there."
            )
            self.stop_soon()

    def stop_soon(self) -> None:
        """Stop whatever is loading; the browser does so even where the page does not answer."""
        self.load_state.stop()
        self.requests.stop()
        self._tell("Page.stopLoading")

    def _tell(self, method: str, params: dict[str, Any] | None = None) -> None:
        """Have something done, and wait for nothing."""
        self._later(_told(self.cdp, method, params))

    async def terminate_script(self) -> bool:
        """Stop whatever script the page is running; the page itself stays. False if it could not be reached."""
        return await self._does("Runtime.terminateExecution", None, BREAKING_OFF)

    def mark_browser_lost(self, reason: str) -> CdpError:
        """It is beyond help, not only for this tab: whoever waits for it is told, and the next call starts another."""
        self._connection.end()
        return CdpError(reason)

    def join(self, opener: Tab) -> None:
        """This page was opened by another, with which it may share its thread."""
        self.opener_group = opener.opener_group
        self.opener_group.add(self)

    # Ending

    async def close(self) -> None:
        """Close for good; bounded, whatever the page does."""
        await close_target(self._connection.root, self.cdp, self.target)

    def close_soon(self) -> None:
        self._later(self.close())


async def _told(cdp: CdpSession, method: str, params: dict[str, Any] | None = None) -> None:
    await cdp.send(method, params)


async def _unless_gone(work: Coroutine[Any, Any, None]) -> None:
    with contextlib.suppress(CdpError):
        await work


def _same_page(one: str, other: str) -> bool:
    return one.partition("#")[0] == other.partition("#")[0]
