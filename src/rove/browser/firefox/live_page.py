"""The page that a tab shows: its document, requests and dialogs, as Firefox reports them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal
from urllib.parse import parse_qs, urlsplit

from rove.browser.consequences import RefuseDocument
from rove.browser.firefox.connection import BidiError, PageChannel
from rove.browser.firefox.frames import MOVED_CHANNEL, DocumentScript, Worlds
from rove.browser.firefox.interception import Interceptor
from rove.browser.firefox.network import chromium_name, headers_of, kind_of
from rove.browser.network import is_web, scheme_refusal
from rove.browser.refs import RefNumbers
from rove.browser.shared import dialogs, live_page, loading
from rove.browser.shared.dialogs import SUPPRESS_DIALOGS
from rove.browser.shared.frames import WORLD
from rove.browser.shared.interception import NavigationBlock
from rove.browser.shared.loading import ABORTED
from rove.browser.shared.popups import DISABLE_WINDOW_OPEN
from rove.errors import ScriptFailed
from rove.page_text import PageText
from rove.settings.tree import Settings

Ending = Literal["committed", "failed", "download"]
# The addresses of the pages that Firefox shows for what it cannot load; they name the address in `u`.
ERROR_PAGES = ("about:neterror", "about:certerror", "about:blocked", "about:httpsonlyerror")
# Endings of navigations that are remembered.
MAX_ENDINGS = 50

# Seconds for a script that keeps the page from opening more dialogs: while one is open, no script runs.
SUPPRESS_TIMEOUT = 2.0

# Seconds for a short script of rove's own.
SCRIPT_SECONDS = 2.0
ACTIVATION_SECONDS = 2.0


class LoadState(loading.LoadState):
    """Follows the main frame's document through the events of its page."""

    def __init__(self, channel: PageChannel, url: str) -> None:
        super().__init__(url)
        self._channel = channel
        # How navigations have ended, by their ids.
        self._endings: dict[str, Ending] = {}
        self._types: dict[str, str] = {}
        # Called when a document has loaded, to tell when its requests are over.
        self.on_loaded: Callable[[str], object] = lambda navigation: None

    def listen(self) -> None:
        on = self._channel.on
        on("browsingContext.navigationStarted", self._own(self._on_started))
        on("browsingContext.navigationCommitted", self._own(self._on_committed))
        on("browsingContext.navigationFailed", self._own(lambda event: self._end(event["navigation"], "failed")))
        on("browsingContext.navigationAborted", self._own(lambda event: self._end(event["navigation"], "failed")))
        on("browsingContext.downloadWillBegin", self._own(lambda event: self._end(event["navigation"], "download")))
        on("browsingContext.fragmentNavigated", self._own(lambda event: self._on_within(event)))
        on("browsingContext.historyUpdated", self._own(lambda event: self.commit_within(event["url"])))
        on("browsingContext.domContentLoaded", self._own(lambda event: self._on_stage("DOMContentLoaded", event)))
        on("browsingContext.load", self._own(lambda event: self._on_stage("load", event)))
        on("network.beforeRequestSent", self._own(self._on_request))
        on("network.responseStarted", self._own(self._on_response))
        on("network.fetchError", self._own(self._on_error))

    @property
    def loader(self) -> str | None:
        """The navigation that led to the document that is shown."""
        return self._loader

    def _own(self, handler: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], object]:
        """Return a handler for the events of the main frame alone."""
        return lambda event: handler(event) if event["context"] == self._channel.context else None

    def _on_started(self, event: dict[str, Any]) -> None:
        if is_web(event["url"]):
            self.note_started()

    def _on_committed(self, event: dict[str, Any]) -> None:
        navigation = event["navigation"] or ""
        mime_type = self._types.pop(navigation, "")
        self._types.clear()
        self.begin_document(navigation)
        self._endings[navigation] = "committed"
        self.commit_document(shown_url(event["url"]), navigation, mime_type)
        self._forget_old()

    def _on_within(self, event: dict[str, Any]) -> None:
        self._endings[event["navigation"] or ""] = "committed"
        self.commit_within(event["url"])

    def _on_stage(self, stage: str, event: dict[str, Any]) -> None:
        navigation = event["navigation"] or ""
        self.reach(stage, navigation)
        if event["url"].startswith(ERROR_PAGES):
            self.note_body_failed(navigation)  # Firefox reports no `load` for its own page about an error
        elif stage == "load":
            self.on_loaded(navigation)

    def _on_request(self, event: dict[str, Any]) -> None:
        """Note a navigation that is tried again: Firefox reports no other start of one that was stopped."""
        navigation = event.get("navigation")
        if navigation and self._endings.get(navigation) == "failed":
            del self._endings[navigation]
            self.note_started()

    def _on_response(self, event: dict[str, Any]) -> None:
        if event.get("navigation"):
            self._types[event["navigation"]] = event["response"].get("mimeType", "").partition(";")[0].strip().lower()

    def _on_error(self, event: dict[str, Any]) -> None:
        if event.get("navigation"):
            self.note_body_failed(event["navigation"])
            self._end(event["navigation"], "failed")  # of one without content, Firefox reports no end of its own

    def _end(self, navigation: str | None, how: Ending) -> None:
        self._endings[navigation or ""] = how
        self._forget_old()
        self.note_loading_stopped()

    def _forget_old(self) -> None:
        while len(self._endings) > MAX_ENDINGS:
            del self._endings[next(iter(self._endings))]

    async def wait_until_navigating_or_committed(self) -> None:
        """Wait until the first document after the empty one is requested."""
        while not self.is_navigating and not self.commits:
            await self._next_event()

    async def wait_for_ending(self, navigation: str) -> Ending:
        """Wait until a navigation has led to a document or to a download, or has failed."""
        while (how := self._endings.get(navigation)) is None:
            await self._next_event()
        return how


