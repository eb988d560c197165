"""JavaScript dialogs of a page, as its CDP sessions report them."""

from __future__ import annotations

import contextlib
from typing import Any

from rove.browser.page_data import OpenDialog
from rove.browser.page_events import PageEvents
from rove.chromium.frames.frame_origins import FrameOrigins
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.page.events import dialogs
from rove.page.events.dialogs import SUPPRESS_DIALOGS
from rove.page_text import Own, PageText
from rove.tasks import BackgroundTasks


class Dialogs(dialogs.Dialogs):
    """The dialog that blocks a tab, if there is one."""

    def __init__(
        self, events: PageEvents, answer_timeout: float, tasks: BackgroundTasks, origins: FrameOrigins
    ) -> None:
        super().__init__(events, answer_timeout, tasks)
        self._origins = origins

    def listen(self, cdp: CdpSession) -> None:
        cdp.on("Page.javascriptDialogOpening", lambda event: self._on_opening(event, cdp))
        cdp.on("Page.javascriptDialogClosed", lambda _: self.note_closed())

    def _on_opening(self, event: dict[str, Any], cdp: CdpSession) -> None:
        origin = self._origins.of_document(event["url"], event.get("frameId"))
        message, default = (PageText(event.get(name, ""), origin) for name in ("message", "defaultPrompt"))
        kind: str = event["type"]
        self.note_opened(OpenDialog(Own(kind), message, default), Asker(cdp))


class Asker:
    """The page or frame that has opened a dialog."""

    def __init__(self, cdp: CdpSession) -> None:
        self._cdp = cdp

    async def answer_dialog(self, accept: bool, text: str | None) -> None:
        answer = {"accept": accept, **({"promptText": text} if text is not None else {})}
        await self._send("Page.handleJavaScriptDialog", answer)

    async def suppress_dialogs(self) -> None:
        await self._send("Runtime.evaluate", {"expression": SUPPRESS_DIALOGS})

    async def terminate_script(self) -> None:
        await self._send("Runtime.terminateExecution", {})

    async def _send(self, method: str, params: dict[str, Any]) -> None:
        with contextlib.suppress(CdpError):  # the page was closed meanwhile
            await self._cdp.send(method, params)
