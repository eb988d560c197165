"""The web as one call reads it: over HTTP first, then in a tab of its own where that does not do."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from typing import TYPE_CHECKING, Protocol, TypeVar

from rove.action import BrowserUse, Effect
from rove.browser.failures import BrowserError, PageStuck, credentials_error, host_and_port, navigation_error
from rove.content.http.answer import INVALID, Headers, HttpAnswer, HttpFailure, canonical, status_text, text_of
from rove.content.http.browser_needed import Escalation, find_escalation, find_wall, is_html, page_facts, retry_after
from rove.content.http.client import HttpReader, RequestLimits, TooManyRedirects
from rove.content.http.contents import WebDocument
from rove.content.http.robots import Robots, RobotsRefusal
from rove.engine.deadline import BUSY_PAGE_HINT, PAGE_LOAD, Deadline, TabLock, unless_crashed
from rove.engine.network_access import NetworkAccess, refuse_unreachable
from rove.engine.permission import PermissionCheck
from rove.engine.run_request import SessionView, WebCall
from rove.engine.settle import StartState, settle
from rove.errors import Blocked, DeadlineExceeded, Denied, HttpError, NavigationFailed, RoveError
from rove.guard.cleaning import count_invisible
from rove.guard.network.urls import origin_of, origin_text
from rove.guard.policy import Place
from rove.outcome import origin_in
from rove.page_text import NOWHERE, PageText
from rove.proxy_headers import FAILURE_HEADER, REFUSED_HEADER
from rove.records import dataclass
from rove.settings.tree import Settings
from rove.tasks import BackgroundTasks
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.browser.element import SecretSource
    from rove.browser.shared.context import Context
    from rove.browser.shared.tab import Tab
    from rove.content.page_source import PageSource

# Chromium's error for each reason for which OpenSSL refuses a certificate.
_CERTIFICATE_ERRORS = {
    "7": "ERR_CERT_AUTHORITY_INVALID",
    "9": "ERR_CERT_DATE_INVALID",
    "10": "ERR_CERT_DATE_INVALID",
    "18": "ERR_CERT_AUTHORITY_INVALID",
    "19": "ERR_CERT_AUTHORITY_INVALID",
    "20": "ERR_CERT_AUTHORITY_INVALID",
    "21": "ERR_CERT_AUTHORITY_INVALID",
    "23": "ERR_CERT_REVOKED",
    "62": "ERR_CERT_COMMON_NAME_INVALID",
    "64": "ERR_CERT_COMMON_NAME_INVALID",
}
_NET_ERRORS = {
    "closed": "ERR_CONNECTION_CLOSED",
    "malformed": "ERR_CONTENT_DECODING_FAILED",
    "unreachable": "ERR_TUNNEL_CONNECTION_FAILED",
}
LONGEST_QUOTE = 500
ROBOTS_HINT = "The owner of rove wants robots.txt respected (`fetching.robots`): use another source."
RETRY_ROBOTS_HINT = (
    "The owner of rove wants robots.txt respected (`fetching.robots`): try again later, or use another source."
)

# Seconds that a check for robots has to let the browser through by itself.
CHECK_SECONDS = 10.0
# Seconds that are kept to read the page once time is short.
READ_SECONDS = 2.0
CLOSE_SECONDS = 2.0
NO_PAGE_HINT = "Check the address: the server may have answered with nothing."
T = TypeVar("T")
# What the proxy tells of a server that took the request and closed the connection.
HUNG_UP = frozenset({"reset", "empty", "short"})
AS_ASKED = Escalation("as asked")
CLOSED = Escalation("the server closed the connection without an answer, as some do to programs")


def failure_error(failure: HttpFailure) -> RoveError:
    """Return the error for a request that has no answer, in the words of a failed navigation."""
    if failure.kind == "timeout":
        return DeadlineExceeded(
            f"{host_and_port(failure.url)} did not send the page within {failure.reason}.",
            hint="Try again later. `timeout` allows more time.",
        )
    if failure.kind == "certificate":
        return navigation_error(f"net::{_CERTIFICATE_ERRORS.get(failure.reason, 'ERR_CERT_INVALID')}", failure.url)
    if failure.reason == "invalid redirect":
        return navigation_error("net::ERR_INVALID_REDIRECT", failure.url)
    if failure.reason == INVALID:
        return navigation_error("net::ERR_INVALID_URL", failure.url)
    return navigation_error(f"net::{_NET_ERRORS[failure.kind]}", failure.url)


def robots_error(url: str, refusal: RobotsRefusal) -> Denied:
    """Return the error for an address that robots.txt forbids, or may forbid."""
    rules = f"The robots.txt of {host_and_port(url)}"
    message = f"{rules} does not let programs read this address."
    if refusal.failure:
        message = f"{rules} could not be read ({refusal.failure}), which counts as a refusal."
    hint = RETRY_ROBOTS_HINT if refusal.failure else ROBOTS_HINT
    return Denied(message, hint=hint, retryable=bool(refusal.failure))


def status_error(answer: HttpAnswer) -> RoveError:
    """Return the error for an answer with an error status, with the beginning of what the server says."""
    if answer.status == 401 and "www-authenticate" in answer.headers:
        return credentials_error(answer.status, answer.url, answer.headers.get("www-authenticate")[:100])
    error = http_error(answer.url, answer.status, _said(answer), retry_after(answer))
    error.notice = answer.cache_note
    return error


def http_error(url: str, status: int, said: str = "", wait: float | None = None) -> HttpError:
    """Return the error for an address that is answered with an error status."""
    quote = (": ", PageText(said[:LONGEST_QUOTE], origin_in(url))) if said else ()
    message = (f"{host_and_port(url)} answered with {status_text(status)}", *quote)
    return HttpError(*message, status=status, retry_after=wait)


def _said(answer: HttpAnswer) -> str:
    """Return the words of an error answer, on one line."""
    if is_html(answer):
        facts = page_facts(text_of(answer), answer.url)
        return facts.title or facts.text[:LONGEST_QUOTE]
    is_text = answer.media_type.startswith("text/") or answer.media_type.endswith("json")
    return " ".join(text_of(answer)[: LONGEST_QUOTE * 2].split()) if is_text else ""


class RedirectCheck:
    """Checks the addresses of one call. Each origin is asked about once."""

    def __init__(self, session: SessionView, call: WebCall) -> None:
        self._session = session
        self._call = call
        # The address that the caller named has been decided on, and a person asked where the policy wants it.
        self._allowed = {origin_text(call.action.destination or "")}
        # The address that was allowed last: a server there names the next one.
        self._last: str | None = None

    async def __call__(self, url: str) -> None:
        """Raise Denied if the address may not be loaded or read."""
        with self._marked_as_quote():
            await self._check(url)
        self._last = url

    @contextlib.contextmanager
    def _marked_as_quote(self) -> Generator[None]:
        """Mark every error about an address that a server has named: what is said of it repeats its words."""
        try:
            yield
        except RoveError as error:
            if self._last is not None:
                error.parts = (PageText(error.message, origin_text(self._last) or NOWHERE),)
            raise

    async def _check(self, url: str) -> None:
        self._refuse_credentials(url)
        action = self._call.action.at(url)
        refuse_unreachable(self._session.network, action, self._call.entry, None)
        if origin_text(url) not in self._allowed:
            await self._ask_policy(url)
            self._allowed.add(origin_text(url))
        if not self._session.gate.may_read(Place(self._session.name, None, url)):
            self._call.entry.decision = "denied"
            raise Denied("The policy does not allow this page to be read.")
        self._call.entry.decision = "allowed"

    async def _ask_policy(self, url: str) -> None:
        check = PermissionCheck(self._session.gate, self._call.action.at(url), self._call.entry, self._call.channel, [])
        if await check.check((Place(self._session.name),)) is not None:
            origin = origin_of(url)
            host = origin.host if origin else url[:200]
            raise Denied(
                f"The address redirects to {host}, and the policy asks a person before that is loaded.",
                hint="Call again with the address that it redirects to: a person is asked then.",
            )

    def _refuse_credentials(self, url: str) -> None:
        from ada_url import URL

        try:
            parsed = URL(url)
        except ValueError:
            raise Denied(f"It redirects to an invalid address: {url[:200]}") from None
        if parsed.username or parsed.password:
            raise Denied("It redirects to an address with a user name or a password in it.")


@dataclass(frozen=True)
class ShownPage:
    """The page that a browser shows at an address. `wall`: the product that still checks for robots, if one does.

    Without `source`, the browser did not show it but downloaded it: `file`, at `path` in the workspace.
    """

    url: str
    status: int
    source: PageSource | None
    wall: str | None = None
    file: HttpAnswer | None = None
    path: str = ""


class BrowserReading:
    """Reads addresses in a browser context, within the deadline of a call."""

    def __init__(self, context: Context, network: NetworkAccess, secrets: SecretSource, deadline: Deadline) -> None:
        self._context = context
        self._network = network
        self._secrets = secrets
        self._deadline = deadline

    async def read(self, url: str) -> ShownPage:
        """Load an address, wait until the page has settled, and read it. Raises RoveError."""
        async with self._tab() as tab, TabLock(tab, self._deadline, Effect.NAVIGATE):
            tab.allow_changes(self._secrets)
            start, downloads = StartState.of(tab), tab.page.downloads.count
            await self._load(tab, url, start)
            is_page = tab.url.startswith(("http:", "https:")) and not tab.page.shows_pdf
            work = self._settled(tab, start) if is_page else _downloaded(tab, start, downloads)
            return await self._deadline.limit_on_tab(tab, unless_crashed(tab, work), PAGE_LOAD)

    async def _load(self, tab: Tab, url: str, start: StartState) -> None:
        try:
            loading = unless_crashed(tab, tab.navigate(url))
            await self._deadline.limit_on_tab(tab, loading, PAGE_LOAD)
        except PageStuck:
            raise DeadlineExceeded("The page is busy and lets nothing else run.", hint=BUSY_PAGE_HINT) from None
        except NavigationFailed:
            document = tab.page.requests.document
            has_part = document is not None and document.status is not None
            for address in (document.url if document else "", url):
                self._network.raise_failure(address, start.moment, has_part)
            raise
        self._network.refuse_document(tab.page.requests.document)

    async def _settled(self, tab: Tab, start: StartState) -> ShownPage:
        """Return the page once it is quiet and, if it is a check for robots, once that has had its time."""
        until = min(time.monotonic() + CHECK_SECONDS, self._deadline.moment - READ_SECONDS)
        await settle(tab, start, False)
        while (wall := await _wall(tab)) is not None and time.monotonic() < until:
            await tab.wait_for_change(max(min(until - time.monotonic(), 1.0), 0.01))
            await settle(tab, StartState.of(tab), False)
        self._network.refuse_document(tab.page.requests.document)
        return ShownPage(tab.url, tab.page.status or 200, await tab.page_source(), wall)

    @contextlib.asynccontextmanager
    async def _tab(self) -> AsyncGenerator[Tab]:
        """Open a tab of which the agent is not told; close it, and the dialogs of its page, in the end."""
        tab = await self._deadline.limit(self._context.new_background_tab())
        tasks = BackgroundTasks("web_fetch", expected=(BrowserError,))
        tasks.start(_dismiss_dialogs(tab))
        try:
            yield tab
        finally:
            await tasks.close()
            # Also when the call was cancelled.
            await asyncio.shield(self._close(tab))

    async def _close(self, tab: Tab) -> None:
        with contextlib.suppress(BrowserError, TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._context.close_tab(tab)


async def _downloaded(tab: Tab, start: StartState, before: int) -> ShownPage:
    """Return the file that the browser downloaded instead of showing a page."""
    await settle(tab, start, False)
    page = tab.page
    file = await page.download_document() if page.shows_pdf else page.downloads.latest(before)
    if file is None or file.path is None or not file.url.startswith(("http:", "https:")) or not page.may_read(file.url):
        raise NavigationFailed("The browser showed no page, and saved no file.", hint=NO_PAGE_HINT, retryable=False)
    most = tab.settings.fetching.megabytes * 2**20
    data = await asyncio.to_thread(_read_file, Workspace(tab.settings.workspace_folder), file.path, most + 1)
    # Without a type, as the file is told by its beginning.
    answer = HttpAnswer(file.url, 200, Headers(), data[:most], is_cut=len(data) > most)
    return ShownPage(file.url, 200, None, file=answer, path=file.path)


def _read_file(workspace: Workspace, path: str, most: int) -> bytes:
    with workspace.reading(path) as file, os.fdopen(os.dup(file.descriptor), "rb") as opened:
        return opened.read(most)


async def _dismiss_dialogs(tab: Tab) -> None:
    while True:
        await tab.page.dialogs.wait_until_open()
        await tab.page.dialogs.answer(False, None)


async def _wall(tab: Tab) -> str | None:
    """Return the product that checks for robots, if that is what the tab shows."""
    document = tab.page.requests.document
    headers = Headers(tuple((name.lower(), value) for name, value in (document.headers if document else {}).items()))
    elements = await tab.resolve_all(":root", wait=False)  # which is not `html` in a picture or in XML
    html = await elements[0].read_html()
    return await asyncio.to_thread(_wall_in, html, tab.url, tab.page.status, headers)


def _wall_in(html: str, url: str, status: int | None, headers: Headers) -> str | None:
    facts = page_facts(html, url)
    # A header says how the document began: once its check has been passed, the page has its own words.
    is_passed = status is not None and status < 400 and len(facts.text) > 2000
    return None if is_passed else find_wall(status or 200, headers, html, facts)


class Web(Protocol):
    """What a session keeps for all calls."""

    @property
    def has_profile(self) -> bool: ...
    @property
    def robots(self) -> Robots: ...
    async def reader(self) -> HttpReader: ...
    async def headers(self) -> dict[str, str]: ...
    @property
    def is_offline(self) -> bool: ...
    @property
    def has_credentials(self) -> bool: ...


class WebReading:
    """Reads addresses within the deadline, the guard and the policy of one call."""

    def __init__(self, session: SessionView, web: Web, call: WebCall) -> None:
        self._session = session
        self._web = web
        self._call = call
        self._check = RedirectCheck(session, call)

    @property
    def settings(self) -> Settings:
        return self._session.settings

    def count_invisible(self, text: str) -> int:
        return count_invisible(text)

    async def read(self, url: str, browser: BrowserUse) -> WebDocument:
        """Return what is at an address, after redirects. Raises RoveError."""
        # Once for all that follows: other spellings of an address are read differently by different parsers.
        return await self._read(canonical(url) or url, browser)

    async def _read(self, url: str, browser: BrowserUse) -> WebDocument:
        await self._check(url)
        if self._web.is_offline:
            raise navigation_error("net::ERR_INTERNET_DISCONNECTED", url)
        if browser == "always":
            return await self._read_in_browser(url, AS_ASKED)
        if self._web.has_profile and not self._session.has_pages:
            await self._call.open_context()  # the session's cookies are in the profile
        answer, escalation = await self._read_over_http(url)
        if escalation is not None and browser == "auto":
            return await self._read_in_browser(answer.url if answer else url, escalation)
        assert answer is not None or escalation is not None
        if answer is None:
            raise failure_error(HttpFailure("closed", url))
        if escalation is not None and escalation.wall:
            raise _blocked(answer.url, answer.status, escalation.wall, "Allow the browser with `browser` auto.")
        if answer.is_error:
            raise await asyncio.to_thread(status_error, answer)
        self._call.entry.url = answer.url
        unused = escalation.reason if escalation is not None else ""
        return WebDocument(answer.url, answer.status, answer, hops=answer.hops, unused=unused)

    async def _read_over_http(self, url: str) -> tuple[HttpAnswer | None, Escalation | None]:
        """Return the answer over HTTP, and why the browser should be asked instead, if it should."""
        began = time.monotonic()
        try:
            answer = await self._get(url)
        except TooManyRedirects as loop:
            raise navigation_error("net::ERR_TOO_MANY_REDIRECTS", loop.url, loop.hops) from loop
        except HttpFailure as failure:
            network = self._session.network
            if failure.kind == "closed" and network.proxy_end(began) is None:
                return None, CLOSED
            network.raise_failure(failure.url, began)
            raise failure_error(failure) from failure
        if answer.headers.get(FAILURE_HEADER.lower()) in HUNG_UP:
            return None, CLOSED
        # The proxy answers for a server that it does not connect to.
        if answer.headers.get(REFUSED_HEADER.lower()) or answer.headers.get(FAILURE_HEADER.lower()):
            self._session.network.raise_failure(answer.url, began)
        escalation = await asyncio.to_thread(find_escalation, answer)
        if escalation is None and answer.status == 401 and self._web.has_credentials:
            escalation = Escalation("the server asks for a password, which the session has")
        return answer, escalation

    async def _get(self, url: str) -> HttpAnswer:
        reader, headers = await self._web.reader(), await self._web.headers()
        check = self._check_with_robots(reader, headers) if self.settings.fetching.robots else self._check
        return await self._within(reader.read(url, headers, self._limits(), check))

    def _check_with_robots(self, reader: HttpReader, headers: Mapping[str, str]) -> Callable[[str], Awaitable[None]]:
        async def check(url: str) -> None:
            await self._check(url)
            await self._refuse_by_robots(url, reader, headers)

        return check

    async def _refuse_by_robots(self, url: str, reader: HttpReader, headers: Mapping[str, str]) -> None:
        async def fetch(address: str) -> HttpAnswer:
            return await reader.read(address, headers, self._limits(), self._check)

        refusal = await self._web.robots.refusal(url, fetch)
        if refusal is not None:
            raise robots_error(url, refusal)

    async def _read_in_browser(self, url: str, escalation: Escalation) -> WebDocument:
        self._call.report(f"Reading with the browser: {escalation.reason}...")
        await self._check_in_browser(url)
        context = await self._call.open_context()
        session = self._session
        reading = BrowserReading(context, session.network, session.secrets, self._call.deadline)
        try:
            shown = await reading.read(url)
            await self._check_in_browser(shown.url)
            self._refuse_wall(shown)
        except RoveError as error:
            error.notice = error.notice or f"Tried with the browser: {escalation.reason}."
            raise
        self._call.entry.url = shown.url
        return WebDocument(shown.url, shown.status, shown.file, shown.source, escalation.reason, file=shown.path)

    async def _check_in_browser(self, url: str) -> None:
        """Raise if an address may not be read: the one to open, and the one that a script has led to."""
        await self._check(url)
        if self.settings.fetching.robots:
            await self._refuse_by_robots(url, await self._web.reader(), await self._web.headers())

    def _refuse_wall(self, shown: ShownPage) -> None:
        """Raise if what the browser shows is still not the page: a check for robots, or an error."""
        if shown.wall is not None:
            hint = (
                "Ask a person to pass it with {handoff}, in a tab at this address; then call again. Do not repeat it."
            )
            raise _blocked(shown.url, shown.status, shown.wall, hint)
        if shown.status >= 400:
            raise http_error(shown.url, shown.status)

    def _limits(self) -> RequestLimits:
        fetching = self.settings.fetching
        # A part that has arrived by then is still to be read within the time of the call.
        left = max((self._call.deadline.moment - time.monotonic()) * 0.9, 0.01)
        return RequestLimits(fetching.megabytes * 2**20, min(fetching.seconds, left), min(fetching.silence, left))

    async def _within(self, work: Awaitable[T]) -> T:
        return await self._call.deadline.limit(work)


def _blocked(url: str, status: int, wall: str, hint: str) -> Blocked:
    said = f"{host_and_port(url)} shows a check for robots instead of the page: {wall} ({status_text(status)})."
    error = Blocked(said, hint=hint)
    error.status = status
    return error
