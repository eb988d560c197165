"""Observing a page: waiting until it is quiet, taking snapshots and remembering what the agent has seen."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from rove.browser.failures import BrowserError
from rove.browser.page_data import LeftRunning, RefusedField
from rove.browser.shared.aims import FilledField
from rove.browser.shared.frames import World
from rove.browser.shared.live_page import LivePage
from rove.browser.shared.reading import AriaReader, ReadOptions, read_element, read_page
from rove.errors import ScriptFailed
from rove.page_text import PageText
from rove.snapshot import Snapshot, parse
from rove.target import Ref, parse_target

QUIET_ROUND_SECONDS = 2.5
# Longer than the page waits by itself.
COMPLETE_SECONDS = 2.5
NEXT_DOCUMENT_TIMEOUT = 1.0
# Looks at the page while requests are under way that are kept for one action.
MAX_MOMENTS = 4
# The options of a snapshot that hold for the frames in it too.
FRAME_OPTIONS = frozenset(("links", "text", "structure", "maxNodes", "maxChildren"))
BEGIN = "(number, aims, describes) => rove.begin(number, aims, describes)"
# A target as rove's script takes it.
Aim = Mapping[str, Any]
WAIT_UNTIL_QUIET = "patience => rove.untilSettled(patience)"
WAIT_AND_READ_ROWS = "patience => rove.snapshotWhenSettled(patience)"


class PageObserver:
    """Takes snapshots of one page and remembers the last one that the agent has seen."""

    def __init__(self, page: LivePage, withheld: Callable[[], str]) -> None:
        self._page = page
        self._withheld = withheld
        self.aria = AriaReader(page, withheld)
        self._rows: dict[str, Any] | None = None
        self.seen: Snapshot | None = None
        self.moments: tuple[Snapshot, ...] = ()
        # What the page showed while a request was under way, and the moment at which the action began that sent it.
        self._moments_of_requests: list[dict[str, Any]] = []
        self._action_began = 0.0
        self.refused_fields: list[RefusedField] = []
        self.seen_document = 0
        # The number of the snapshot of each frame that the agent has seen. Without one, the frame counts as changed.
        self._numbers: dict[str, int] = {}
        # The frame that the running action has acted in.
        self._touched: World | None = None
        self._image_digest: bytes | None = None
        # The fields that the running action has filled in, and what those of the main frame held when the page settled.
        self.filled: Sequence[tuple[FilledField, str]] = ()
        self.values: dict[str, dict[str, Any]] = {}

    def note_touched(self, world: World | None) -> None:
        """Note the frame that the running action acts in; None when another action begins."""
        self._touched = world

    @property
    def acted_in(self) -> tuple[World, ...]:
        """The frames that the running action may have acted in: the main frame, and the one that it touched."""
        main = self._page.worlds.main
        return (main,) if self._touched in (None, main) else (main, self._touched)

    def read_options(self, in_frames: dict[str, Any] | None = None) -> ReadOptions:
        """Return how long frames may take and which of them may be read now."""
        return ReadOptions(self._page.frame_timeout, self._page.may_read, self._withheld(), in_frames or {})

    async def take_snapshot(self, ref: str | None = None, **options: Any) -> Snapshot:
        """Return the page, or the element that a ref means, as it is now."""
        options = {name: value for name, value in options.items() if value is not None}
        in_frames = {name: value for name, value in options.items() if name in FRAME_OPTIONS}
        read_options = self.read_options(in_frames)
        if ref is not None:
            return await self._take_element_snapshot(ref, options, read_options)
        rows, self._rows = self._rows, None
        while True:
            if self._page.load_state.keeps_navigating:
                await self._page.block_navigation()
            documents = self._page.load_state.documents
            try:
                return await read_page(self._page.worlds, options, read_options, rows if not options else None)
            except BrowserError:
                # The document may have been replaced meanwhile; then the next one is read.
                if self._page.is_closed or not await self._has_next_document(documents):
                    raise
            rows = None

    async def _take_element_snapshot(self, ref: str, options: dict[str, Any], read_options: ReadOptions) -> Snapshot:
        target = parse_target(ref)
        assert isinstance(target, Ref), ref
        world = self._page.worlds.with_prefix(target.frame)
        return await read_element(self._page.worlds, world, {**options, "root": target.local}, read_options)

    def is_new_image(self, data: bytes) -> bool:
        """Return whether a screenshot differs from the last one, and remember it."""
        before, self._image_digest = self._image_digest, sha256(data).digest()
        return before != self._image_digest

    async def _has_next_document(self, documents: int) -> bool:
        """Return whether another document has replaced the one that was there, which may be reported late."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(NEXT_DOCUMENT_TIMEOUT):
                await self._page.load_state.wait_for_document(documents)
        return self._page.load_state.documents > documents

    def mark_seen(self, snapshot: Snapshot) -> None:
        """Note what the agent has seen: later changes are reported against it."""
        self.seen, self.seen_document = snapshot, self._page.load_state.documents
        self._numbers = {world.frame_id: world.snapshot_number for world in self._page.worlds}

    def restore_seen(self, snapshot: Snapshot | None, document: int) -> None:
        """Note that the agent has not been told of any snapshot since this one."""
        if snapshot is not self.seen:
            self._numbers.clear()
        self.seen, self.seen_document = snapshot, document

    def clear_seen(self) -> None:
        """Note that the agent has seen nothing of the page as it is now."""
        self.seen, self._rows = None, None

    async def begin(
        self, aims: Mapping[World, Sequence[Aim]], describes: bool
    ) -> tuple[bool, dict[World, list[dict[str, Any]] | None]]:
        """Note in all frames that an action begins, and ask what its targets mean in each.

        Return whether the page may have changed since its last snapshot, and the answers of each frame that was asked:
        None if it does not answer. `describes`: whether it is also asked by what an element can be found again.
        """
        shown = [self._page.worlds.main, *(self._page.worlds.known_subframes if self._shows_frames else [])]
        worlds = list(dict.fromkeys((*shown, *aims)))
        if len(worlds) == 1:
            answers = [await self._begin_in(worlds[0], aims.get(worlds[0], ()), describes)]
        else:
            asking = (self._begin_in(world, aims.get(world, ()), describes) for world in worlds)
            answers = await asyncio.gather(*asking)
        by_world = dict(zip(worlds, answers, strict=True))
        has_changed = any(answer["changed"] for world in shown if (answer := by_world[world]))
        return has_changed, {world: answer["answers"] if (answer := by_world[world]) else None for world in aims}

    @property
    def _shows_frames(self) -> bool:
        return self._page.worlds.has_visible_frames

    async def _begin_in(self, world: World, aims: Sequence[Aim], describes: bool) -> dict[str, Any] | None:
        if world.is_unresponsive:
            return None
        try:
            async with asyncio.timeout(self._page.frame_timeout):
                number = self._numbers.get(world.frame_id, 0)
                answer: dict[str, Any] = await world.call(BEGIN, number, list(aims), describes)
                return answer
        except (TimeoutError, BrowserError, ScriptFailed):
            return None  # it is busy or is being replaced: the action itself will tell

    async def wait_for_effect(self, seconds: float) -> None:
        """Wait for the first change since the last snapshot, in the page or the frame acted in, or for `seconds`."""
        waits = [asyncio.ensure_future(self._first_effect(world, seconds)) for world in self.acted_in]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _first_effect(self, world: World, seconds: float) -> None:
        with contextlib.suppress(TimeoutError, BrowserError, ScriptFailed):
            async with asyncio.timeout(seconds + self._page.frame_timeout):
                await world.call("ms => rove.firstEffect(ms)", seconds * 1000)

    async def wait_until_quiet(
        self, read_rows: bool, since: float, until: float, loading: float | None = None
    ) -> LeftRunning:
        """Wait until all that an action of the moment `since` set off is over; return what is left running at `until`.

        With `read_rows`, the rows of the page are read in the same call, for the next snapshot. `loading`: for a
        document that was loaded, until when it is waited for if it is empty or shows that it is busy.
        """
        self._keep_rows_as_moment(since)
        self._rows, self.moments, self.values = None, (), {}
        left = LeftRunning()
        try:
            if read_rows:
                await self._page.worlds.main.prepare_listeners()
            await self._wait_for_touched_frame(since, until)
            left = await self._wait_for_page(read_rows, _patience(since, until, loading, self._filled_refs()))
        except BrowserError:
            pass  # the document was replaced, and the caller reads the next one
        return left

    def _filled_refs(self) -> list[str]:
        """Return the refs of the fields of the main frame that the running action has filled in."""
        return [field.ref for field, _ in self.filled if field.world is self._page.worlds.main]

    async def wait_until_complete(self, is_picture: bool) -> int:
        """Wait for what no later answer can tell of; return how many pictures in view have not arrived."""
        with contextlib.suppress(TimeoutError, BrowserError, ScriptFailed):  # what is read then tells what is wrong
            async with asyncio.timeout(COMPLETE_SECONDS):
                return int(await self._page.worlds.main.call("isPicture => rove.untilComplete(isPicture)", is_picture))
        return 0

    async def has_answered(self) -> bool:
        """Return whether the page shows something else than before the action, other than that it is busy."""
        with contextlib.suppress(BrowserError, ScriptFailed):  # another document comes: it is looked at then
            return bool(await self._page.worlds.main.call("() => rove.hasAnswered()"))
        return False

    def _keep_rows_as_moment(self, since: float) -> None:
        """Keep rows that no snapshot has used: the page may change when the request ends that is waited for."""
        if since != self._action_began:
            self._moments_of_requests, self._action_began = [], since
        elif self._rows is not None and len(self._moments_of_requests) < MAX_MOMENTS:
            self._moments_of_requests.append(self._rows)

    async def _wait_for_touched_frame(self, since: float, until: float) -> None:
        """Wait for the frame that was acted in, which may react only after the page around it is quiet."""
        world = self._touched
        if world is None or world is self._page.worlds.main or world.is_unresponsive:
            return
        patience = _patience(since, until, None, [])
        with contextlib.suppress(TimeoutError, BrowserError, ScriptFailed):  # the frame is busy or was replaced
            async with asyncio.timeout(max(until - time.monotonic(), 0) + self._page.frame_timeout):
                is_busy = True
                while is_busy:
                    answer = await world.call(WAIT_UNTIL_QUIET, patience())
                    is_busy = self._note_refused_fields(world, answer)["busy"]

    async def _wait_for_page(self, read_rows: bool, patience: Callable[[], dict[str, Any]]) -> LeftRunning:
        function, main = WAIT_AND_READ_ROWS if read_rows else WAIT_UNTIL_QUIET, self._page.worlds.main
        while True:
            answer = self._note_refused_fields(main, await main.call(function, patience()))
            if not answer["busy"]:
                self._rows = answer.get("rows")
                if "values" in answer:
                    self.values = dict(zip(self._filled_refs(), answer["values"], strict=True))
                self.moments = tuple(map(parse, [*self._moments_of_requests, *answer.get("moments", ())]))
                return _left_running(answer)

    def _note_refused_fields(self, world: World, answer: dict[str, Any]) -> dict[str, Any]:
        """Note the fields that the browser's validation has refused. Return the answer of the page."""
        for field in answer["refused"]:
            line, ref = PageText(field["line"], field["origin"]), world.prefix + field["ref"]
            self.refused_fields.append(RefusedField(line, ref, field["message"], field["isAttempt"]))
        return answer


def _patience(since: float, until: float, loading: float | None, filled: list[str]) -> Callable[[], dict[str, Any]]:
    """Return what tells how long the page is to wait, in milliseconds from now, since the page has another clock."""

    def patience() -> dict[str, Any]:
        now = time.monotonic()
        limit = max(until - now, 0) * 1000
        may_load = 0 if loading is None else max(loading - now, 0.001) * 1000
        wait = QUIET_ROUND_SECONDS * 1000
        return {"wait": wait, "ago": (now - since) * 1000, "limit": limit, "loading": may_load, "filled": filled}

    return patience


def _left_running(answer: dict[str, Any]) -> LeftRunning:
    """Return what the page says is going on."""
    texts = tuple(PageText(text, answer["origin"]) for text in answer["texts"])
    repeats = tuple((kind, period) for kind, period in answer["repeats"])
    return LeftRunning(answer["timer"] / 1000, answer["animation"] / 1000, repeats, texts, answer["unfinished"])
