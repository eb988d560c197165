"""Records a session: describes the elements of each step in the journal, and makes a recording of its entries.

The journal is the source. While a recording is made, pictures and requests are kept besides, for traces.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from rove.action import AnyAction, registry
from rove.browser.failures import BrowserError
from rove.engine.permission import find_box
from rove.errors import InvalidArguments, NotOpen, RoveError
from rove.owned_names import mark_in
from rove.recorded_steps import Recording, refuse_names, with_parameters
from rove.recordings.files import RecordingStore, RunFolder
from rove.recordings.har import Bodies, Disclosure, entry_of, may_show
from rove.recordings.journal_steps import MadeRecording, StartPage, recording_from
from rove.storage.ledger import LedgerFiles, recent
from rove.target import Point, Ref, parse_target, targets_in

if TYPE_CHECKING:
    from rove.browser.shared.context import Context
    from rove.browser.shared.tab import Tab
    from rove.engine.journal import Entry, Journal
    from rove.settings.tree import Settings

log = logging.getLogger(__name__)

STEP = "s0"
KIND = "recording"
BLANK = "about:blank"
# Seconds to describe the elements of an action; while a recording is made, these are waited for.
DESCRIBE_SECONDS = 0.5
WAIT_SECONDS = 5.0
PICTURE_SECONDS = 2.0
MOST_ENTRIES = 100_000
NO_LOADS: Mapping[str, float] = {}


def load_began(tab: Tab) -> float | None:
    """Return when the page that a tab shows was asked for; None if that is not known any more."""
    pages = tab.network.pages
    if pages:
        sent = [request.at for request in tab.network if request.page == pages[-1].number]
        return min(sent, default=pages[-1].at)
    address = str(tab.url).partition("#")[0]
    loads = [each.at for each in tab.network if each.kind == "document" and each.url.partition("#")[0] == address]
    return loads[-1] if loads else None


def load_ended(tab: Tab, began: float) -> float:
    """Return when the page was loaded, or its requests were answered."""
    loaded = tab.network.pages[-1].loaded if tab.network.pages else None
    return loaded or max((each.at + (each.seconds or 0) for each in tab.network if each.at >= began), default=began)


def first_step(url: str, began: float, ended: float) -> dict[str, Any]:
    """Return what a trace tells of the load of the page, in the form of a step."""
    return {
        "label": f"navigate {url}", "url": url, "arguments": {"url": url}, "step": STEP, "action": "navigate",
        "began": began, "ended": ended,
    }  # fmt: skip


class RecordedSession(Protocol):
    """The parts of a session that its recorder uses."""

    name: str
    settings: Settings
    journal: Journal

    def may_read(self, url: str, /) -> bool: ...


class _Started:
    """A recording that is being made."""

    def __init__(self, name: str, parameters: Mapping[str, str], page: StartPage, folder: RunFolder) -> None:
        self.name = name
        self.id = os.urandom(8).hex()
        self.parameters = dict(parameters)
        self.page = page
        self.folder = folder
        self.at = time.time()
        # When the page that is open was asked for, in its tab.
        self.loads: dict[str, float] = {}


class SessionRecorder:
    """The recorder of one session. `is_watched`: whether people are shown where its actions take place."""

    def __init__(self, session: RecordedSession, context: Callable[[], Context | None], is_watched: bool) -> None:
        self._session = session
        self._context = context
        self._is_watched = is_watched
        self._store = RecordingStore(session.settings.home_folder, mark_in(session.name))
        self._started: _Started | None = None
        # Where pictures of the steps that run now are kept, if they are.
        self._folder: RunFolder | None = None
        # The tabs of these steps, as one that was closed still knows its requests.
        self._tabs: dict[str, Tab] = {}

    @property
    def session(self) -> str:
        return self._session.name

    @property
    def name(self) -> str | None:
        """The recording that is being made, if one is."""
        return self._started.name if self._started else None

    async def start(self, name: str, parameters: Mapping[str, str]) -> None:
        """Begin a recording, with the page that is open. Raises InvalidArguments if one is being made."""
        if self._started is not None:
            made = f"The recording {self._started.name} is being made in this session."
            raise InvalidArguments(made, hint="Stop it first.")
        refuse_names(parameters)
        tab = context.current if (context := self._context()) is not None else None
        page = str(tab.url) if tab is not None and tab.url != BLANK and self._session.may_read(tab.url) else ""
        page = self._session.journal.redacted({"page": page})["page"]
        start = StartPage(page, tab.id if tab is not None else "")
        started = _Started(name, parameters, start, RunFolder(self._store.run_folder(name)))
        await asyncio.to_thread(started.folder.clear)
        if tab is not None and page:
            await self._keep_first_page(started, tab)
        await self._session.journal.record(KIND, {"event": "started", "name": name, "id": started.id, "url": page})
        self._started, self._folder, self._tabs = started, started.folder, {}

    async def stop(self) -> MadeRecording:
        """End the recording that is being made, and save it. Raises NotOpen if none is."""
        if self._started is None:
            raise NotOpen("No recording is being made in this session.", hint="Begin one first.")
        started, self._started, self._folder = self._started, None, None
        await self._session.journal.record(KIND, {"event": "stopped", "name": started.name, "id": started.id})
        made = await asyncio.to_thread(self._make, started)
        await asyncio.to_thread(self._store.write, made.recording)
        await asyncio.to_thread(started.folder.write_requests, self._requests(started.at, started.loads))
        return made

    async def _keep_first_page(self, started: _Started, tab: Tab) -> None:
        """Keep a picture of the page that is open, and its requests, as those of the first step."""
        began = load_began(tab)
        if began is None:
            return
        started.loads[tab.id] = began
        if tab.page.dialogs.open or not tab.page.may_read(tab.url.origin):
            return
        facts = first_step(started.page.url, began, load_ended(tab, began))
        with contextlib.suppress(RoveError, BrowserError, TimeoutError):
            await self._keep_picture(started.folder, facts, tab)

    async def _keep_picture(self, folder: RunFolder, facts: dict[str, Any], tab: Tab) -> None:
        async with asyncio.timeout(PICTURE_SECONDS):
            picture = await tab.take_screenshot(None, False, "jpeg")  # without frames that may not be read
        size = {"width": picture.size[0], "height": picture.size[1], "engine": tab.settings.engine}
        await asyncio.to_thread(folder.add_step, {**facts, **size}, picture.data)

    async def close(self) -> None:
        """Save what is being recorded when the session is closed."""
        if self._started is not None:
            try:
                await self.stop()
            except RoveError:
                log.exception("the recording of session %s could not be saved", self.session)

    async def read(self, name: str) -> Recording:
        return await asyncio.to_thread(self._store.read, name)

    async def write(self, recording: Recording) -> None:
        await asyncio.to_thread(self._store.write, recording)

    @contextlib.asynccontextmanager
    async def keeping_run(self, name: str) -> AsyncGenerator[None]:
        """Keep pictures of the steps that are run meanwhile, and their requests, for a trace of the recording."""
        folder, began, before = RunFolder(self._store.run_folder(name)), time.time(), self._folder
        await asyncio.to_thread(folder.clear)
        self._folder, self._tabs = folder, {}
        try:
            yield
        finally:
            self._folder = before
            await asyncio.to_thread(folder.write_requests, self._requests(began))

    def _make(self, started: _Started) -> MadeRecording:
        files = LedgerFiles(self._session.settings.journal_folder, self.session)
        found = recent(files, MOST_ENTRIES, lambda facts: facts.get("began", 0) >= started.at)
        entries = [link.facts for link in found.links]
        begins = next((place for place, facts in enumerate(entries) if facts.get("id") == started.id), -1)
        made = recording_from(started.name, self.session, entries[begins + 1 :], started.page)
        return replace(made, recording=with_parameters(made.recording, started.parameters))

    def _requests(self, since: float, loads: Mapping[str, float] = NO_LOADS) -> list[str]:
        """Return the requests since a moment as entries of an HTTP archive, of origins that the agent may read.

        `loads`: earlier moments, for tabs whose page was loaded before.
        """
        self._note_tabs(self._context())
        entries: list[tuple[float, str | None]] = []
        for tab in self._tabs.values():
            shown = Disclosure(tab.redact, tab.page.may_read)
            first = loads.get(tab.id, since)
            logged = [each for each in tab.network if each.at >= first and may_show(each, shown)]
            entries += [(each.at, shown.line(entry_of(each, shown, Bodies(), None))) for each in logged]
        return [entry for _, entry in sorted(entries, key=lambda pair: pair[0]) if entry is not None]

    def _note_tabs(self, context: Context | None) -> None:
        if context is not None:
            self._tabs.update({tab.id: tab for tab in context.tabs})

    # Each step

    @property
    def describes(self) -> bool:
        """Whether the page is asked, as an action begins, by what its elements can be found again.

        While a recording is made, it is asked for more, and by itself.
        """
        return self._started is None and self._session.settings.journal.elements

    async def before(self, action: AnyAction, entry: Entry, tab: Tab, may_show: bool) -> None:
        """Note where the elements of an action are and what they can be found by, as far as they may be read."""
        if not targets_in(action):
            return
        if self._is_watched:
            entry.box = await find_box(action, tab)
        is_recording = self._started is not None and type(action).is_recorded
        if may_show and (is_recording or self._session.settings.journal.elements):
            # The action itself says what is wrong.
            with contextlib.suppress(RoveError, BrowserError, TimeoutError):
                async with asyncio.timeout(WAIT_SECONDS if is_recording else DESCRIBE_SECONDS):
                    await _describe(action, entry, tab, is_recording)

    async def after(self, entry: Entry, context: Context | None, may_show: Callable[[Tab], bool]) -> None:
        """Keep a picture of what a step led to, while a recording is made and if the page may be read."""
        tab = context.current if context is not None else None
        if self._folder is not None:
            self._note_tabs(context)
        if self._folder is None or tab is None or not registry()[entry.action].is_recorded:
            return
        if tab.page.dialogs.open or not may_show(tab):
            return
        with contextlib.suppress(RoveError, BrowserError, TimeoutError):
            await self._keep_picture(self._folder, self._facts(entry, tab), tab)

    def _facts(self, entry: Entry, tab: Tab) -> dict[str, Any]:
        """Return what a trace tells of a step, without secrets."""
        named = [str(each.get("name", "")) for each in entry.elements.values()]
        label = " ".join([entry.action, *(json.dumps(name, ensure_ascii=False) for name in named if name)])
        told = {"label": label if named else entry.summary, "url": str(tab.url), "arguments": entry.arguments}
        return {
            **self._session.journal.redacted(told), "step": entry.step, "action": entry.action, "began": entry.began,
            "ended": time.time(),
        }  # fmt: skip


async def _describe(action: AnyAction, entry: Entry, tab: Tab, is_recording: bool) -> None:
    """Describe each element that an action means alone. Of a target that means several, nothing is noted."""
    for path, target in targets_in(action).items():
        aim = parse_target(target)
        if isinstance(aim, Point) or not (type(action).finds_again or isinstance(aim, Ref)):
            continue
        elements = await tab.resolve_ahead(target, wait=is_recording)
        if len(elements) != 1:
            continue
        description, origin = await tab.descriptions.of(elements[0].ref)
        if origin != tab.url.origin and not tab.page.may_read(origin):
            continue
        locator = await tab.observer.aria.locator_of(elements[0].ref, True) if is_recording else ""
        entry.elements[path] = replace(description, locator=locator).to_data()
