"""Cookies and what origins store: of the page that a tab shows, and of a whole context."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Sequence
from typing import Any

from rove.browser.chromium.connection import CdpError, CdpSession
from rove.browser.chromium.evaluation import Call, exception_text
from rove.browser.chromium.live_page import LivePage, close_target
from rove.browser.scripts import state_script
from rove.browser.shared import storage
from rove.browser.shared.frames import WORLD
from rove.browser.shared.storage import cookie_of
from rove.browser.storage import Cookie
from rove.outcome import origin_in
from rove.tasks import BackgroundTasks

# The fields of a cookie from `Storage.getCookies` that `Storage.setCookies` accepts.
COOKIE_FIELDS = (
    "name", "value", "domain", "path", "secure", "httpOnly", "sameSite", "expires", "priority", "partitionKey",
)  # fmt: skip
# A document without content, so that no script of the origin runs.
EMPTY_DOCUMENT = {
    "responseCode": 200,
    "responseHeaders": [{"name": "Content-Type", "value": "text/html"}, {"name": "Cache-Control", "value": "no-store"}],
    "body": base64.b64encode(b"<!doctype html>").decode(),
}
Attached = tuple[CdpSession, dict[str, Any]]


class PageCookies(storage.PageCookies):
    """The cookies that the browser sends with requests for the page."""

    _page: LivePage

    async def list(self) -> list[Cookie]:
        url = self._url
        answer = await self._page.cdp.send("Network.getCookies", {"urls": [url]})
        origin = origin_in(url)
        return [cookie_of(each, origin, None if each["session"] else each["expires"]) for each in answer["cookies"]]

    async def is_accepted(self, cookie: Cookie, url: str) -> bool:
        """Set a cookie; return whether the browser took it. It answers some with an error, others with no success."""
        params = {"url": url, "name": cookie.name, "value": cookie.value, **_attributes(cookie)}
        try:
            answer = await self._page.cdp.send("Network.setCookie", params)
        except CdpError:
            if self._page.is_closed:
                raise
            return False
        return bool(answer["success"])

    async def delete(self, cookie: Cookie) -> None:
        place = {"name": cookie.name, "domain": cookie.domain, "path": cookie.path}
        await self._page.cdp.send("Network.deleteCookies", place)


def _attributes(cookie: Cookie) -> dict[str, Any]:
    """Return the attributes that a cookie has, as CDP names them."""
    given = {"domain": cookie.domain, "path": cookie.path, "expires": cookie.expires}
    same_site = {"sameSite": cookie.same_site.capitalize()} if cookie.same_site else {}
    present = {name: value for name, value in given.items() if value not in ("", None)}
    return {**present, **same_site, "secure": cookie.secure, "httpOnly": cookie.http_only}


class ContextCookies(storage.ContextCookies):
    """Reads and sets the cookies of one context."""

    def __init__(self, root: CdpSession, context: str) -> None:
        self._root = root
        self._context = context

    async def all(self) -> list[dict[str, Any]]:
        answer = await self._root.send("Storage.getCookies", {"browserContextId": self._context})
        return [{key: cookie[key] for key in COOKIE_FIELDS if key in cookie} for cookie in answer["cookies"]]

    async def set(self, cookies: Sequence[dict[str, Any]]) -> None:
        """Set cookies, all or none. Raises CdpError if the browser refuses one."""
        if cookies:
            await self._root.send("Storage.setCookies", {"cookies": [*cookies], "browserContextId": self._context})

    async def add(self, cookies: Sequence[dict[str, Any]]) -> None:
        try:
            await self.set(cookies)
        except CdpError:
            if self._root.is_closed:
                raise
            for cookie in cookies if len(cookies) > 1 else ():
                await self.add([cookie])


class SessionStorageSeed(storage.SessionStorageSeed[str]):
    """Writes the items of an origin when the tab first shows it."""

    def __init__(self, cdp: CdpSession, tasks: BackgroundTasks, items: dict[str, list[dict[str, str]]]) -> None:
        super().__init__(tasks, items)
        self._cdp = cdp
        cdp.on("Page.frameNavigated", self._on_navigated)

    async def add_script(self, source: str) -> str:
        script = {"source": source, "worldName": WORLD}
        return str((await self._cdp.send("Page.addScriptToEvaluateOnNewDocument", script))["identifier"])

    async def remove_script(self, script: str) -> None:
        await self._cdp.send("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})

    def _on_navigated(self, event: dict[str, Any]) -> None:
        frame = event["frame"]
        if "parentId" not in frame:
            self.note_document(frame.get("securityOrigin", ""))


class HiddenPages(storage.HiddenPages):
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

    async def create(self) -> HiddenPage:
        async with self.creation_lock:
            return HiddenPage(self._root, *await self._create())

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


class HiddenPage(storage.HiddenPage):
    """A page whose requests are all answered here, with an empty document."""

    def __init__(self, root: CdpSession, cdp: CdpSession, target: str) -> None:
        super().__init__()
        self._root = root
        self._cdp = cdp
        self._frame = target  # the id of a page's main frame is the id of its target

    @property
    def is_closed(self) -> bool:
        return self._cdp.is_closed

    async def close(self) -> None:
        await self.tasks.close()
        await close_target(self._root, self._cdp, self._frame)

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
        answer = await self._cdp.send("Page.navigate", {"url": f"{origin}/"})
        if "errorText" in answer:
            raise CdpError(f"{origin}: {answer['errorText']}")

    async def call(self, function: str, *arguments: Any) -> Any:
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
