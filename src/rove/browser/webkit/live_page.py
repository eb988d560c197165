"""The page that a tab shows. WebDriver sends no events: rove's script in the page is asked for them all the time."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections.abc import Awaitable, Callable
from typing import Any

from rove.browser.consequences import RefuseDocument
from rove.browser.page_data import DocumentRequest
from rove.browser.refs import RefNumbers
from rove.browser.scripts import NONCE
from rove.browser.shared import live_page
from rove.browser.shared.dialogs import SUPPRESS_DIALOGS, Asker, Dialogs
from rove.browser.shared.frames import FrameOrigins
from rove.browser.shared.loading import LoadState
from rove.browser.shared.popups import DISABLE_WINDOW_OPEN
from rove.browser.webkit.connection import AlertOpen, DocumentGone, Driver, DriverLost, Place, WebDriverError
from rove.browser.webkit.frames import DocumentScript, Worlds
from rove.browser.webkit.unsupported import unsupported
from rove.errors import RoveError
from rove.page_text import PageText
from rove.settings.tree import Settings

_FIRST_MARK = 0xFE00
_MARKS_PER_UNIT = 4
_END = "\u2060"
_KINDS = ("alert", "confirm", "prompt")

# Milliseconds that rove's script waits for something to report.
REPORT_MS = 10_000
# Seconds between two looks at a navigation whose server has not answered.
LOOK_SECONDS = 0.05
# A page that has said that it leaves, and asks for no other address for so long, stays.
STAY_SECONDS = 1.0
# Seconds after a failed question before the page is asked again.
PAUSE_SECONDS = 0.1
# Seconds that an action waits for what the page has reported.
REPORT_SECONDS = 0.5
# What is handled of the reports of frames.
_REPORTS_OF_FRAMES = frozenset({"roveTell", "roveCopied"})
TITLE_SECONDS = 2.0
# Seconds beyond the time of the action that input may take, so that the action's own deadline comes first.
ACTION_SECONDS = 5.0
# The document stages that a `readyState` means.
_STAGES: dict[str, tuple[str, ...]] = {
    "loading": (),
    "interactive": ("DOMContentLoaded",),
    "complete": ("DOMContentLoaded", "load", "networkIdle"),
}


def read_alert(text: str) -> tuple[str, str, str] | None:
    """Return the kind, the message and the default of a dialog; None if rove's script was not there to write them."""
    marks, found, message = text.partition(_END)
    units = [marks[start : start + _MARKS_PER_UNIT] for start in range(0, len(marks), _MARKS_PER_UNIT)]
    if not found or any(not 0 <= ord(mark) - _FIRST_MARK < 16 for mark in marks):
        return None
    told = "".join(chr(int("".join(f"{ord(mark) - _FIRST_MARK:x}" for mark in unit), 16)) for unit in units)
    kind, preset = told.removeprefix(NONCE)[:1], told[len(NONCE) + 1 :]
    if not told.startswith(NONCE) or kind not in ("0", "1", "2"):
        return None
    return _KINDS[int(kind)], message, preset


