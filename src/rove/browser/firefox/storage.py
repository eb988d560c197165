"""Cookies and what origins store: of the page that a tab shows, and of a whole context."""

from __future__ import annotations

import asyncio
import builtins
import contextlib
import json
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from rove.browser.firefox.connection import BidiConnection, BidiError, PageChannel
from rove.browser.firefox.network import text_of
from rove.browser.scripts import state_script
from rove.browser.shared.storage import SCRIPT
from rove.browser.storage import Cookie, SameSite
from rove.errors import InvalidArguments
from rove.outcome import PageText, origin_in
from rove.states.cookie_rules import cookie_complaint
from rove.tasks import BackgroundTasks

_CHROMIUM_SAME_SITE = {"strict": "Strict", "lax": "Lax", "none": "None"}
_SAME_SITE: dict[str, SameSite] = {"Strict": "strict", "Lax": "lax", "None": "none"}
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


class ContextCookies:
    """Reads and sets the cookies of one context."""

    def __init__(self, connection: BidiConnection, context: str) -> None:
        self._connection = connection
        self._partition = {"type": "storageKey", "userContext": context}

    async def all(self) -> list[dict[str, Any]]:
        answer = await self._connection.send("storage.getCookies", {"partition": self._partition})
        return [_as_chromium(cookie) for cookie in answer["cookies"]]

    async def set(self, cookies: Sequence[dict[str, Any]]) -> None:
        """Set cookies. Raises BidiError if Firefox refuses one."""
        for cookie in cookies:
            await self.set_one(cookie)

    async def add(self, cookies: Sequence[dict[str, Any]]) -> None:
        """Set cookies; those that Firefox refuses are left out. One that has expired deletes an earlier one."""
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


class PageCookies:
    """The cookies that Firefox sends with requests for the page; `find_url` returns its URL."""

    def __init__(self, channel: PageChannel, cookies: ContextCookies, find_url: Callable[[], str]) -> None:
        self._channel = channel
        self._cookies = cookies
        self._find_url = find_url

    async def list(self) -> builtins.list[Cookie]:
        url = self._url
        found = [each for each in await self._cookies.all() if _is_sent(each, url)]
        return [_cookie(each, origin_in(url)) for each in found]

    async def set(self, cookie: Cookie) -> None:
        """Set a cookie for the page. Raises InvalidArguments if Firefox refuses it."""
        url = self._url
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
        if cookie_complaint(given) or not _may_set(given, url) or not await self._is_accepted(given):
            raise InvalidArguments(
                "The browser does not accept the cookie ",
                cookie.name,
                " for this page.",
                hint="Check `name`, its prefix, `value` and `path`, and their length; `secure` needs an https: page.",
            )

    async def _is_accepted(self, given: dict[str, Any]) -> bool:
        try:
            await self._cookies.set_one(given)
        except BidiError:
            if self._channel.is_closed:
                raise
            return False
        return True

    async def delete(self, cookie: Cookie) -> None:
        """Delete a cookie that `list` returned."""
        await self._cookies.delete(str(cookie.name), str(cookie.domain), str(cookie.path))

    @property
    def _url(self) -> str:
        url = self._find_url()
        if not url.startswith(("http://", "https://")):
            raise InvalidArguments(
                PageText(url[:100], origin_in(url)), " has no cookies.", hint="{navigate} to a page of the web first."
            )
        return url


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


def _cookie(reported: dict[str, Any], origin: str) -> Cookie:
    quote = PageText("", origin).around
    return Cookie(
        quote(reported["name"]),
        quote(reported["value"]),
        quote(reported["domain"]),
        quote(reported["path"]),
        None if reported["expires"] < 0 else reported["expires"],
        reported["httpOnly"],
        reported["secure"],
        _SAME_SITE.get(reported.get("sameSite", "")),
    )


class SessionStorageSeed:
    """Writes the items of an origin when the tab first shows it, and not again: the page may clear them."""

    def __init__(self, channel: PageChannel, tasks: BackgroundTasks, items: dict[str, list[dict[str, str]]]) -> None:
        self._channel = channel
        self._tasks = tasks
        self._items = dict(items)
        self._added: str | None = None
        self._lock = asyncio.Lock()

    async def add(self) -> None:
        """Add the script to the tab, which has shown nothing yet."""
        self._channel.on("browsingContext.navigationCommitted", self._on_navigated)
        await self._replace()

    def _on_navigated(self, event: dict[str, Any]) -> None:
        is_main = event["context"] == self._channel.context
        if is_main and self._items.pop(origin_in(event["url"]), None) is not None:
            self._tasks.start(self._replace())

    async def _replace(self) -> None:
        connection = self._channel.connection
        async with self._lock:
            added, self._added = self._added, None
            if self._items:
                params = {
                    "functionDeclaration": f"() => {{ {SCRIPT % json.dumps(self._items)} }}",
                    "contexts": [self._channel.context],
                    "sandbox": SANDBOX,
                }
                self._added = (await connection.send("script.addPreloadScript", params))["script"]
            if added is not None:
                await connection.send("script.removePreloadScript", {"script": added})


class HiddenPages:
    """Opens hidden pages in one context, and tells them from pages that become tabs."""

    def __init__(self, connection: BidiConnection, create: Callable[[], Any]) -> None:
        """`create` opens an empty page that becomes no tab, and returns its context."""
        self._connection = connection
        self._create = create

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncGenerator[HiddenPage]:
        """Open a hidden page, and close it at the end of the block."""
        channel = self._connection.page(await self._create())
        page = HiddenPage(channel)
        try:
            await page.set_up()
            yield page
        finally:
            await page.close()


class HiddenPage:
    """A page whose requests are all answered here, with an empty document."""

    def __init__(self, channel: PageChannel) -> None:
        self._channel = channel
        channel.is_hidden = True
        self._tasks = BackgroundTasks("hidden page", expected=(BidiError,))
        self._intercept = ""

    @property
    def is_closed(self) -> bool:
        return self._channel.is_closed

    async def set_up(self) -> None:
        """Answer every request of the page here."""
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
        await self._tasks.close()

    async def visit(self, origin: str) -> None:
        """Show an empty document of an origin. Raises BidiError."""
        await self._channel.send("browsingContext.navigate", {"url": f"{origin}/", "wait": "interactive"})

    async def call(self, function: str, *arguments: Any) -> Any:
        """Call a function of `state_script` and return what it returns. Raises BidiError."""
        import json

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
        self._tasks.start(self._channel.connection.send(method, {**params, **request}))
