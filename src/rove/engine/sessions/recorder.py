"""Records a session: describes the elements of each step in the journal, and makes a recording of its entries.

The journal is the source. While a recording is made, pictures and requests are kept besides, for traces.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rove.browser.failures import BrowserError
from rove.engine.approval.action_targets import find_box
from rove.errors import InvalidArguments, NotOpen, RoveError
from rove.ledger.files import LedgerFiles
from rove.ledger.reader import recent
from rove.recordings.journal_steps import MadeRecording, recording_from
from rove.recordings.parameters import with_parameters
from rove.recordings.run_folder import RunFolder, request_facts
from rove.recordings.store import RecordingStore
from rove.target import Point, Ref, parse_target, targets_in

if TYPE_CHECKING:
    from rove.action import AnyAction
    from rove.browser.context import Context
    from rove.browser.tab import Tab
    from rove.engine.journal import Entry, Journal
    from rove.settings.tree import Settings

KIND = "recording"
# Seconds to describe the elements of an action; while a recording is made, these are waited for.
DESCRIBE_SECONDS = 0.5
WAIT_SECONDS = 5.0
PICTURE_SECONDS = 2.0
PICTURE_QUALITY = 60
MOST_ENTRIES = 100_000


class SessionRecorder:
    """The recorder of one session. `is_watched`: whether people are shown where its actions take place."""

    def __init__(self, session: str, settings: Settings, journal: Journal, is_watched: bool) -> None:
        self._session = session
        self._settings = settings
        self._journal = journal
        self._is_watched = is_watched
        self._store = RecordingStore(settings.home_folder)
        self._started: _Started | None = None

    @property
    def name(self) -> str | None:
        """The recording that is being made, if one is."""
        return self._started.name if self._started else None

    async def start(self, name: str, parameters: Mapping[str, str], page: str = "") -> None:
        """Begin a recording. `page`: the address that is open. Raises InvalidArguments if one is being made."""
        if self._started is not None:
            raise InvalidArguments(
                f"The recording {self._started.name} is being made in this session.", hint="Stop it first."
            )
        self._store.path(name)  # refuses a name that is not valid
        started = _Started(name, os.urandom(8).hex(), dict(parameters), page, RunFolder(self._store.run_folder(name)))
        await asyncio.to_thread(started.folder.clear)
        await self._journal.record(KIND, {"event": "started", "name": name, "id": started.id, "url": page})
        self._started = started

    async def stop(self, context: Context | None) -> MadeRecording:
        """End the recording that is being made, and save it. Raises NotOpen if none is."""
        if self._started is None:
            raise NotOpen("No recording is being made in this session.", hint="Begin one first.")
        started, self._started = self._started, None
        await self._journal.record(KIND, {"event": "stopped", "name": started.name, "id": started.id})
        made = await asyncio.to_thread(self._make, started)
        await asyncio.to_thread(self._save, made, started, _requests(context, started.at))
        return made

    def _make(self, started: _Started) -> MadeRecording:
        files = LedgerFiles(self._settings.journal_folder, self._session)
        found = recent(files, MOST_ENTRIES, lambda facts: facts.get("began", 0) >= started.at)
        entries = [link.facts for link in found.links]
        begins = next((i for i, facts in enumerate(entries) if facts.get("id") == started.id), -1)
        made = recording_from(started.name, self._session, entries[begins + 1 :], started.page)
        return replace(made, recording=with_parameters(made.recording, started.parameters))

    def _save(self, made: MadeRecording, started: _Started, requests: list[dict[str, Any]]) -> None:
        self._store.write(made.recording)
        started.folder.write_requests(requests)

    async def before(self, action: AnyAction, entry: Entry, tab: Tab, may_show: bool) -> None:
        """Note where the elements of an action are and what they can be found by, as far as they may be read."""
        if self._is_watched:
            entry.box = await find_box(action, tab)
        is_recording = self._started is not None and type(action).is_recorded
        if may_show and (is_recording or self._settings.journal.elements):
            # The action itself says what is wrong.
            with contextlib.suppress(RoveError, BrowserError, TimeoutError):
                async with asyncio.timeout(WAIT_SECONDS if is_recording else DESCRIBE_SECONDS):
                    await _describe(action, entry, tab, is_recording)

    async def after(self, entry: Entry, context: Context | None, may_show: Callable[[Tab], bool]) -> None:
        """Keep a picture of what a step led to, while a recording is made and if the page may be read."""
        tab = context.current if context is not None else None
        if self._started is None or tab is None or not may_show(tab) or tab.page.dialogs.open:
            return
        with contextlib.suppress(RoveError, BrowserError, TimeoutError):
            async with asyncio.timeout(PICTURE_SECONDS):
                picture = await tab.take_picture(PICTURE_QUALITY)
            size = tab.settings.viewport
            step = {
                "step": entry.step, "action": entry.action, "summary": entry.summary, "began": entry.began,
                "ended": time.time(), "url": str(tab.url), "width": size.width, "height": size.height,
            }  # fmt: skip
            await asyncio.to_thread(self._started.folder.add_step, step, picture)


class _Started:
    """A recording that is being made."""

    def __init__(self, name: str, id: str, parameters: dict[str, str], page: str, folder: RunFolder) -> None:
        self.name = name
        self.id = id
        self.parameters = parameters
        self.page = page
        self.folder = folder
        self.at = time.time()


async def _describe(action: AnyAction, entry: Entry, tab: Tab, is_recording: bool) -> None:
    """Describe each element that an action means alone. Of a target that means several, nothing is noted."""
    for path, target in targets_in(action).items():
        aim = parse_target(target)
        if isinstance(aim, Point) or not (type(action).finds_again or isinstance(aim, Ref)):
            continue
        elements = await tab.resolve_all(target, wait=is_recording)
        if len(elements) != 1:
            continue
        description, origin = await tab.descriptions.of(elements[0].ref)
        if origin != tab.url.origin and not tab.page.may_read(origin):
            continue
        locator = await tab.observer.aria.locator_of(elements[0].ref) if is_recording else ""
        entry.elements[path] = replace(description, locator=locator).to_data()


def _requests(context: Context | None, since: float) -> list[dict[str, Any]]:
    tabs = context.tabs if context is not None else ()
    return [request_facts(request) for tab in tabs for request in tab.network if request.at >= since]
