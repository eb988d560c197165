"""JavaScript dialogs of a page, as Firefox reports them."""

from __future__ import annotations

import contextlib
from typing import Any

from rove.browser.page_data import OpenDialog
from rove.browser.page_events import PageEvents
from rove.firefox.protocol.connection import BidiError, PageChannel
from rove.page.events import dialogs
from rove.page.events.dialogs import SUPPRESS_DIALOGS
from rove.page.frames.frame_origins import FrameOrigins
from rove.page_text import Own, PageText
from rove.tasks import BackgroundTasks

# Seconds for a script that keeps the page from opening more dialogs: while one is open, no script runs.
SUPPRESS_TIMEOUT = 2.0


class Dialogs(dialogs.Dialogs):
    """The dialog that blocks a tab, if there is one."""

    def __init__(
        self, events: PageEvents, answer_timeout: float, tasks: BackgroundTasks, origins: FrameOrigins
    ) -> None:
        super().__init__(events, answer_timeout, tasks)
        self._origins = origins

    def listen(self, channel: PageChannel) -> None:
        channel.on("browsingContext.userPromptOpened", lambda event: self._on_opened(event, channel))
        channel.on("browsingContext.userPromptClosed", lambda _: self.note_closed())

    def _on_opened(self, event: dict[str, Any], channel: PageChannel) -> None:
        origin = self._origins.of(event["context"])
        message, default = (PageText(event.get(name) or "", origin) for name in ("message", "defaultValue"))
        kind: str = event["type"]
        self.note_opened(OpenDialog(Own(kind), message, default), Asker(channel, event["context"]))


class Asker:
    """The page that has opened a dialog; `context`: the frame of it that did."""

    def __init__(self, channel: PageChannel, context: str) -> None:
        self._channel = channel
        self._context = context

    async def answer_dialog(self, accept: bool, text: str | None) -> None:
        answer = {"accept": accept, **({"userText": text} if text is not None else {})}
        with contextlib.suppress(BidiError):  # the dialog or the page was closed meanwhile
            await self._channel.send("browsingContext.handleUserPrompt", answer)

    async def suppress_dialogs(self) -> None:
        params = {
            "expression": SUPPRESS_DIALOGS,
            "target": {"context": self._context},
            "awaitPromise": False,
            "resultOwnership": "none",
        }
        with contextlib.suppress(BidiError):  # the page was closed meanwhile, or does not answer
            await self._channel.send("script.evaluate", params, timeout=SUPPRESS_TIMEOUT)

    async def terminate_script(self) -> None:
        """End the script of a page that opens dialogs in a loop; Firefox does that only with the document."""
        with contextlib.suppress(BidiError):
            params = {"url": "about:blank", "wait": "none"}
            await self._channel.send("browsingContext.navigate", params, timeout=SUPPRESS_TIMEOUT)
