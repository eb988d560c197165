"""A clipboard for each session, since the browser has one for all of its contexts.

With the browser's own, text copied in one session is pasted by Control+V in another, and on Linux a middle click pastes
what is selected in another. So nothing is written to the browser's clipboard (`page/clipboard.js`), and pages are
denied access to it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from typing import Any

from rove.chromium.frames.frame_origins import FrameOrigins
from rove.chromium.frames.worlds import WORLD, World
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.errors import ScriptFailed
from rove.page_text import Own, PageText, Text

BINDING = "roveCopied"
# A frame that has not received the text by then pastes nothing.
OFFER_TIMEOUT = 0.5


class Clipboard:
    """The text that was copied last in a session."""

    def __init__(self) -> None:
        self.text: Text = Own()
        # Whether the agent may read text of an origin.
        self.may_read: Callable[[str], bool] = lambda origin: True

    async def listen(self, cdp: CdpSession, origins: FrameOrigins) -> None:
        """Receive what is copied, through a binding that only rove's isolated world can call."""
        cdp.on("Runtime.bindingCalled", lambda event: self._on_copied(event, origins.of_context(cdp, event)))
        await cdp.send("Runtime.addBinding", {"name": BINDING, "executionContextName": WORLD})

    @contextlib.asynccontextmanager
    async def offering(self, worlds: list[World]) -> AsyncGenerator[None]:
        """Within this block, a paste in any of these frames inserts the session's clipboard text."""
        open_to = [world for world in worlds if await self._may_paste(world)]
        await self.offer(open_to, self.text)
        try:
            yield
        finally:
            await self.offer(open_to, None)

    async def _may_paste(self, world: World) -> bool:
        """Whether a frame may be given the text: what the agent may not read stays at the origin that it is from."""
        if not isinstance(self.text, PageText) or self.may_read(self.text.origin):
            return True
        with contextlib.suppress(CdpError, ScriptFailed):  # the frame's document is being replaced
            return await world.origin() == self.text.origin
        return False

    async def offer(self, worlds: list[World], text: str | None) -> None:
        """Set the text that a paste in these frames inserts; None inserts nothing."""
        if not worlds:
            return
        tasks = [asyncio.ensure_future(_offer(world, text)) for world in worlds]
        _, late = await asyncio.wait(tasks, timeout=OFFER_TIMEOUT)
        for task in late:
            task.cancel()

    def _on_copied(self, event: dict[str, Any], origin: str) -> None:
        if event["name"] == BINDING:
            self.text = PageText(event["payload"], origin)


async def _offer(world: World, text: str | None) -> None:
    with contextlib.suppress(CdpError, ScriptFailed):  # the frame's document is being replaced
        await world.call("text => rove.setClipboardText(text)", text)
