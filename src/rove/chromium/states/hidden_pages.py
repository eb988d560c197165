"""Pages that are no tabs, in which rove reaches what an origin has stored without loading anything from it."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import AsyncGenerator, Callable
from typing import Any

from rove.browser.scripts import state_script
from rove.chromium.frames.execution_context import Call, exception_text
from rove.chromium.page.closing import close_target
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.tasks import BackgroundTasks

WORLD = "rove"
# A document without content, so that no script of the origin runs.
EMPTY_DOCUMENT = {
    "responseCode": 200,
    "responseHeaders": [{"name": "Content-Type", "value": "text/html"}, {"name": "Cache-Control", "value": "no-store"}],
    "body": base64.b64encode(b"<!doctype html>").decode(),
}
Attached = tuple[CdpSession, dict[str, Any]]


class HiddenPages:
    """Opens hidden pages in one context, and tells them from pages that become tabs."""

    def __init__(self, root: CdpSession, context: str, on_page: Callable[[CdpSession, dict[str, Any]], None]) -> None:
        """`on_page` is given the pages that were attached meanwhile and are no hidden ones."""
        self._root = root
        self._context = context
        self._on_page = on_page
        # Held while a target is requested: until the answer, a new page cannot be told from a hidden one.
        self.creation_lock = asyncio.Lock()
        self._undecided: list[Attached] | None = None

    def may_claim(self, cdp: CdpSession, target: dict[str, Any]) -> bool:
        """Keep a new page back if it may be a hidden one; False if it is not."""
        if self._undecided is None or "openerId" in target:
            return False
        self._undecided.append((cdp, target))
        return True

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncGenerator[HiddenPage]:
        """Open a hidden page, and close it at the end of the block."""
        async with self.creation_lock:
            cdp, target = await self._create()
        page = HiddenPage(cdp, target)
        try:
            await page.set_up()
            yield page
        finally:
            await page.tasks.close()
            await close_target(self._root, cdp, target)

    async def _create(self) -> tuple[CdpSession, str]:
        undecided = self._undecided = []
        created = ""
        try:
            blank = {"url": "about:blank", "browserContextId": self._context, "background": True}
            created = (await self._root.send("Target.createTarget", blank))["targetId"]
        finally:
            self._undecided = None
            for cdp, target in undecided:
                if target["targetId"] != created:
                    self._on_page(cdp, target)
        for cdp, target in undecided:
            if target["targetId"] == created:
                return cdp, created
        raise CdpError("the hidden page was closed as soon as it was opened")


class HiddenPage:
    """A page whose requests are all answered here, with an empty document."""

    def __init__(self, cdp: CdpSession, target: str) -> None:
        self._cdp = cdp
        self._frame = target  # the id of a page's main frame is the id of its target
        self.tasks = BackgroundTasks("hidden page", expected=(CdpError,))

    @property
    def is_closed(self) -> bool:
        return self._cdp.is_closed

    async def set_up(self) -> None:
        """Answer every request of the page here, and let it run."""
        self._cdp.on("Fetch.requestPaused", lambda event: self.tasks.start(self._answer(event)))
        await asyncio.gather(
            self._cdp.send("Page.enable"),
            self._cdp.send("Network.enable"),
            # A service worker of the origin would answer in place of the empty document.
            self._cdp.send("Network.setBypassServiceWorker", {"bypass": True}),
            self._cdp.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]}),
            self._cdp.send("Runtime.runIfWaitingForDebugger"),
        )

    async def visit(self, origin: str) -> None:
        """Show an empty document of an origin. Raises CdpError."""
        answer = await self._cdp.send("Page.navigate", {"url": f"{origin}/"})
        if "errorText" in answer:
            raise CdpError(f"{origin}: {answer['errorText']}")

    async def call(self, function: str, *arguments: Any) -> Any:
        """Call a function of `state_script` and return what it returns. Raises CdpError."""
        world = await self._cdp.send("Page.createIsolatedWorld", {"frameId": self._frame, "worldName": WORLD})
        params = Call(f"(...rest) => {state_script()}.{function}(...rest)", arguments).params(
            world["executionContextId"]
        )
        answer = await self._cdp.send("Runtime.callFunctionOn", params)
        if "exceptionDetails" in answer:
            raise CdpError(exception_text(answer["exceptionDetails"]))
        return answer["result"].get("value")

    async def _answer(self, event: dict[str, Any]) -> None:
        if event["resourceType"] == "Document":
            await self._cdp.send("Fetch.fulfillRequest", {"requestId": event["requestId"], **EMPTY_DOCUMENT})
        else:
            await self._cdp.send("Fetch.failRequest", {"requestId": event["requestId"], "errorReason": "Aborted"})