class Alerts(Asker):
    """Notes the dialog that is open in a window, and passes its answer on.

    `before_note` is awaited for each dialog before it is noted, with whether rove's script was there when it opened.
    """

    def __init__(
        self,
        driver: Driver,
        place: Place,
        dialogs: Dialogs,
        origins: FrameOrigins,
        before_note: Callable[[bool], Awaitable[None]],
    ) -> None:
        self._driver = driver
        self._place = place
        self._dialogs = dialogs
        self._origins = origins
        self._before_note = before_note
        # Set unless a dialog waits for its answer to reach the browser.
        self._answered = asyncio.Event()
        self._answered.set()
        self._reading = asyncio.Lock()

    def release(self) -> None:
        """Let all go on that wait for an answer: the window is gone."""
        self._answered.set()

    async def wait_until_answered(self) -> bool:
        """Note the dialog that is open, and wait until it is closed; False if there is none."""
        if not await self.note():
            return False
        await self._answered.wait()
        return True

    async def note(self) -> bool:
        """Note the dialog that is open; return whether there is one."""
        async with self._reading:
            if not self._answered.is_set():
                return True
            try:
                text: str = await self._driver.send_to(self._place, "GET", "/alert/text")
            except WebDriverError as error:
                if error.code != "no such alert":
                    raise
                return False
            self._answered.clear()
            told = read_alert(text)
            await self._before_note(told is not None)
            kind, message, preset = told or (await self._guessed_kind(), text, "")
            self._dialogs.note_opened(self, kind, self._origins.of_any, message, preset)
            return True

    async def _guessed_kind(self) -> str:
        """Return the kind of a dialog that opened before rove's script was there: only prompts take text."""
        try:
            await self._driver.send_to(self._place, "POST", "/alert/text", {"text": ""})
        except WebDriverError:
            return "alert"
        return "prompt"

    async def answer_dialog(self, accept: bool, text: str | None) -> None:
        """Close the dialog; it may be closed already."""
        try:
            if accept and text:
                with contextlib.suppress(WebDriverError):  # only prompts take text
                    await self._driver.send_to(self._place, "POST", "/alert/text", {"text": text})
            with contextlib.suppress(WebDriverError):
                await self._driver.send_to(self._place, "POST", f"/alert/{'accept' if accept else 'dismiss'}")
        finally:
            self._answered.set()

    async def suppress_dialogs(self) -> None:
        """Keep the scripts of the page from opening more dialogs."""
        await self._answered.wait()
        await self._driver.send_to(self._place, "POST", "/execute/sync", {"script": SUPPRESS_DIALOGS, "args": []})

    async def terminate_script(self) -> None:
        """Do nothing: WebDriver cannot end a script."""


