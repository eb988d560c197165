"""A statement that runs in rove's world of each document that loads while it is in use."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

from rove.chromium.frames.world import World
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.page.frames import world
from rove.page.frames.world import WORLD
from rove.page.frames.worlds import FRAME_TIMEOUT, bounded


class DocumentScript:
    """Adds one statement to the documents of a page and of its frames in other processes."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._added: list[tuple[CdpSession, str]] = []
        self.is_on = False

    async def begin(self, worlds: Sequence[world.World]) -> None:
        """Run it in the documents that will load in these frames."""
        cdp_sessions = {world.cdp: world for world in reversed(worlds) if isinstance(world, World)}
        adding = (bounded(world, self.add_to(cdp), world.parent is None) for cdp, world in cdp_sessions.items())
        await asyncio.gather(*adding)

    async def add_to(self, cdp: CdpSession) -> None:
        """If it is in use, run it in the documents that will load in this CDP session."""
        if self.is_on:
            script = {"source": self._source, "worldName": WORLD}
            added = await cdp.send("Page.addScriptToEvaluateOnNewDocument", script)
            self._added.append((cdp, added["identifier"]))

    async def end(self) -> None:
        self.is_on = False
        added, self._added = self._added, []
        await asyncio.gather(*(_remove(cdp, script) for cdp, script in added))


async def _remove(cdp: CdpSession, script: str) -> None:
    with contextlib.suppress(TimeoutError, CdpError):
        async with asyncio.timeout(FRAME_TIMEOUT):
            await cdp.send("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})
