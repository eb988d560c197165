"""What the origins of a page and of a whole context store, read and restored."""

from __future__ import annotations

import asyncio
import builtins
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Generic, TypeVar

from rove.browser.failures import BrowserError
from rove.browser.scripts import storage_script
from rove.browser.shared.frames import WEB, World, Worlds
from rove.browser.shared.live_page import LivePage
from rove.browser.storage import Cookie, SameSite
from rove.errors import InvalidArguments
from rove.outcome import origin_in
from rove.page_text import PageText
from rove.tasks import BackgroundTasks

S = TypeVar("S")
_SAME_SITE: dict[str, SameSite] = {"Strict": "strict", "Lax": "lax", "None": "none"}
# Filled in with the items of each origin, as JSON.
SCRIPT = """(() => {
  const items = (%s)[location.origin];
  if (!items || window !== window.top || sessionStorage.length) return;
  for (const { name, value } of items) sessionStorage.setItem(name, value);
})()"""


class PageStorage:
    """The storage of the origin of the page. Its script runs in rove's own world, where the page cannot change it."""

    def __init__(self, worlds: Worlds[World]) -> None:
        self._worlds = worlds

    async def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """Run an operation in the page; raise InvalidArguments with the reason if it fails."""
        document = await self._worlds.main.document()
        answer: dict[str, Any] = await document.call(storage_script(), request)
        if "error" in answer:
            raise InvalidArguments(answer["error"], hint="{storage} with operation=list shows what there is.")
        return answer


class PageCookies(ABC):
    """The cookies that the browser sends with requests for the page that a tab shows."""

    def __init__(self, page: LivePage) -> None:
        self._page = page

    # Primitives of an engine

    @abstractmethod
    async def list(self) -> builtins.list[Cookie]:
        """Return the cookies that are sent with requests for the page."""

    @abstractmethod
    async def is_accepted(self, cookie: Cookie, url: str) -> bool:
        """Set a cookie for the page at an address; return whether the browser took it."""

    @abstractmethod
    async def delete(self, cookie: Cookie) -> None:
        """Delete a cookie that `list` returned."""

    # What follows from them

    async def set(self, cookie: Cookie) -> None:
        """Set a cookie for the page. Raises InvalidArguments if the browser refuses it."""
        if not await self.is_accepted(cookie, self._url):
            raise InvalidArguments(
                "The browser does not accept the cookie ",
                cookie.name,
                " for this page.",
                hint="Check `name`, its prefix, `value` and `path`, and their length; `secure` needs an https: page.",
            )

    @property
    def _url(self) -> str:
        url = self._page.url
        if not url.startswith(WEB):
            raise InvalidArguments(
                PageText(url[:100], origin_in(url)), " has no cookies.", hint="{navigate} to a page of the web first."
            )
        return url


def cookie_of(reported: dict[str, Any], origin: str, expires: float | None) -> Cookie:
    """Return a cookie of an origin that a browser reports, by the names that Chromium and WebDriver share."""
    quote = PageText("", origin).around
    return Cookie(
        quote(reported["name"]),
        quote(reported["value"]),
        quote(reported.get("domain", "")),
        quote(reported.get("path", "/")),
        expires,
        bool(reported.get("httpOnly")),
        bool(reported.get("secure")),
        _SAME_SITE.get(reported.get("sameSite", "")),
    )


class ContextCookies(ABC):
    """The cookies of all pages of a context, each as Chromium's DevTools protocol describes it."""

    @abstractmethod
    async def all(self) -> list[dict[str, Any]]:
        """Return the cookies."""

    @abstractmethod
    async def add(self, cookies: Sequence[dict[str, Any]]) -> None:
        """Set cookies; those that the browser refuses are left out. One that has expired deletes an earlier one."""

    @abstractmethod
    async def set(self, cookies: Sequence[dict[str, Any]]) -> None:
        """Set cookies. Raises BrowserError if the browser refuses one."""


class HiddenPage(ABC):
    """A page that is no tab, and shows an empty document of any origin: it answers all of its requests itself."""

    def __init__(self) -> None:
        self.tasks = BackgroundTasks("hidden page", expected=(BrowserError,))

    @property
    @abstractmethod
    def is_closed(self) -> bool:
        """Whether the page is gone."""

    @abstractmethod
    async def set_up(self) -> None:
        """Answer every request of the page here."""

    @abstractmethod
    async def visit(self, origin: str) -> None:
        """Show an empty document of an origin. Raises BrowserError."""

    @abstractmethod
    async def call(self, function: str, *arguments: Any) -> Any:
        """Call a function of `state_script` and return what it returns. Raises BrowserError."""

    @abstractmethod
    async def close(self) -> None:
        """Close the page, which may be gone."""


class HiddenPages(ABC):
    """Opens pages that are no tabs."""

    @abstractmethod
    async def create(self) -> HiddenPage:
        """Open a hidden page, which runs nothing yet."""

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[HiddenPage]:
        """Open a hidden page, and close it at the end of the block."""
        page = await self.create()
        try:
            await page.set_up()
            yield page
        finally:
            await page.close()


class SessionStorageSeed(ABC, Generic[S]):
    """Writes the items of an origin when the tab first shows it, and not again: the page may clear them.

    `S` is what the browser names a script by.
    """

    def __init__(self, tasks: BackgroundTasks, items: dict[str, list[dict[str, str]]]) -> None:
        self._tasks = tasks
        self._items = dict(items)
        self._added: S | None = None
        self._lock = asyncio.Lock()

    @abstractmethod
    async def add_script(self, source: str) -> S:
        """Run a script in the documents that the page loads from now on."""

    @abstractmethod
    async def remove_script(self, script: S) -> None:
        """Run a script no more."""

    async def replace(self) -> None:
        """Have the page's next documents write what they have not written yet."""
        async with self._lock:
            added, self._added = self._added, None
            if self._items:
                self._added = await self.add_script(SCRIPT % json.dumps(self._items))
            if added is not None:
                await self.remove_script(added)

    def note_document(self, origin: str) -> None:
        """Note that the tab shows a document of an origin."""
        if self._items.pop(origin, None) is not None:
            self._tasks.start(self.replace())