def shown_url(url: str) -> str:
    """Return the address that a person sees: for Firefox's page about an error, that of what could not be loaded."""
    if not url.startswith(ERROR_PAGES):
        return url
    named = parse_qs(urlsplit(url).query).get("u", [""])[0]
    return named or url.partition("?")[0]


class RequestTracker(loading.RequestTracker):
    """Pending requests of a page and its frames. The id of the request for a document is that of its navigation."""

    counted: ClassVar[Mapping[str, int]] = {
        "network.beforeRequestSent": 1,
        "network.responseCompleted": -1,
        "network.fetchError": -1,
    }

    def listen(self, channel: PageChannel) -> None:
        channel.on("network.beforeRequestSent", self._on_request)
        channel.on("network.responseStarted", self._on_response)
        channel.on("network.responseCompleted", self._on_completed)
        channel.on("network.fetchError", self._on_failure)
        channel.on("dropped", self.note_dropped)

    def _identity(self, event: dict[str, Any]) -> str:
        is_document = event["context"] == self._main_frame and event.get("navigation")
        return str(event["navigation"] if is_document else event["request"]["request"])

    def _on_request(self, event: dict[str, Any]) -> None:
        identity, request = self._identity(event), event["request"]
        if identity == event.get("navigation"):
            self.begin_document(identity, request["url"], event["redirectCount"] > 0)
        is_local = request["url"].startswith(("blob:", "data:"))
        resource = "" if is_local else kind_of(request)
        self.begin(identity, request["method"], request["url"], self._origins.of(event["context"]), resource)

    def _on_response(self, event: dict[str, Any]) -> None:
        response = event["response"]
        self.respond(self._identity(event), response["status"], headers_of(response))

    def _on_completed(self, event: dict[str, Any]) -> None:
        identity, response = self._identity(event), event["response"]
        if 300 <= response["status"] < 400 and identity == event.get("navigation"):
            return  # a redirect, whose next request has the same id
        # Firefox tells the size of a document only at its end.
        self.receive(identity, response.get("content", {}).get("size") or response.get("bytesReceived") or 0)
        self.end(identity)

    def _on_failure(self, event: dict[str, Any]) -> None:
        error = chromium_name(event["errorText"])
        self.fail(self._identity(event), error, error == ABORTED)


