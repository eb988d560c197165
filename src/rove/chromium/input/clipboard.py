"""A clipboard for each session, as the browser has but one for all of them.

Measured: text that is copied in one session is pasted by Control+V in another, and on Linux a middle click pastes what
is merely selected elsewhere. So nothing goes to the browser's clipboard (`page/clipboard.js`), and pages are denied
their own way to it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Any

from rove.chromium.frames.worlds import WORLD, World
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.errors import ScriptFailed

BINDING = "roveCopied"
# A frame that is too busy to take it in this time pastes nothing.
LENDING_PATIENCE = 0.5


class Clipboard:
    """What was copied last in a session, as text."""

    def __init__(self) -> None:
        self.text = ""

    async def listen(self, cdp: CdpSession) -> None:
        """Be told of what is copied: only our own scripts can call the binding."""
        cdp.on("Runtime.bindingCalled", self._on_copied)
        await cdp.send("Runtime.addBinding", {"name": BINDING, "executionContextName": WORLD})

    @contextlib.asynccontextmanager
    async def lent(self, worlds: list[World]) -> AsyncGenerator[None]:
        """For as long as this lasts, a paste in any of these frames gets what the session has copied."""
        await self.lend(worlds, self.text)
        try:
            yield
        finally:
            await self.lend(worlds, None)

    async def lend(self, worlds: list[World], text: str | None) -> None:
        lending = [asyncio.ensure_future(_lend(world, text)) for world in worlds]
        _, late = await asyncio.wait(lending, timeout=LENDING_PATIENCE)
        for task in late:
            task.cancel()

    def _on_copied(self, event: dict[str, Any]) -> None:
        if event["name"] == BINDING:
            self.text = event["payload"]


async def _lend(world: World, text: str | None) -> None:
    with contextlib.suppress(CdpError, ScriptFailed):  # its document is gone, or just coming
        await world.call("text => rove.setClipboardText(text)", text)
