"""A statement that runs in rove's sandbox of each document that loads while it is in use."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from rove.firefox.protocol.connection import BidiError, PageChannel
from rove.page.frames import world
from rove.page.frames.world import WORLD


class DocumentScript:
    """Adds one statement to the documents of a page and of all frames in it."""

    def __init__(self, channel: PageChannel, source: str) -> None:
        self._channel = channel
        self._source = source
        self._added: list[str] = []
        self.is_on = False

    async def begin(self, worlds: Sequence[world.World]) -> None:
        """Run it in the documents that will load in the page."""
        script = {
            "functionDeclaration": f"() => {{ {self._source} }}",
            "sandbox": WORLD,
            "contexts": [self._channel.context],
        }
        added = await self._channel.send("script.addPreloadScript", script)
        self._added.append(added["script"])

    async def end(self) -> None:
        self.is_on = False
        added, self._added = self._added, []
        for script in added:
            with contextlib.suppress(BidiError):  # it has gone with the page
                await self._channel.connection.send("script.removePreloadScript", {"script": script})
