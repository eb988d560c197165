"""Keeps typed text out of password fields: only a named secret goes into one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from rove.browser.failures import BrowserError
from rove.errors import Denied
from rove.page.frames.world import DocumentScript, World
from rove.page.frames.worlds import bounded
from rove.page_text import PageText, Text

if TYPE_CHECKING:
    from rove.browser.element import FoundSecret, TypedSecret
    from rove.page.live_page import LivePage

# The depth to which nested closed shadow roots are searched for the focus.
MAX_ROOT_DEPTH = 20


class FocusedElement(Protocol):
    """An element that gets the focus before text is typed."""

    async def focus(self, watches: bool = False, /) -> Typing | None: ...


class NoSecrets:
    """A source without secrets."""

    def use(self, name: str, origin: str) -> TypedSecret:
        raise Denied(f"There is no secret `{name}`.")

    def offer(self, origin: str) -> str:
        return "There are no secrets."

    @property
    def names(self) -> tuple[str, ...]:
        return ()

    def find(self, text: str) -> list[FoundSecret]:
        return []

    def held_in(self, text: str) -> list[dict[str, str]]:
        return []

    def is_bound(self, name: str, origin: str) -> bool:
        return False


def password_error(line: Text, ref: str, hint: str) -> Denied:
    """Return the error for text that was to go into a password field."""
    refusal = Denied(line, f" [{ref}] is a password field, into which only a named secret is typed.", hint=hint)
    refusal.conceals = True
    return refusal


def _hidden_field_error(line: Text, ref: str) -> Denied:
    """Return the error for text that was to go into a field that cannot be looked at."""
    refusal = Denied(
        line,
        f" [{ref}] has a closed shadow root, and the field in it may be a password field: not all was typed.",
        hint="Take a {snapshot}, then {fill} the field.",
    )
    refusal.conceals = True
    return refusal


class Typing(NamedTuple):
    """A frame in which typed text is watched already, and what it has answered of its focus."""

    world: World
    focus: dict[str, Any]


class PasswordGuard:
    """Watches every frame of a tab while rove types, and keeps the text out of password fields."""

    def __init__(self, page: LivePage, offer: Callable[[str], str]) -> None:
        self._page = page
        self._offer = offer
        # Watches documents that load while rove types.
        self.script: DocumentScript = page.document_script("rove.beginTyping()")
        self._ending: asyncio.Task[None] | None = None

    @property
    def is_enabled(self) -> bool:
        return self._page.settings.guard.passwords == "refuse"

    @contextlib.asynccontextmanager
    async def guarding(self, writes: bool = True, into: FocusedElement | None = None) -> AsyncGenerator[None]:
        """Raise `Denied` if input in this block was kept from a password field.

        If it `writes` text, raise before the block runs when a password field has the focus. `into`: an element that
        gets the focus first.
        """
        if not self.is_enabled:
            if into is not None:
                await into.focus()
            yield
            return
        try:
            await self._until_ended()
            refusals = await self._begin(into)
            if writes:
                _raise_first(refusals)
            yield
        except BaseException:
            self._end_soon()  # the caller gets the error without waiting
            raise
        if self._page.dialogs.open or self._page.awaited_server:
            self._end_soon()  # the page does not answer while a dialog is open or another page replaces it
        else:
            _raise_first(await self._end())

    async def _until_ended(self) -> None:
        if self._ending is not None:
            await asyncio.wait({self._ending})  # its owner may have cancelled it

    async def _begin(self, into: FocusedElement | None) -> list[Denied]:
        self.script.is_on = True
        await self._page.take_focus()
        worlds = await self._worlds()
        _, found = await asyncio.gather(self.script.begin(worlds), self._watch(worlds, into))
        answers = [found[world] for world in worlds]
        answers = [await focus_in_closed_roots(world, answer) for world, answer in zip(worlds, answers, strict=True)]
        return self._refusals(worlds, answers)

    async def _watch(self, worlds: list[World], into: FocusedElement | None) -> dict[World, dict[str, Any]]:
        """Watch in all frames where typed text goes, and return what each says of its focus."""
        typing = await into.focus(True) if into is not None else None
        known = {typing.world: typing.focus} if typing is not None else {}
        asked = [world for world in worlds if world not in known]
        found = await asyncio.gather(*(_ask(world, "beginTyping", world.parent is None) for world in asked))
        return {**known, **dict(zip(asked, found, strict=True))}

    async def _end(self) -> list[Denied]:
        self.script.is_on = False
        worlds = await self._worlds()
        _, answers = await asyncio.gather(
            self.script.end(), asyncio.gather(*(_ask(world, "endTyping") for world in worlds))
        )
        return self._refusals(worlds, answers)

    async def _worlds(self) -> list[World]:
        """Return the worlds of all frames but those that did not answer, which receive no keys either."""
        return [world for world in await self._page.worlds.current() if not world.is_unresponsive]

    def _end_soon(self) -> None:
        self._ending = self._page.tasks.start(self._end_quietly())

    async def _end_quietly(self) -> None:
        with contextlib.suppress(BrowserError):
            await self._end()

    def _refusals(self, worlds: list[World], answers: list[dict[str, Any]]) -> list[Denied]:
        return [
            self._refusal(field, world.prefix + field["ref"], bool(answer.get("isHost")))
            for world, answer in zip(worlds, answers, strict=True)
            if (field := answer.get("kept"))
        ]

    def _refusal(self, field: dict[str, Any], ref: str, is_host: bool) -> Denied:
        line = PageText(field["line"], field["origin"])
        if is_host:
            return _hidden_field_error(line, ref)
        return password_error(line, ref, self._offer(field["origin"]))


async def _ask(world: World, question: str, is_required: bool = False) -> dict[str, Any]:
    answer: dict[str, Any] | None = await bounded(world, world.call(f"() => rove.{question}()"), is_required)
    return answer or {}


async def focus_in_closed_roots(world: World, focus: dict[str, Any]) -> dict[str, Any]:
    """Return the facts about the focus inside closed shadow roots, which only the engine can open to rove's script."""
    for _ in range(MAX_ROOT_DEPTH):
        if not focus.get("isHost") or not await world.open_focused_root():
            break
        focus = await _ask(world, "typingFocus")
    return focus


def _raise_first(refusals: list[Denied]) -> None:
    if refusals:
        raise refusals[0]