class LivePage(live_page.LivePage):
    """Follows one window from its first document to its last."""

    can_hold = False

    def __init__(self, driver: Driver, window: str, settings: Settings, ref_numbers: RefNumbers) -> None:
        super().__init__(window, settings)
        self.driver = driver
        self.place = Place(window)
        self.load_state = LoadState("about:blank")
        self.worlds: Worlds = Worlds(self, window, ref_numbers)
        self._calls = itertools.count(1)
        self._navigations = itertools.count(1)
        self._is_closed = False
        self._has_document = False
        # Whether the document that answered last is known to be gone.
        self._has_left = False
        # Whether the document has come, and is blocked by a dialog that it opened before rove's script was there.
        self._is_unread = False
        self._scripts_running = 0
        self._script_ended = asyncio.Event()
        self._title = ""
        # Reports of the document that were handled, which it counts too.
        self._handled = 0
        self._reported = asyncio.Event()
        self._scripts: list[DocumentScript] = []
        self._alerts = Alerts(driver, self.place, self.dialogs, self.origins, self._before_dialog)
        # Called with each report of rove's script that the page itself does not handle, and with each new document.
        self.on_report: Callable[[list[Any]], object] = lambda report: None
        self.on_document: Callable[[str], object] = lambda url: None
        self.on_moved: Callable[[], object] = lambda: None
        self.on_window_gone: Callable[[], object] = lambda: None

    @property
    def is_closed(self) -> bool:
        return self._is_closed or not self.driver.is_open

    def mark_closed(self) -> None:
        """Note that the window is gone."""
        self._is_closed = True
        self._alerts.release()

    # Commands

    def next_call(self) -> int:
        return next(self._calls)

    async def send_to(self, place: Place, method: str, path: str, body: Any = None, timeout: float = 20.0) -> Any:
        """Send a command to a window or frame. A dialog is noted, and waited for, before the command is repeated."""
        while True:
            try:
                return await self._send_counted(place, method, path, body, timeout)
            except AlertOpen:
                if not await self.wait_for_dialog_end():
                    continue
            except DocumentGone as error:
                if error.code == "no such window" and not await self._has_window():
                    self.mark_closed()
                    self.on_window_gone()
                raise

    async def _send_counted(self, place: Place, method: str, path: str, body: Any, timeout: float) -> Any:
        """Send a command; scripts in the page itself are counted as long as they run."""
        is_script = place == self.place and path == "/execute/sync"
        self._scripts_running += is_script
        try:
            return await self.driver.send_to(place, method, path, body, timeout)
        except DocumentGone:
            self._has_left = self._has_left or is_script
            raise
        finally:
            self._scripts_running -= is_script
            self._script_ended.set()

    async def _has_window(self) -> bool:
        return self.place.window in await self.driver.windows()

    async def execute(self, script: str, *arguments: Any, timeout: float = 20.0) -> Any:
        """Run the body of a function in the page."""
        return await self.send_to(
            self.place, "POST", "/execute/sync", {"script": script, "args": [*arguments]}, timeout
        )

    async def send_input(self, actions: dict[str, Any]) -> None:
        """Have the browser perform actions of input devices, once: they are not repeated after a dialog."""
        with contextlib.suppress(AlertOpen):  # the dialog that the input has opened, or that was there before
            await self.driver.send_to(self.place, "POST", "/actions", actions, self.time.left + ACTION_SECONDS)
        if not await self._alerts.note():
            await self._take_reports()

    # Following the page

    async def open(self) -> None:
        """Read the first document, and follow the page from now on."""
        await self.worlds.main.raw_call("() => 1")
        self.tasks.start(self._follow())

    async def _follow(self) -> None:
        while not self.is_closed:
            try:
                answer = await self.worlds.main.raw_call("ms => rove.nextReports(ms)", REPORT_MS)
            except DriverLost:
                return
            except DocumentGone:
                continue
            except (WebDriverError, RoveError):
                # The document is being replaced, or the page is busy.
                await asyncio.sleep(PAUSE_SECONDS)
                continue
            self._handle_all(answer)
            self._reported.set()

    async def _take_reports(self) -> None:
        """Handle what the page and its frames have reported until now, before the action goes on."""
        with contextlib.suppress(WebDriverError, RoveError, TimeoutError):  # the document is being replaced
            async with asyncio.timeout(REPORT_SECONDS):
                document = self.worlds.main.document_id
                answer = await self.worlds.main.raw_call("() => rove.nextReports(0)")
                self._handle_all(answer)
                # Others may be on their way to the task that waits for them.
                while self._handled < answer["told"] and document == self.worlds.main.document_id:
                    self._reported.clear()
                    await self._reported.wait()
                for world in [world for world in self.worlds if world.parent is not None]:
                    for report in (await world.raw_call("() => rove.nextReports(0)"))["reports"]:
                        if report[0] in _REPORTS_OF_FRAMES:
                            self.on_report(report)

    def _handle_all(self, answer: dict[str, Any]) -> None:
        self._handled += len(answer["reports"])
        for report in answer["reports"]:
            self._handle(report)
        self.requests.unfollowed += answer["dropped"]

    def _handle(self, report: list[Any]) -> None:
        kind, *facts = report
        if kind == "stage":
            self._note_stage(facts[0])
        elif kind == "moved":
            self.load_state.commit_within(facts[0])
            self.on_moved()
        elif kind == "leaving":
            self.begin_leaving()
        elif kind == "request":
            number, method, url, _ = facts
            self.requests.begin(str(number), method, url, self.origins.page, "fetch")
        elif kind == "answer":
            self.requests.respond(str(facts[0]), facts[1], {})
            self.requests.end(str(facts[0]))
        self.on_report(report)

    async def enter_document(self, state: dict[str, Any]) -> None:
        """Note that the main frame shows another document."""
        loader, url = state["id"], state["url"]
        self._has_left, self._is_unread, self._handled = False, False, 0
        self._title = state["title"]
        if self._has_document or url != "about:blank":
            self.start_document()
            self.load_state.begin_document(loader)
            self.requests.begin_document(loader, url, is_redirect=False)
            if self.requests.document is not None:
                self.requests.document.headers = {str(name).lower(): str(why) for name, why in state["reasons"].items()}
            self.load_state.commit_document(url, loader, state["type"])
        else:
            self.load_state.begin_document(loader)
        self._has_document = True
        self.frame_order.note_document(self.target_id, url)
        self.origins.note_document(self.target_id, None, url)
        # WebKit gives an empty page no origin, though the page before it may have written into it, or its address.
        if state["origin"] != "null":
            self.origins.note_realm(self.target_id, state["origin"])
        self._note_stage(state["stage"])
        self.on_document(url)

    def note_frame(self, frame: str, parent: str, url: str, source: str = "") -> None:
        """Note that a frame shows another document; `source`: where its words are from if `url` says nothing."""
        self.origins.note_document(frame, parent, url, source)

    def _note_stage(self, stage: str) -> None:
        for reached in _STAGES.get(stage, ()):
            self.load_state.reach(reached, self.worlds.main.document_id)

    # Navigations

    def begin_leaving(self, url: str = "") -> None:
        """Note that another document is asked for, and look whether it comes."""
        before, documents = self.requests.document, self.load_state.documents
        self.load_state.note_started()
        if url:
            self.requests.begin_document(f"to {next(self._navigations)}", url, is_redirect=False)
        self.tasks.start(self._watch_leaving(before, documents))

    async def _watch_leaving(self, before: DocumentRequest | None, documents: int) -> None:
        """Look at the address that the window asks for until it shows the document, or asks for none any more."""
        began, has_asked = time.monotonic(), False
        while self.load_state.is_navigating and self.load_state.documents == documents and not self.is_closed:
            with contextlib.suppress(WebDriverError):
                url = await self.active_url()
                if self.load_state.documents != documents:
                    return  # the document came meanwhile
                if url != self.load_state.url:
                    has_asked = True
                    if self.requests.document is None or self.requests.document.url != url:
                        self.requests.begin_document(f"to {next(self._navigations)}", url, is_redirect=False)
                elif has_asked or time.monotonic() - began > STAY_SECONDS:
                    if await self._is_same_document():
                        self.requests.document = before
                        self.load_state.note_loading_stopped()
                    return
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.load_state.wait_for_document(documents), LOOK_SECONDS)

    async def _is_same_document(self) -> bool:
        """Ask the page, which has it noted if another document is there."""
        before = self.worlds.main.document_id
        await self.worlds.main.raw_call("() => 1")
        return self.worlds.main.document_id == before

    async def active_url(self) -> str:
        """Return the address that the window shows or has asked for."""
        url: str = await self.send_to(self.place, "GET", "/url")
        return url

    def send_stop(self) -> None:
        """Stop loading, once the page answers."""
        self.tasks.start(self._stop())

    async def _stop(self) -> None:
        await self.execute("window.stop();")
        self.load_state.note_loading_stopped()

    async def hold_documents(self, refuses: RefuseDocument) -> None:
        """Raise Unsupported: what a person was shown could not be enforced, so that it is not done."""
        raise unsupported("hold a page to what a person approved")

    async def release_documents(self) -> None:
        """Do nothing, as nothing is held."""

    def stop_opening_windows(self) -> None:
        """Keep the page from opening more windows."""
        self.tasks.start(self.execute(DISABLE_WINDOW_OPEN))

    # State

    async def title(self) -> PageText:
        if not self.is_closed and self.dialogs.open is None:
            with contextlib.suppress(WebDriverError, TimeoutError):
                async with asyncio.timeout(TITLE_SECONDS):
                    self._title = str(await self.execute("return document.title;") or "")
        return self.url.around(self._title)

    async def answers_within(self, timeout: float) -> bool:
        """Return whether the page's main thread is free to run a script within `timeout` seconds."""
        try:
            async with asyncio.timeout(timeout):
                body = {"script": "return 1;", "args": []}
                await self.driver.send_to(self.place, "POST", "/execute/sync", body, timeout)
        except AlertOpen:
            return True
        except (TimeoutError, WebDriverError):
            return False
        return True

    def document_script(self, source: str) -> DocumentScript:
        """Return a statement to run in the documents that load while it is in use, once rove's script is there."""
        script = DocumentScript(source)
        self._scripts.append(script)
        return script

    @property
    def document_statements(self) -> str:
        """The statements to run in a document in which rove's script was just installed."""
        return "\n".join(f"{script.source};" for script in self._scripts if script.is_on)

    # Dialogs

    async def wait_for_dialog_end(self) -> bool:
        """Note the dialog that is open, and wait until it is closed; False if there is none."""
        return await self._alerts.wait_until_answered()

    async def end_dialog(self) -> None:
        """Dismiss the dialog that is open, if there is one, as the page is about to be closed."""
        self.dialogs.stop_timer()
        if self.dialogs.open is not None:
            await self._alerts.answer_dialog(False, None)

    async def _before_dialog(self, has_script: bool) -> None:
        """Note the next document if it is one whose dialog keeps rove's script from being installed in it.

        No script may have ended with the document before it: that may have had none waiting when it was left.
        """
        with contextlib.suppress(TimeoutError):
            # A dialog ends each script that waits, and says so of those whose document was there before.
            async with asyncio.timeout(REPORT_SECONDS):
                while self._scripts_running:
                    self._script_ended.clear()
                    await self._script_ended.wait()
        is_of_next = self._has_left or not (has_script or self._is_unread)
        if is_of_next and self.load_state.is_navigating:
            self._is_unread = True
            asked = self.requests.document
            self.start_document()
            self.load_state.commit_document(asked.url if asked else self.load_state.url, "unread", "")
