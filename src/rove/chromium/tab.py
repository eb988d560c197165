"""One tab: where it is, what is on it, and hands to use it with."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from rove.chromium import finding, whereabouts
from rove.chromium.annotation import Mark, marks_in
from rove.chromium.closing import close_target
from rove.chromium.console import Console, Contexts
from rove.chromium.dialogs import SILENCE, Dialogs
from rove.chromium.downloads import Pending
from rove.chromium.element import Element, Spot, turned
from rove.chromium.evaluation import evaluate
from rove.chromium.gaze import Gaze
from rove.chromium.happenings import Happenings
from rove.chromium.inspection import EmptyVault, Inspection, Vault
from rove.chromium.journeys import Journeys
from rove.chromium.keyboard import Keyboard
from rove.chromium.kinship import Kinship
from rove.chromium.loading import Loading, is_web, refusal
from rove.chromium.modes import Modes
from rove.chromium.mouse import Mouse
from rove.chromium.network import Network
from rove.chromium.picture import Kind, Picture, photograph
from rove.chromium.popups import Popups
from rove.chromium.presses import Presses
from rove.chromium.restraint import Restraint
from rove.chromium.scripts import page_script, refusing_script
from rove.chromium.surroundings import Surroundings
from rove.chromium.traffic import Traffic
from rove.chromium.uploads import copied, dropped, handed_over
from rove.chromium.viewport import resize
from rove.chromium.wire import Connection, Wire, WireError
from rove.chromium.workers import Workers
from rove.chromium.worlds import FRAME_PATIENCE, WORLD, World, Worlds
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
        wire: Wire,
        connection: Connection,
        target: dict[str, Any],
        identity: str,
        settings: Settings,
        scratch: Path,
        surroundings: Surroundings,
    ) -> None:
        self.session = wire
        self.id = identity
        self.settings = settings
        self.target: str = target["targetId"]
        self._connection = connection
        self.scratch = scratch
        self.lock = asyncio.Lock()
        self.deadline: float | None = None
        self._allotted = settings.deadlines.action
        self.happenings = Happenings()
        self.dialogs = Dialogs(self.happenings, settings.deadlines.dialog)
        self.downloads = Pending()
        self.surroundings = surroundings
        self.clipboard = surroundings.clipboard
        self.console = Console(self.happenings)
        # A page's main frame goes by the id of its target.
        self.traffic = Traffic(self.target, self.happenings, settings.limits.page_megabytes * 2**20, self.stop_soon)
        self.network = Network(self.target)
        self.workers = Workers(self.console, surroundings.conditions, self.network, self.happenings)
        self.loading = Loading(self.target, target["url"])
        self.journeys = Journeys(self)
        self.restraint = Restraint(wire, self.target, self._tell)
        self.worlds = Worlds(wire, self.target)
        self.modes = Modes(self.worlds.main, self.happenings)
        self.presses = Presses()
        self.mouse = Mouse(self)
        self.keyboard = Keyboard(self)
        self.inspection = Inspection(self)
        self.vault: Vault = EmptyVault()
        self.gaze = Gaze(self)
        self.crashed = asyncio.Event()
        self.is_suspect = False
        self.bypasses_workers = False
        self.popups = Popups(self.happenings, settings.limits.tabs, self._tell)
        self.pictured: bytes | None = None
        self.on_chooser: Callable[[int], object] | None = None
        # In somebody's own browser: the page keeps the size of its window, and the browser is not ours to give up.
        self.is_guest = False
        self._background: set[asyncio.Task[None]] = set()
        self.kinship = Kinship()
        self.kinship.add(self)

    async def open(self) -> None:
        """Listen, set the page up as every page of ours, and let it go on."""
        self.console.listen(self.session, Contexts(self.session, self.target))
        self.network.listen(self.session, "page")
        self.loading.listen(self.session)
        self.session.on("Page.frameNavigated", self._on_navigated)
        self.popups.listen(self.session)
        self.restraint.listen()
        self.session.on("Page.frameRequestedNavigation", self._on_requested)
        self.session.on("Inspector.targetCrashed", self._on_crash)
        size = self.settings.viewport
        await asyncio.gather(
            self._attach(self.session),
            self.session.send("Page.setLifecycleEventsEnabled", {"enabled": True}),
            *([] if self.is_guest else [resize(self.session, size.width, size.height)]),
            # Every page believes to be in front, so that none is throttled or loses its focus to another.
            self.session.send("Emulation.setFocusEmulationEnabled", {"enabled": True}),
        )

    async def catch_up(self) -> None:
        """A page that was there before us may hold frames, and may still be on its way to where it is said to be."""
        said = self.url
        tree = await self.session.send("Page.getFrameTree")
        self.loading.find(tree["frameTree"]["frame"])
        self.worlds.note_frame()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CATCHING_UP):
                if not _same_page(said, self.url):
                    await self.loading.commits_after(0)
                await self.loading.reaches("DOMContentLoaded")

    async def _attach(self, wire: Wire) -> None:
        """What the page's wire and those of its separate frames have in common."""
        self.dialogs.listen(wire)
        self.traffic.listen(wire)
        self.worlds.listen(wire)
        self.presses.listen(wire)
        wire.on("Target.attachedToTarget", self._on_attached)
        wire.on("Page.fileChooserOpened", self._on_chooser)
        wire.on("Page.frameAttached", self._on_frame)
        script = {"source": page_script(), "worldName": WORLD}
        attach = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True, "filter": ATTACHED}
        await asyncio.gather(
            wire.send("Page.enable"),
            wire.send("Runtime.enable"),
            wire.send("Log.enable"),
            wire.send("Network.enable", NETWORK_BUFFERS),
            self.surroundings.conditions.join(wire),
            self.clipboard.listen(wire),
            *([self._bypass(wire)] if self.bypasses_workers else []),
            self.modes.listen(wire),
            wire.send("Page.addScriptToEvaluateOnNewDocument", script),
            wire.send("Page.addScriptToEvaluateOnNewDocument", {"source": refusing_script()}),
            self.inspection.expect(wire),
            wire.send("Page.setInterceptFileChooserDialog", {"enabled": True}),
            wire.send("Target.setAutoAttach", attach),
            wire.send("Runtime.runIfWaitingForDebugger"),
        )

    def _on_attached(self, event: dict[str, Any]) -> None:
        wire, target = self._connection.wire(event["sessionId"]), event["targetInfo"]
        if target["type"] == "iframe":
            self.worlds.add_separate(target["targetId"], wire)
            self.console.listen(wire, Contexts(wire, None))
            self.network.listen(wire, "frame")
            wire.on("Inspector.targetCrashed", self._on_frame_crash)
            self._later(self._attach(wire))
        elif target["type"] == "worker":
            self._later(self.workers.welcome(wire, target))
        else:
            # Workers are not ours to drive, but they wait for someone to let them go.
            self._later(_told(wire, "Runtime.runIfWaitingForDebugger"))

    def _on_navigated(self, event: dict[str, Any]) -> None:
        if "parentId" not in event["frame"]:
            self.worlds.forget()
            self.modes.start_anew()
            self.dialogs.start_anew()
            self.popups.start_anew()

    def _on_frame(self, event: dict[str, Any]) -> None:
        self.worlds.note_frame()

    def _on_requested(self, event: dict[str, Any]) -> None:
        if not is_web(event["url"]):
            self.happenings.add("address refused", refusal(event["url"]))

    def _on_crash(self, event: dict[str, Any]) -> None:
        self.crashed.set()

    def _on_frame_crash(self, event: dict[str, Any]) -> None:
        self.happenings.add("frame crashed", "What it showed is gone; browser_reload brings it back.")

    def _on_chooser(self, event: dict[str, Any]) -> None:
        if self.on_chooser is not None and "backendNodeId" in event:
            answer, self.on_chooser = self.on_chooser, None
            answer(event["backendNodeId"])
        else:
            self.happenings.add("file chooser", "The page asks for files: give them with browser_upload.")

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(_unless_gone(work))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    @property
    def is_crashed(self) -> bool:
        return self.crashed.is_set()

    @property
    def url(self) -> str:
        return self.loading.url

    async def title(self) -> str:
        # The browser process knows it without asking the page, which may be too busy to answer.
        try:
            answer = await self.session.send("Target.getTargetInfo")
        except WireError:
            if not self.session.is_closed:
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

    def is_acted_on(self, acting: bool) -> None:
        """Say whether an act is under way, whose answer a dialog or a new window is likely to be."""
        self.dialogs.is_acting = self.popups.is_acting = acting

    def let_move(self) -> None:
        """Whatever the page does from here on may have been asked for."""
        self.loading.calm()
        self.restraint.take_off()
        self.gaze.touched = None

    @property
    def is_restless(self) -> bool:
        """Whether the page keeps navigating, or would if it were not held."""
        return self.restraint.is_on or self.loading.is_restless

    @property
    def is_stuck(self) -> bool:
        """Whether the page may have to be got out of the way before another can take its place."""
        return self.is_suspect or self.is_restless

    # Going places

    async def navigate(self, url: str) -> None:
        """Load an address, as far as the document is parsed or the time allows."""
        await self.journeys.navigate(url)

    async def travel(self, steps: int) -> bool:
        """Go back or forward in history; False when there is nothing there."""
        return await self.journeys.travel(steps)

    async def reload(self) -> None:
        await self.journeys.reload()

    @property
    def status(self) -> int | None:
        """The HTTP status of the document that the tab shows, where it has one."""
        document = self.traffic.document
        return document.status if document and _same_page(document.url, self.url) else None

    async def navigate_with(self, url: str, script: str | None) -> None:
        """Load an address with a script that runs ahead of the page's own, this once."""
        if script is None:
            return await self.navigate(url)
        added = await self.session.send("Page.addScriptToEvaluateOnNewDocument", {"source": script})
        try:
            await self.navigate(url)
        finally:
            await self.session.send("Page.removeScriptToEvaluateOnNewDocument", added)
        return None

    # Finding things

    async def resolve(self, target: str) -> Element:
        """The one element that a target means, or an error that says why there is not just one."""
        return await finding.resolve(self, target)

    async def aim(self, target: str) -> Element | Spot:
        """The element, or the point of the viewport, that the pointer is to go to."""
        return await finding.aim(self, target)

    async def resolve_all(self, target: str) -> list[Element]:
        """Every element that a target means; at least one."""
        return await finding.resolve_all(self, target)

    async def find(self, spec: dict[str, str], limit: int) -> tuple[int, list[dict[str, Any]]]:
        """Search every frame; returns how many matches there are, and the first of them."""
        return await finding.find(self, spec, limit)

    async def focused(self) -> Element:
        """What has the focus, in whichever frame."""
        return await whereabouts.focused(self)

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
        except (TimeoutError, WireError, ScriptFailed):
            return None
        return (kept["origin"], kept["items"]) if kept else None

    async def photograph(self, element: Element | None, full_page: bool, kind: Kind) -> Picture:
        """A picture of the viewport, of the whole page, or of an element."""
        box = await element.box() if element else None
        taking = asyncio.ensure_future(photograph(self.session, box, full_page, kind, self.settings.observing.picture))
        try:
            await asyncio.wait({taking}, timeout=self.time_left / 2)
            if not taking.done() and not self.loading.has("load"):
                # A page paints nothing while it waits for a style sheet, which may never come.
                self.happenings.add("loading stopped", "What the page was waiting for kept it from being shown.")
                self.stop_soon()
            return await taking
        finally:
            taking.cancel()

    async def marks(self, picture: Picture) -> list[Mark]:
        """The pressable elements that a picture shows, and where in it they are."""
        seen = await self.gaze.look(mode="interactive", boxes=True)
        return marks_in(picture, seen)

    async def pulse(self, patience: float) -> None:
        """Wait for the next change of the document, or for `patience` seconds."""
        began = time.monotonic()
        try:
            await self.worlds.main.call("ms => rove.nextChange(ms)", patience * 1000)
        except WireError:
            # The document went away, which is a change; but a page that cannot be asked must not spin us.
            left = patience - (time.monotonic() - began)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.loading.commits_after(self.loading.commits), max(left, 0.01))

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
        return await turned(self, self.worlds.main, answer)

    async def bypass_workers(self, bypass: bool) -> None:
        """Have the page ask the network itself, past its service worker; from its next request on."""
        self.bypasses_workers = bypass
        await asyncio.gather(*(self._bypass(wire) for wire in [self.session, *self.worlds.wires]))

    async def _bypass(self, wire: Wire) -> None:
        await wire.send("Network.setBypassServiceWorker", {"bypass": self.bypasses_workers})

    async def upload(self, element: Element, paths: tuple[str, ...], drop: bool) -> list[str]:
        """Give files of the workspace to the page; returns their names."""
        largest = self.settings.limits.upload_megabytes * 2**20
        copies = await copied(self.settings.workspace_folder, paths, largest, self.scratch)
        await (dropped(element, copies) if drop else handed_over(self, element, copies))
        return [copy.name for copy in copies]

    async def evaluate(self, expression: str, element: Element | None) -> Any:
        """Run JavaScript among the page's own; a function is called, with the element if one is given."""
        return await evaluate(self.session, expression, element)

    # Trouble

    async def answers(self, patience: float) -> bool:
        """Whether the page's thread is free to run anything at all."""
        return await self._does("Runtime.evaluate", {"expression": "1"}, patience)

    async def hush(self, patience: float) -> bool:
        """Keep the page from opening dialogs; False if it is too busy even for that."""
        return await self._does("Runtime.evaluate", {"expression": SILENCE}, patience)

    async def _does(self, method: str, params: dict[str, Any] | None, patience: float) -> bool:
        """Whether the page does something in so many seconds."""
        try:
            async with asyncio.timeout(patience):
                await self.session.send(method, params)
        except (TimeoutError, WireError):
            return False
        return True

    @property
    def awaited_server(self) -> str | None:
        """Who has not answered for the next document: until then nothing of ours reaches the page that is there."""
        document = self.traffic.document
        return self.traffic.silent_server if self.loading.is_starting and document and document.is_awaited else None

    async def unless_replaced(self, work: Coroutine[Any, Any, R]) -> R | None:
        """What the page answers, unless another is on its way and its server takes its time."""
        working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(self.loading.starts())
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
                await self.loading.rests()
        if server := self.awaited_server:
            self.happenings.add("loading stopped", f"{server} had not answered, and the page before it is still there.")
            self.stop_soon()

    def stop_soon(self) -> None:
        """Stop whatever is loading; the browser does so even where the page does not answer."""
        self.loading.stop()
        self.traffic.stop()
        self._tell("Page.stopLoading")

    def _tell(self, method: str, params: dict[str, Any] | None = None) -> None:
        """Have something done, and wait for nothing."""
        self._later(_told(self.session, method, params))

    async def break_off(self) -> bool:
        """Stop whatever script the page is running; the page itself stays. False if it could not be reached."""
        return await self._does("Runtime.terminateExecution", None, BREAKING_OFF)

    def give_up_browser(self, reason: str) -> WireError:
        """It is beyond help, not only for this tab: whoever waits for it is told, and the next call starts another."""
        self._connection.end()
        return WireError(reason)

    def join(self, opener: Tab) -> None:
        """This page was opened by another, with which it may share its thread."""
        self.kinship = opener.kinship
        self.kinship.add(self)

    # Ending

    async def close(self) -> None:
        """Close for good; bounded, whatever the page does."""
        await close_target(self._connection.root, self.session, self.target)

    def close_soon(self) -> None:
        self._later(self.close())


async def _told(wire: Wire, method: str, params: dict[str, Any] | None = None) -> None:
    await wire.send(method, params)


async def _unless_gone(work: Coroutine[Any, Any, None]) -> None:
    with contextlib.suppress(WireError):
        await work


def _same_page(one: str, other: str) -> bool:
    return one.partition("#")[0] == other.partition("#")[0]
