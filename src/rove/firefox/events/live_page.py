"""The page that a tab shows, over WebDriver BiDi."""

from __future__ import annotations

import asyncio
import contextlib
from functools import cached_property
from typing import Any

from rove.browser.network.schemes import is_web, scheme_refusal
from rove.errors import ScriptFailed
from rove.firefox.events.dialogs import Dialogs
from rove.firefox.events.load_state import LoadState, shown_url
from rove.firefox.events.request_tracker import RequestTracker
from rove.firefox.frames.document_script import DocumentScript
from rove.firefox.frames.scripts import MOVED_CHANNEL
from rove.firefox.frames.worlds import Worlds
from rove.firefox.interception.interceptor import Interceptor
from rove.firefox.interception.navigation_block import NavigationBlock
from rove.firefox.protocol.connection import BidiError, PageChannel
from rove.page import live_page
from rove.page.events.dialogs import SUPPRESS_DIALOGS
from rove.page.events.popups import DISABLE_WINDOW_OPEN
from rove.page.frames.frame_origins import FrameOrigins
from rove.page.frames.world import WORLD
from rove.page_text import PageText
from rove.refs import RefNumbers
from rove.settings.tree import Settings

# Seconds for a short script of rove's own.
SCRIPT_SECONDS = 2.0
ACTIVATION_SECONDS = 2.0