class Dialogs(dialogs.Dialogs):
    """The dialog that blocks a tab, if there is one."""

    def listen(self, channel: PageChannel) -> None:
        channel.on("browsingContext.userPromptOpened", lambda event: self._on_opened(event, channel))
        channel.on("browsingContext.userPromptClosed", lambda _: self.note_closed())

    def _on_opened(self, event: dict[str, Any], channel: PageChannel) -> None:
        asker, origin = Asker(channel, event["context"]), self._origins.of(event["context"])
        self.note_opened(asker, event["type"], origin, event.get("message") or "", event.get("defaultValue") or "")


class Asker(dialogs.Asker):
    """The page that has opened a dialog; `context`: the frame of it that did."""

    def __init__(self, channel: PageChannel, context: str) -> None:
        self._channel = channel
        self._context = context

    async def answer_dialog(self, accept: bool, text: str | None) -> None:
        answer = {"accept": accept, **({"userText": text} if text is not None else {})}
        with contextlib.suppress(BidiError):  # the dialog or the page was closed meanwhile
            await self._channel.send("browsingContext.handleUserPrompt", answer)

    async def suppress_dialogs(self) -> None:
        params = {
            "expression": SUPPRESS_DIALOGS,
            "target": {"context": self._context},
            "awaitPromise": False,
            "resultOwnership": "none",
        }
        with contextlib.suppress(BidiError):  # the page was closed meanwhile, or does not answer
            await self._channel.send("script.evaluate", params, timeout=SUPPRESS_TIMEOUT)

    async def terminate_script(self) -> None:
        """End the script of a page that opens dialogs in a loop; Firefox does that only with the document."""
        with contextlib.suppress(BidiError):
            params = {"url": "about:blank", "wait": "none"}
            await self._channel.send("browsingContext.navigate", params, timeout=SUPPRESS_TIMEOUT)


class LivePage(live_page.LivePage):
    """Follows one top-level browsing context from its first document to its last."""

    dialogs_type, requests_type = Dialogs, RequestTracker
    dialogs: Dialogs
    requests: RequestTracker

    def __init__(
        self, channel: PageChannel, url: str, settings: Settings, ref_numbers: RefNumbers, interceptor: Interceptor
    ) -> None:
        super().__init__(channel.context, settings)
        self.channel = channel
        self.load_state: LoadState = LoadState(channel, url)
        self.load_state.on_loaded = self._watch_idle
        self._interceptor = interceptor
        self.navigation_block = NavigationBlock(interceptor, channel.context, channel.context, self.tasks)
        self.worlds: Worlds = Worlds(channel, ref_numbers)

    @property
    def is_closed(self) -> bool:
        return self.channel.is_closed

    def listen(self) -> None:
        """Follow what Firefox reports of the page and its frames."""
        self.worlds.listen()
        self.requests.listen(self.channel)
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

    async def hold_documents(self, refuses: RefuseDocument) -> None:
        await self._interceptor.hold_documents(self.target_id, refuses)

    async def release_documents(self) -> None:
        await self._interceptor.release_documents(self.target_id)

    def document_script(self, source: str) -> DocumentScript:
        """Return a statement to run in rove's sandbox of the documents that load while it is in use."""
        return DocumentScript(self.channel, source)

    async def answers_within(self, timeout: float) -> bool:
        """Return whether the page's main thread is free to run a script within `timeout` seconds."""
        return await self._is_answered(self._evaluate("1", timeout * 2), timeout)

    async def suppress_dialogs(self, timeout: float) -> bool:
        """Keep the page from opening dialogs; False if it did not answer within `timeout` seconds."""
        return await self._is_answered(self._evaluate(SUPPRESS_DIALOGS, timeout * 2, None), timeout)

    def stop_opening_windows(self) -> None:
        """Keep a page that opens one window after another from opening more."""
        self.tasks.start(self._run_soon(DISABLE_WINDOW_OPEN, None))

    def send_stop(self) -> None:
        """Stop loading, if the page answers: Firefox has no command for it but the page's own."""
        self.tasks.start(self._run_soon("window.stop()", WORLD))

    async def _run_soon(self, expression: str, sandbox: str | None) -> None:
        with contextlib.suppress(BidiError):
            await self._evaluate(expression, SCRIPT_SECONDS, sandbox)
