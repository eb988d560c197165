"""Cookies and what origins store: of the page that a tab shows, and of a whole context."""

from __future__ import annotations

import builtins
import contextlib
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from rove.browser.firefox.connection import BidiConnection, BidiError, PageChannel
from rove.browser.firefox.network import text_of
from rove.browser.scripts import state_script
from rove.browser.shared import storage
from rove.browser.shared.live_page import LivePage
from rove.browser.shared.storage import cookie_of
from rove.browser.storage import Cookie
from rove.outcome import origin_in
from rove.storage.cookie_rules import cookie_complaint
from rove.tasks import BackgroundTasks

_CHROMIUM_SAME_SITE = {"strict": "Strict", "lax": "Lax", "none": "None"}
SANDBOX = "rove-state"
CLOSE_TIMEOUT = 3.0
# A document without content, so that no script of the origin runs.
EMPTY_DOCUMENT = {
    "statusCode": 200,
    "reasonPhrase": "OK",
    "headers": [
        {"name": "Content-Type", "value": {"type": "string", "value": "text/html"}},
        {"name": "Cache-Control", "value": {"type": "string", "value": "no-store"}},
    ],
    "body": {"type": "string", "value": "<!doctype html>"},
}


class ContextCookies(storage.ContextCookies):
    """Reads and sets the cookies of one context."""

    def __init__(self, connection: BidiConnection, context: str) -> None:
        self._connection = connection
        self._partition = {"type": "storageKey", "userContext": context}

    async def all(self) -> list[dict[str, Any]]:
        answer = await self._connection.send("storage.getCookies", {"partition": self._partition})
        return [_as_chromium(cookie) for cookie in answer["cookies"]]

    async def set(self, cookies: Sequence[dict[str, Any]]) -> None:
        for cookie in cookies:
            await self.set_one(cookie)

    async def add(self, cookies: Sequence[dict[str, Any]]) -> None:
        for cookie in cookies:
            with contextlib.suppress(BidiError):
                if 0 <= cookie.get("expires", -1) <= time.time():
                    await self.delete(cookie["name"], cookie["domain"], cookie.get("path", "/"))
                else:
                    await self.set_one(cookie)

    async def set_one(self, cookie: dict[str, Any]) -> None:
        """Set one cookie. Raises BidiError if Firefox refuses it."""
        given: dict[str, Any] = {
            "name": cookie["name"],
            "value": {"type": "string", "value": cookie["value"]},
            "domain": cookie["domain"],
            "path": cookie.get("path") or "/",
            "secure": bool(cookie.get("secure")),
            "httpOnly": bool(cookie.get("httpOnly")),
            "sameSite": (cookie.get("sameSite") or "default").lower(),
        }
        if cookie.get("expires", -1) is not None and cookie.get("expires", -1) >= 0:
            given["expiry"] = int(cookie["expires"])
        await self._connection.send("storage.setCookie", {"cookie": given, "partition": self._partition})

    async def delete(self, name: str, domain: str, path: str) -> None:
        place = {"name": name, "domain": domain, "path": path}
        await self._connection.send("storage.deleteCookies", {"filter": place, "partition": self._partition})


def _as_chromium(cookie: dict[str, Any]) -> dict[str, Any]:
    found = {
        "name": cookie["name"],
        "value": text_of(cookie["value"]),
        "domain": cookie["domain"],
        "path": cookie["path"],
        "secure": cookie["secure"],
        "httpOnly": cookie["httpOnly"],
        "expires": float(cookie.get("expiry", -1)),
    }
    same_site = _CHROMIUM_SAME_SITE.get(cookie.get("sameSite", ""))
    return {**found, "sameSite": same_site} if same_site else found


class PageCookies(storage.PageCookies):
    """The cookies that Firefox sends with requests for the page."""

    def __init__(self, page: LivePage, cookies: ContextCookies) -> None:
        super().__init__(page)
        self._cookies = cookies

    async def list(self) -> builtins.list[Cookie]:
        url = self._url
        found = [each for each in await self._cookies.all() if _is_sent(each, url)]
        origin = origin_in(url)
        return [cookie_of(each, origin, None if each["expires"] < 0 else each["expires"]) for each in found]

    async def is_accepted(self, cookie: Cookie, url: str) -> bool:
        given = {
            "name": str(cookie.name),
            "value": str(cookie.value),
            "domain": str(cookie.domain) or urlsplit(url).hostname or "",
            "path": str(cookie.path) or "/",
            "expires": -1 if cookie.expires is None else cookie.expires,
            "secure": cookie.secure,
            "httpOnly": cookie.http_only,
            "sameSite": cookie.same_site,
        }
        # Firefox sets what WebDriver gives it without the checks that pages meet.
        if cookie_complaint(given) or not _may_set(given, url):
            return False
        try:
            await self._cookies.set_one(given)
        except BidiError:
            if self._page.is_closed:
                raise
            return False
        return True

    async def delete(self, cookie: Cookie) -> None:
        await self._cookies.delete(str(cookie.name), str(cookie.domain), str(cookie.path))


