"""One tab: where it is, what is on it, and hands to use it with."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from rove.chromium import finding
from rove.chromium.annotation import Mark, marks_in
from rove.chromium.console import Console, Contexts
from rove.chromium.dialogs import Dialogs
from rove.chromium.downloads import Pending
from rove.chromium.element import Element, Spot
from rove.chromium.evaluation import evaluate
from rove.chromium.happenings import Happenings
from rove.chromium.inspection import EmptyVault, Inspection, Vault, seen_through
from rove.chromium.keyboard import Keyboard
from rove.chromium.loading import Loading
from rove.chromium.mouse import Mouse
from rove.chromium.network import Network
from rove.chromium.observation import look, look_within
from rove.chromium.picture import Kind, Picture, photograph
from rove.chromium.scripts import page_script
from rove.chromium.surroundings import Surroundings
from rove.chromium.traffic import Traffic
from rove.chromium.uploads import copied, dropped, handed_over
from rove.chromium.viewport import resize
from rove.chromium.wire import Connection, Wire, WireError
from rove.chromium.workers import Workers
from rove.chromium.worlds import WORLD, World, Worlds
from rove.errors import (
    ElementGone,
    ElementNotFound,
    ElementNotReady,
    NavigationFailed,
    ScriptFailed,
)
from rove.settings import Settings
from rove.snapshot import Snapshot

CLOSING_PATIENCE = 2.0
# Bodies are fetched when asked for; the browser need not keep much of them, nor send along what a page uploads.
NETWORK_BUFFERS = {"maxTotalBufferSize": 20_000_000, "maxResourceBufferSize": 5_000_000, "maxPostDataSize": 1}
# Service workers belong to the whole session, which is told of them itself.
ATTACHED = [{"type": "service_worker", "exclude": True}, {}]
# A session's way out is in our own process and always open. A browser that does not find it has lost the process that
# knew of it, and all cookies with that: it is as good as gone.
NO_WAY_OUT = "net::ERR_PROXY_CONNECTION_FAILED"
PING_PATIENCE = 1.0
QUIET_ROUND = 1.0
MOST_STORED = 1_000_000


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
        self.dialogs = Dialogs()
        self.happenings = Happenings()
        self.downloads = Pending()
        self.surroundings = surroundings
        self.clipboard = surroundings.clipboard
        self.console = Console(self.happenings)
        # A page's main frame goes by the id of its target.
        self.traffic = Traffic(self.target, self.happenings)
        self.network = Network(self.target)
        self.workers = Workers(self.console, surroundings.conditions, self.network)
        self.loading = Loading(self.target, target["url"])
        self.worlds = Worlds(wire, self.target)
        self.mouse = Mouse(self)
        self.keyboard = Keyboard(self)
        self.inspection = Inspection(self)
        self.vault: Vault = EmptyVault()
        self.seen: Snapshot | None = None
        self.seen_document = 0
        self.is_crashed = False
        self.is_suspect = False
        self.bypasses_workers = False
        self.announced_popups = 0
        self.pictured: bytes | None = None
        self.on_chooser: Callable[[int], object] | None = None
        self._glance: dict[str, Any] | None = None
        self._background: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Listen, set the page up as every page of ours, and let it go on."""
        self.happenings.listen(self.session)
        self.console.listen(self.session, Contexts(self.session, self.target))
        self.network.listen(self.session, "page")
        self.loading.listen(self.session)
        self.session.on("Page.frameNavigated", self._on_navigated)
        self.session.on("Page.windowOpen", self._on_window_open)
        self.session.on("Inspector.targetCrashed", self._on_crash)
        size = self.settings.viewport
        await asyncio.gather(
            self._attach(self.session),
            self.session.send("Page.setLifecycleEventsEnabled", {"enabled": True}),
            resize(self.session, size.width, size.height),
            # Every page believes to be in front, so that none is throttled or loses its focus to another.
            self.session.send("Emulation.setFocusEmulationEnabled", {"enabled": True}),
        )

    async def _attach(self, wire: Wire) -> None:
        """What the page's wire and those of its separate frames have in common."""
        self.dialogs.listen(wire)
        self.traffic.listen(wire)
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
            wire.send("Page.addScriptToEvaluateOnNewDocument", script),
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
            self._later(self._attach(wire))
        elif target["type"] == "worker":
            self._later(self.workers.welcome(wire, target))
        else:
            self._later(_let_go(wire))

    def _on_navigated(self, event: dict[str, Any]) -> None:
        if "parentId" not in event["frame"]:
            self.worlds.forget()

    def _on_frame(self, event: dict[str, Any]) -> None:
        self.worlds.note_frame()

    def _on_window_open(self, event: dict[str, Any]) -> None:
        self.announced_popups += 1

    def _on_crash(self, event: dict[str, Any]) -> None:
        self.is_crashed = True

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
    def url(self) -> str:
        return self.loading.url

    async def title(self) -> str:
        # The browser process knows it without asking the page, which may be too busy to answer.
        answer = await self.session.send("Target.getTargetInfo")
        title: str = answer["targetInfo"]["title"]
        return title

    @property
    def time_left(self) -> float:
        """Seconds until the running action must have answered."""
        if self.deadline is None:
            return self.settings.deadlines.action
        return max(self.deadline - time.monotonic(), 0.0)

    # Going places

    async def navigate(self, url: str) -> None:
        """Load an address, as far as the document is parsed."""
        seen = self.loading.commits
        try:
            answer = await self.session.send("Page.navigate", {"url": url})
        except WireError as error:
            if self.session.is_closed:
                raise
            raise NavigationFailed(f"{url} cannot be opened: {error}.") from error
        if answer.get("isDownload"):
            await self.downloads.finish()
            return
        if answer.get("errorText") == NO_WAY_OUT:
            self._connection.end()
            raise WireError(f"{url}: the browser has lost its way out")
        if answer.get("errorText"):
            raise NavigationFailed(f"{answer['errorText']}: could not load {url}.")
        if "loaderId" in answer:
            await self._arrives(seen)
        else:
            # A move within the document, of which the news may come a moment after the answer.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PING_PATIENCE):
                    await self.loading.commits_after(seen)

    async def _arrives(self, seen: int) -> None:
        """Wait until the next document is there and parsed, or holds itself up with a dialog."""
        await self.loading.commits_after(seen)
        await self.dialogs.interrupts(self.loading.reaches("DOMContentLoaded"))

    @property
    def status(self) -> int | None:
        """The HTTP status of the document that the tab shows, where it has one."""
        document = self.traffic.document
        return document.status if document and _same_page(document.url, self.url) else None

    async def travel(self, steps: int) -> bool:
        """Go back or forward in history; False when there is nothing there."""
        history = await self.session.send("Page.getNavigationHistory")
        index = history["currentIndex"] + steps
        if not 0 <= index < len(history["entries"]):
            return False
        seen = self.loading.commits
        await self.session.send("Page.navigateToHistoryEntry", {"entryId": history["entries"][index]["id"]})
        await self._arrives(seen)
        return True

    async def reload(self) -> None:
        seen = self.loading.commits
        await self.session.send("Page.reload")
        await self._arrives(seen)

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
        for world in await self.every_world():
            await seen_through(world, await world.call("() => rove.typingFocus()"))
            if found := await world.call("() => rove.focused()"):
                return Element(self, world, found["ref"])
        raise ElementNotFound("Nothing on the page has the focus.", hint="Say where with `target`.")

    async def every_world(self) -> list[World]:
        """The worlds of all frames that answer, the main one first."""
        return [self.worlds.main, *(world for world in await self.worlds.refresh() if not world.is_silent)]

    # Looking

    async def look(self, element: Element | None = None, **options: Any) -> Snapshot:
        """The page, or one element of it, as it is now."""
        wanted = {name: value for name, value in options.items() if value is not None}
        if element is None:
            glance, self._glance = self._glance, None
            return await look(self.worlds, wanted, glance if not wanted else None)
        return await look_within(self.worlds, element.world, {**wanted, "root": element.local_ref})

    async def local_storage(self) -> tuple[str, list[dict[str, str]]] | None:
        """What the page's origin has stored, as far as it is small; None where there is nothing to be had."""
        try:
            async with asyncio.timeout(PING_PATIENCE):
                kept = await self.worlds.main.call("most => rove.storedItems(most)", MOST_STORED)
        except (TimeoutError, WireError, ScriptFailed):
            return None
        return (kept["origin"], kept["items"]) if kept else None

    def remember(self, snapshot: Snapshot) -> None:
        """This is what the agent has seen of the page; what changes is told from here on."""
        self.seen, self.seen_document = snapshot, self.loading.documents

    def unsee(self) -> None:
        """Nothing of the page as it is now has been seen, or will be told of."""
        self.seen, self._glance = None, None

    async def photograph(self, element: Element | None, full_page: bool, kind: Kind) -> Picture:
        """A picture of the viewport, of the whole page, or of an element."""
        box = await element.box() if element else None
        return await photograph(self.session, box, full_page, kind, self.settings.observing.picture)

    async def marks(self, picture: Picture) -> list[Mark]:
        """The pressable elements that a picture shows, and where in it they are."""
        seen = await self.look(mode="interactive", boxes=True)
        return marks_in(picture, seen)

    async def quiet(self, glance: bool) -> None:
        """Wait until a frame was painted that brought no change, and glance at the page in the same moment."""
        self._glance = None
        call = "ms => rove.quietThenRows(ms)" if glance else "ms => rove.quiet(ms)"
        with contextlib.suppress(WireError):  # the document went away, and whoever asked looks at the next
            while (answer := await self.worlds.main.call(call, QUIET_ROUND * 1000))["busy"]:
                pass
            self._glance = answer.get("rows")

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
        where: dict[str, int] = await self.worlds.main.call("(d, a) => rove.scrollPage(d, a)", direction, amount)
        return where

    async def bypass_workers(self, bypass: bool) -> None:
        """Have the page ask the network itself, past its service worker; from its next request on."""
        self.bypasses_workers = bypass
        await asyncio.gather(*(self._bypass(wire) for wire in [self.session, *self.worlds.wires]))

    async def _bypass(self, wire: Wire) -> None:
        await wire.send("Network.setBypassServiceWorker", {"bypass": self.bypasses_workers})

    async def upload(self, element: Element, paths: tuple[str, ...], drop: bool) -> list[str]:
        """Give files of the workspace to the page; returns their names."""
        copies = await copied(self.settings.workspace_folder, paths, self.scratch)
        await (dropped(element, copies) if drop else handed_over(self, element, copies))
        return [copy.name for copy in copies]

    async def evaluate(self, expression: str, element: Element | None) -> Any:
        """Run JavaScript among the page's own; a function is called, with the element if one is given."""
        return await evaluate(self.session, expression, element)

    # Frames

    async def origin_of(self, world: World) -> tuple[float, float]:
        """Where a frame's top left corner lies in the tab's viewport."""
        x = y = 0.0
        while world.parent is not None:
            corner = await world.parent.call("ref => rove.frameOrigin(ref)", await self.worlds.owner(world))
            if corner.get("gone"):
                raise ElementGone(f"The frame {world.prefix} is no longer on the page.")
            x, y, world = x + corner["x"], y + corner["y"], world.parent
        return x, y

    async def place(self, world: World, x: float, y: float) -> tuple[float, float]:
        """A point of a frame as a point of the tab, made sure that nothing outside covers it."""
        while world.parent is not None:
            owner, parent = await self.worlds.owner(world), world.parent
            corner = await parent.call("ref => rove.frameOrigin(ref)", owner)
            x, y = x + corner["x"], y + corner["y"]
            cover = await parent.call("(ref, x, y) => rove.hitsFrame(ref, x, y)", owner, x, y)
            if cover is not None:
                raise ElementNotReady(f"The frame {world.prefix} is covered by {cover} at that point.")
            world = parent
        return x, y

    # Trouble

    async def answers(self, patience: float = PING_PATIENCE) -> bool:
        """Whether the page's thread is free to run anything at all."""
        try:
            async with asyncio.timeout(patience):
                await self.session.send("Runtime.evaluate", {"expression": "1"})
        except (TimeoutError, WireError):
            return False
        return True

    async def break_off(self) -> None:
        """Stop whatever script the page is running; the page itself stays."""
        with contextlib.suppress(TimeoutError, WireError):
            async with asyncio.timeout(PING_PATIENCE):
                await self.session.send("Runtime.terminateExecution")

    # Ending

    async def close(self) -> None:
        """Close for good; bounded, because Chromium may acknowledge a close and not do it."""
        for _ in range(2):
            with contextlib.suppress(TimeoutError, WireError):
                async with asyncio.timeout(CLOSING_PATIENCE):
                    await self._connection.root.send("Target.closeTarget", {"targetId": self.target})
                return

    def close_soon(self) -> None:
        self._later(self.close())


async def _let_go(wire: Wire) -> None:
    """Not ours to drive, but it waits for someone to let it go."""
    await wire.send("Runtime.runIfWaitingForDebugger")


async def _unless_gone(work: Coroutine[Any, Any, None]) -> None:
    with contextlib.suppress(WireError):
        await work


def _same_page(one: str, other: str) -> bool:
    return one.partition("#")[0] == other.partition("#")[0]
