"""What acts on a page would send or open, the page held to it, and what became of an act."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from rove.browser.consequences import AskedDocument, Cause, Consequence, SentField
from rove.browser.failures import BrowserError
from rove.errors import ElementGone
from rove.page_text import Own, PageText
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.browser.shared.aims import FilledField
    from rove.browser.shared.element import Element
    from rove.browser.shared.input import InputDevices
    from rove.browser.shared.page_observer import PageObserver

CHUNK_BYTES = 2**20

# Seconds that the page has to answer: what it does not tell in time is left out.
ANSWER_SECONDS = 0.5
LONGEST_VALUE = 80


class ApprovedDocuments:
    """Refuses a document that a page asks for, if it is not what the person was shown.

    Where the page goes on from the document that it asked for first is not held to anything.
    """

    def __init__(self, main_frame: str, shown: Sequence[Consequence]) -> None:
        self._main_frame = main_frame
        self._shown = [each for each in shown if each.url]
        self._is_done = False
        self.went: tuple[Consequence, ...] = ()

    def refuses(self, asked: AskedDocument) -> bool:
        """Return whether a request is refused. A redirect of the server belongs to the request that was allowed."""
        if not self._shown or self._is_done or asked.is_redirect:
            return False
        encoding = _encoding(asked.headers)
        if any(each.matches(asked.method, asked.url, encoding) for each in self._shown):
            # A page may load in a frame what was shown, and go on to something else: that is not what the person meant.
            is_frame = asked.frame != self._main_frame and not asked.is_of_popup
            self._is_done = not (is_frame and asked.method == "GET")
            return False
        # A page loads frames as it likes, with or without the press. One that receives a form is another matter.
        if asked.frame != self._main_frame and asked.method == "GET" and not asked.is_of_popup:
            return False
        self.went = (*self.went, Consequence("went", url=asked.url, method=asked.method, encoding=encoding))
        return True


def _encoding(headers: dict[str, str]) -> str:
    kind = next((value for name, value in headers.items() if name.lower() == "content-type"), "")
    return kind.partition(";")[0].strip().lower()


class PageConsequences:
    """Reads what elements of one page send or open, and holds the page to what a person was shown."""

    def __init__(self, devices: InputDevices) -> None:
        self._page = devices.page
        self._devices = devices

    @property
    def can_hold(self) -> bool:
        """Whether the page can be held to anything."""
        return self._page.can_hold

    async def of_element(self, element: Element, argument: str, cause: Cause) -> Consequence | None:
        """Return the form or the link that an element sends or opens, by its markup; None if there is none."""
        world: Any = element.frame
        ref = element.ref.removeprefix(world.prefix)
        answer = await world.call("(ref, cause) => rove.consequenceOf(ref, cause)", ref, cause)
        found: dict[str, Any] | None = answer.get("found")
        if not found:
            return None
        fields = tuple(SentField(**each) for each in found.pop("fields", ()))
        return Consequence(argument=argument, fields=fields, **found)

    async def of_files(self, paths: Sequence[str]) -> tuple[Consequence, ...]:
        """Return each file of the workspace with the digest of its content now."""
        workspace = Workspace(self._page.settings.workspace_folder)
        return await asyncio.to_thread(lambda: tuple(_digested(workspace, path) for path in paths))

    @asynccontextmanager
    async def hold_to(self, shown: Sequence[Consequence]) -> AsyncGenerator[ApprovedDocuments]:
        """Refuse documents and files other than those that were shown, while the context is entered."""
        documents = ApprovedDocuments(self._page.worlds.main.frame_id, shown)
        self._devices.approved_files = {each.argument: each.sha256 for each in shown if each.kind == "file"}
        holds = any(each.url for each in shown)
        if holds:
            await self._page.hold_documents(documents.refuses)
        try:
            yield documents
        finally:
            self._devices.approved_files = {}
            if holds:
                await self._page.release_documents()


def _digested(workspace: Workspace, path: str) -> Consequence:
    digest = hashlib.sha256()
    with workspace.reading(path) as file, os.fdopen(os.dup(file.descriptor), "rb") as opened:
        left = file.size
        while left > 0 and (chunk := opened.read(min(left, CHUNK_BYTES))):
            digest.update(chunk)
            left -= len(chunk)
        return Consequence("file", path, name=file.name, size=file.size, sha256=digest.hexdigest())


class ActEffects:
    """What the last act on a tab led to."""

    def __init__(self, devices: InputDevices, observer: PageObserver) -> None:
        self._devices = devices
        self._observer = observer
        observer.filled = devices.filled

    def begin(self) -> None:
        """Forget the last act."""
        self._devices.filled.clear()

    async def unkept_values(self) -> list[PageText]:
        """Return what each field holds whose value is not the one that was filled in."""
        filled = list(self._devices.filled)
        found = [await self._unkept_value(field, wanted) for field, wanted in filled]
        return [each for each in found if each is not None]

    async def _unkept_value(self, element: FilledField, wanted: str) -> PageText | None:
        read = self._observer.values.get(element.ref)
        # A field that is gone, or whose page is busy, is told in other ways.
        with contextlib.suppress(ElementGone, BrowserError, TimeoutError):
            async with asyncio.timeout(ANSWER_SECONDS):
                held = element.value_in(read) if read else await element.value()
            if held is not None and _squashed(held) != _squashed(wanted):
                what = f"holds {_quoted(held)}" if held else "is empty"
                meant = _quoted(wanted) if wanted else "empty"
                return element.quote(f"{element.line} [{element.ref}] {what}, not {meant}.")
        return None

    async def changed_look(self) -> Own | None:
        """Return in what the element that was pressed looks different, or what is in it or around it."""
        for world in self._observer.acted_in:
            with contextlib.suppress(BrowserError, TimeoutError):  # the page was replaced, or is busy
                async with asyncio.timeout(ANSWER_SECONDS):
                    if change := await world.call("() => rove.changedLook()"):
                        ref = world.prefix + change["ref"]
                        return Own("; ".join(_told_look(each, ref) for each in change["found"]))
        return None


# Where something looks different, in relation to the element that was pressed.
_WHERE = {"it": "{ref}", "within": "in {ref}", "around": "around {ref}", "page": "the page"}


def _told_look(change: dict[str, Any], ref: str) -> str:
    return f"{_WHERE[change['where']].format(ref=ref)}: {', '.join(change['words'])}"


def _squashed(value: str) -> str:
    """Return a value without the spaces and line breaks that editors add, and a colour in small letters."""
    squashed = " ".join(value.split())
    return squashed.lower() if squashed.startswith("#") else squashed


def _quoted(value: str) -> str:
    cut = value if len(value) <= LONGEST_VALUE else value[: LONGEST_VALUE - 1] + "…"
    return json.dumps(cut, ensure_ascii=False)