class LivePage(live_page.LivePage):
    """Follows one top-level browsing context from its first document to its last."""

    def __init__(
        self, channel: PageChannel, url: str, settings: Settings, ref_numbers: RefNumbers, interceptor: Interceptor
    ) -> None:
        super().__init__(channel.context, settings)
        self.channel = channel
        self._origins = FrameOrigins(channel.context, lambda: self.load_state.url, self._allows)
        self._dialogs = Dialogs(self.events, settings.deadlines.dialog, self.tasks, self._origins)
        max_bytes = settings.limits.page_megabytes * 2**20
        self._requests = RequestTracker(channel, self.events, max_bytes, self.stop_loading, self._origins)
        self._load_state = LoadState(channel, url)
        self._load_state.on_loaded = self._watch_idle
        self.navigation_block = NavigationBlock(channel.context, interceptor, self.tasks)
        self._worlds = Worlds(channel, ref_numbers)

    @cached_property
    def worlds(self) -> Worlds:
        return self._worlds

    @cached_property
    def origins(self) -> FrameOrigins:
        return self._origins

    @cached_property
    def dialogs(self) -> Dialogs:
        return self._dialogs

    @cached_property
    def requests(self) -> RequestTracker:
        return self._requests

    @cached_property
    def load_state(self) -> LoadState:
        return self._load_state

    @property
    def is_closed(self) -> bool:
        return self.channel.is_closed

    @property
    def keeps_navigating(self) -> bool:
        """Whether the page keeps navigating by itself, or is kept from it by the navigation block."""
        return self.navigation_block.is_on or self.load_state.keeps_navigating

    def listen(self) -> None:
        """Follow what Firefox reports of the page and its frames."""
        self.worlds.listen()
        self.requests.listen()
        self.load_state.listen()
        self.dialogs.listen(self.channel)
        self.channel.on("script.realmCreated", self._on_realm)
        self.channel.on("browsingContext.contextCreated", self._on_frame)
        self.channel.on("browsingContext.navigationStarted", self._on_started)
        self.channel.on("browsingContext.navigationCommitted", self._on_committed)
        self.channel.on("script.message", self._on_message)
        self.channel.on("dropped", self._on_dropped)

    def _on_message(self, event: dict[str, Any]) -> None:
        """Note a move in the history within the document, unless Firefox has told of it."""
        if event["channel"] != MOVED_CHANNEL or event["source"].get("context") != self.target_id:
            return
        url = str(event["data"].get("value") or "")
        if url != self.load_state.url or (self.requests.is_caller_waiting and not self.load_state.is_navigating):
            self.load_state.commit_within(url)

    def _on_realm(self, event: dict[str, Any]) -> None:
        if event.get("type") != "window" or "sandbox" in event or not event.get("context"):
            return
        if event["context"] == self.target_id:
            self.start_document()
        self.origins.note_realm(event["context"], event["origin"])

    def _on_frame(self, event: dict[str, Any]) -> None:
        if event["context"] != self.target_id:
            self.frame_order.number(event["context"])
            self.origins.note_document(event["context"], event.get("parent"), event["url"] or "about:blank")

    def _on_started(self, event: dict[str, Any]) -> None:
        url = event["url"]
        if url and not is_web(url) and not url.startswith("about:"):
            self.events.add("address refused", PageText(scheme_refusal(url), self.origins.of(event["context"])))

    def _on_committed(self, event: dict[str, Any]) -> None:
        world = next((world for world in self.worlds if world.frame_id == event["context"]), None)
        parent = world.parent.frame_id if world and world.parent else None
        url = shown_url(event["url"])
        self.origins.note_document(event["context"], parent, url)
        self.frame_order.note_document(event["context"], url)

    def _on_dropped(self, event: dict[str, Any]) -> None:
        if event["method"].startswith("browsingContext.context"):
            self.worlds.note_frame()  # Firefox is asked which frames there are when they are next used

    def _watch_idle(self, navigation: str) -> None:
        self.tasks.start(self.load_state.note_idle(navigation, lambda: bool(self.requests.pending)))

    # Commands to the page

    async def take_focus(self) -> None:
        """Make the window of the page the active one: in others, pages hear of no focus, and keys write no text."""
        # A page that does not answer in time is told of by the action itself.
        with contextlib.suppress(TimeoutError, BidiError, ScriptFailed):
            async with asyncio.timeout(ACTIVATION_SECONDS):
                if not await self._has_focus():
                    await self.channel.send("browsingContext.activate")
                    await self._restore_focus()

    async def _restore_focus(self) -> None:
        """Leave the active window and come back, if its page has no focus, as after a document of another process."""
        spare = self.channel.connection.spare_window
        if spare is not None and not await self._has_focus():
            await spare.send("browsingContext.activate")
            await self.channel.send("browsingContext.activate")

    async def _has_focus(self) -> bool:
        return bool(await self.worlds.main.call("() => document.hasFocus()"))

    async def title(self) -> PageText:
        try:
            answer = await self._evaluate("document.title", SCRIPT_SECONDS)
        except BidiError:
            return self.url.around("")  # the page was closed meanwhile, or does not answer
        return self.url.around(str(answer["result"].get("value") or ""))

    async def _evaluate(self, expression: str, timeout: float, sandbox: str | None = WORLD) -> dict[str, Any]:
        """Run an expression of rove's own; in the page's own realm if `sandbox` is None."""
        target = {"context": self.target_id, **({"sandbox": sandbox} if sandbox else {})}
        params = {"expression": expression, "target": target, "awaitPromise": False, "resultOwnership": "none"}
        answer = await self.channel.send("script.evaluate", params, timeout=timeout)
        if answer["type"] == "exception":
            raise BidiError("the page does not answer")
        return answer

    def allow_navigation(self) -> None:
        """Let the page navigate again, since the next action may cause it to."""
        self.load_state.forget_recent_commits()
        self.navigation_block.disable()

    async def block_navigation(self) -> None:
        """Keep a page that navigates by itself at the document it shows, until `allow_navigation`."""
        await self.navigation_block.enable()

    def document_script(self, source: str) -> DocumentScript:
        """Return a statement to run in rove's sandbox of the documents that load while it is in use."""
        return DocumentScript(self.channel, source)

    async def answers_within(self, timeout: float) -> bool:
        """Return whether the page's main thread is free to run a script within `timeout` seconds."""
        return await self._succeeds("1", timeout)

    async def suppress_dialogs(self, timeout: float) -> bool:
        """Keep the page from opening dialogs; False if it did not answer within `timeout` seconds."""
        return await self._succeeds(SUPPRESS_DIALOGS, timeout, None)

    async def terminate_script(self) -> bool:
        """Return False: WebDriver BiDi has no command that ends a script."""
        return False

    async def _succeeds(self, expression: str, timeout: float, sandbox: str | None = WORLD) -> bool:
        try:
            async with asyncio.timeout(timeout):
                await self._evaluate(expression, timeout * 2, sandbox)
        except (TimeoutError, BidiError):
            return False
        return True

    def stop_opening_windows(self) -> None:
        """Keep a page that opens one window after another from opening more."""
        self.tasks.start(self._run_soon(DISABLE_WINDOW_OPEN, None))

    def stop_loading(self) -> None:
        """Stop loading, if the page answers: Firefox has no command for it but the page's own."""
        self.load_state.mark_stopped()
        self.requests.mark_stopped()
        self.tasks.start(self._run_soon("window.stop()", WORLD))

    async def _run_soon(self, expression: str, sandbox: str | None) -> None:
        with contextlib.suppress(BidiError):
            await self._evaluate(expression, SCRIPT_SECONDS, sandbox)