def _may_set(cookie: dict[str, Any], url: str) -> bool:
    """Return whether a page may have a cookie: of its host or one above it, and a secure one only over https."""
    return _matches_host(cookie["domain"], url) and (not cookie["secure"] or _is_secure(url))


def _is_secure(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "https" or parts.hostname in ("localhost", "127.0.0.1")


def _is_sent(cookie: dict[str, Any], url: str) -> bool:
    path = urlsplit(url).path or "/"
    own = cookie["path"].rstrip("/")
    is_below = path == own or path.startswith(f"{own}/")
    return _matches_host(cookie["domain"], url) and is_below and (not cookie["secure"] or _is_secure(url))


def _matches_host(domain: str, url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host == domain or (domain.startswith(".") and (host == domain[1:] or host.endswith(domain)))


class SessionStorageSeed(storage.SessionStorageSeed[str]):
    """Writes the items of an origin when the tab first shows it."""

    def __init__(self, channel: PageChannel, tasks: BackgroundTasks, items: dict[str, list[dict[str, str]]]) -> None:
        super().__init__(tasks, items)
        self._channel = channel
        channel.on("browsingContext.navigationCommitted", self._on_navigated)

    async def add_script(self, source: str) -> str:
        place = {"contexts": [self._channel.context], "sandbox": SANDBOX}
        params = {"functionDeclaration": f"() => {{ {source} }}", **place}
        return str((await self._channel.connection.send("script.addPreloadScript", params))["script"])

    async def remove_script(self, script: str) -> None:
        await self._channel.connection.send("script.removePreloadScript", {"script": script})

    def _on_navigated(self, event: dict[str, Any]) -> None:
        if event["context"] == self._channel.context:
            self.note_document(origin_in(event["url"]))


class HiddenPages(storage.HiddenPages):
    """Opens hidden pages in one context. `create` opens an empty page that becomes no tab, and returns its id."""

    def __init__(self, connection: BidiConnection, create: Callable[[], Awaitable[str]]) -> None:
        self._connection = connection
        self._create = create

    async def create(self) -> HiddenPage:
        return HiddenPage(self._connection.page(await self._create()))


class HiddenPage(storage.HiddenPage):
    """A page whose requests are all answered here, with an empty document."""

    def __init__(self, channel: PageChannel) -> None:
        super().__init__()
        self._channel = channel
        channel.is_hidden = True
        self._intercept = ""

    @property
    def is_closed(self) -> bool:
        return self._channel.is_closed

    async def set_up(self) -> None:
        self._channel.on("network.beforeRequestSent", self._on_request)
        params = {"phases": ["beforeRequestSent"], "contexts": [self._channel.context]}
        self._intercept = (await self._channel.connection.send("network.addIntercept", params))["intercept"]

    async def close(self) -> None:
        connection = self._channel.connection
        with contextlib.suppress(BidiError):  # the browser is gone
            if self._intercept:
                await connection.send("network.removeIntercept", {"intercept": self._intercept})
            params = {"context": self._channel.context}
            await connection.send("browsingContext.close", params, timeout=CLOSE_TIMEOUT)
        await self.tasks.close()

    async def visit(self, origin: str) -> None:
        await self._channel.send("browsingContext.navigate", {"url": f"{origin}/", "wait": "interactive"})

    async def call(self, function: str, *arguments: Any) -> Any:
        given = json.dumps(arguments)
        declaration = f"async given => JSON.stringify(await {state_script()}.{function}(...JSON.parse(given)) ?? null)"
        params = {
            "functionDeclaration": declaration,
            "arguments": [{"type": "string", "value": given}],
            "target": {"context": self._channel.context, "sandbox": SANDBOX},
            "awaitPromise": True,
            "resultOwnership": "none",
        }
        answer = await self._channel.send("script.callFunction", params)
        if answer["type"] != "success":
            raise BidiError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def _on_request(self, event: dict[str, Any]) -> None:
        if not event["isBlocked"] or self._intercept not in (event.get("intercepts") or ()):
            return
        is_document = event.get("navigation") is not None
        method, params = ("network.provideResponse", EMPTY_DOCUMENT) if is_document else ("network.failRequest", {})
        request = {"request": event["request"]["request"]}
        self.tasks.start(self._channel.connection.send(method, {**params, **request}))
