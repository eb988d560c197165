"""Keeps typed text out of password fields: only a named secret goes into one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any

from rove.browser.secret_source import TypedSecret
from rove.chromium.capture.frame_rows import open_closed_root
from rove.chromium.frames.worlds import FRAME_TIMEOUT, WORLD, World
from rove.chromium.input.page import Page
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.errors import Denied, ScriptFailed

# Closed shadow roots within closed shadow roots are followed this far.
DEEPEST = 20


class NoSecrets:
    """A source without secrets."""

    def use(self, name: str, origin: str) -> TypedSecret:
        raise Denied(f"There is no secret `{name}`.")

    def offer(self, origin: str) -> str:
        return "There are no secrets."


def password_refused(line: str, ref: str, hint: str) -> Denied:
    refusal = Denied(f"{line} [{ref}] is a password field, into which only a named secret is typed.", hint=hint)
    refusal.conceals = True
    return refusal


class PasswordGuard:
    """Watches every frame of a tab while hands type into it."""

    def __init__(self, page: Page, offer: Callable[[str], str]) -> None:
        self._page = page
        self._offer = offer
        # Documents that come meanwhile are watched from their start: what does so, on each wire.
        self._expecting: list[tuple[CdpSession, str]] = []
        self._is_watching = False
        self._ending: asyncio.Task[None] | None = None

    @property
    def is_wanted(self) -> bool:
        return self._page.settings.guard.passwords == "refuse"

    @contextlib.asynccontextmanager
    async def watching(self, writes: bool = True) -> AsyncGenerator[None]:
        """Raises Denied if what is done within was kept from a password field, or `writes` and would go into one."""
        if not self.is_wanted:
            yield
            return
        try:
            refusals = await self._begin()
            if writes:
                _raise_first(refusals)
            yield
        except BaseException:
            self._end_later()  # whoever waits must not wait for that too
            raise
        if self._page.dialogs.open or self._page.awaited_server:
            self._end_later()  # the page does not answer before its dialog is answered, or while another replaces it
        else:
            _raise_first(await self._end())

    async def expect(self, cdp: CdpSession) -> None:
        """Watch the documents that a wire will bring, if hands are typing now."""
        if self._is_watching:
            script = {"source": "rove.beginTyping()", "worldName": WORLD}
            added = await cdp.send("Page.addScriptToEvaluateOnNewDocument", script)
            self._expecting.append((cdp, added["identifier"]))

    async def _begin(self) -> list[Denied]:
        if self._ending is not None:
            await self._ending
        self._is_watching = True
        worlds = await self._worlds()
        cdp_sessions = {world.cdp: world for world in reversed(worlds)}
        _, answers = await asyncio.gather(
            asyncio.gather(
                *(_in_time(world, self.expect(cdp), world.parent is None) for cdp, world in cdp_sessions.items())
            ),
            asyncio.gather(*(_ask(world, "beginTyping", world.parent is None) for world in worlds)),
        )
        facts = [await focus_in_closed_roots(world, answer) for world, answer in zip(worlds, answers, strict=True)]
        return self._kept(worlds, facts)

    async def _end(self) -> list[Denied]:
        self._is_watching = False
        expecting, self._expecting = self._expecting, []
        worlds = await self._worlds()
        _, answers = await asyncio.gather(
            asyncio.gather(*(_stop_expecting(cdp, script) for cdp, script in expecting)),
            asyncio.gather(*(_ask(world, "endTyping") for world in worlds)),
        )
        return self._kept(worlds, answers)

    async def _worlds(self) -> list[World]:
        """All but those too busy to answer, which take no keys either."""
        return [world for world in await self._page.worlds.current() if not world.is_unresponsive]

    def _end_later(self) -> None:
        self._ending = self._page.tasks.start(self._end_quietly())

    async def _end_quietly(self) -> None:
        with contextlib.suppress(CdpError):
            await self._end()

    def _kept(self, worlds: list[World], facts: list[dict[str, Any]]) -> list[Denied]:
        return [
            password_refused(kept["line"], world.prefix + kept["ref"], self._offer(kept["origin"]))
            for world, answer in zip(worlds, facts, strict=True)
            if (kept := answer.get("kept"))
        ]


async def _ask(world: World, question: str, is_vital: bool = False) -> dict[str, Any]:
    answer: dict[str, Any] | None = await _in_time(world, world.call(f"() => rove.{question}()"), is_vital)
    return answer or {}


async def _in_time(world: World, work: Coroutine[Any, Any, Any], is_vital: bool) -> Any:
    """What a world answers, if it is still there; the page itself has all the time of the action, a frame has not."""
    try:
        async with asyncio.timeout(FRAME_TIMEOUT if world.parent else None):
            return await work
    except TimeoutError:
        world.is_unresponsive = True
    except (CdpError, ScriptFailed):
        if is_vital:
            raise
    return None


async def focus_in_closed_roots(world: World, facts: dict[str, Any]) -> dict[str, Any]:
    """The focus as it is inside closed shadow roots, which the protocol can open to our script."""
    for _ in range(DEEPEST):
        host = await world.handle("() => rove.focusHere()") if facts.get("isHost") else None
        if host is None or not await open_closed_root(world, host):
            break
        facts = await _ask(world, "typingFocus")
    return facts


def _raise_first(refusals: list[Denied]) -> None:
    if refusals:
        raise refusals[0]


async def _stop_expecting(cdp: CdpSession, script: str) -> None:
    with contextlib.suppress(TimeoutError, CdpError):
        async with asyncio.timeout(FRAME_TIMEOUT):
            await cdp.send("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})
