"""What a session may reach: checked before a page is loaded, enforced by its proxy, explained after a failure."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from rove.action import AnyAction, Effect
from rove.browser.context import LOST_NETWORK
from rove.browser.failures import navigation_error, quoted_url
from rove.browser.network import is_extension_page, is_readable_scheme
from rove.engine.journal import Entry
from rove.errors import DeadlineExceeded, Denied, InvalidSettings, NavigationFailed, RoveError
from rove.guard.network.proxy_watch import ProcessWatch
from rove.guard.network.urls import Endpoint, endpoint_of, is_unreadable, origin_of
from rove.outcome import said_of
from rove.page_text import Own, of_same_author
from rove.proxy_headers import FAILURE_HEADER, REFUSED_HEADER
from rove.settings.debug_port import DebugPort
from rove.settings.tree import Settings

if TYPE_CHECKING:
    from rove.browser.page_data import DocumentRequest
    from rove.browser.shared.context import Context
    from rove.browser.shared.tab import Tab
    from rove.guard.network.dialer import Upstream
    from rove.guard.network.host_rules import HostRules
    from rove.guard.network.proxy_messages import SharedOwnPorts
    from rove.guard.network.proxy_process import ProxyEnd, ProxyProcess, SessionProxy
    from rove.guard.network.refusal import Refusal

PROXY_RESTARTED = Own("proxy restarted")
SILENT = Own("rove's own proxy does not answer, and is started again if it stays so: the server may not be the cause")
SILENT_HINT = "Call again, with more time if `timeout` was short."
CALL_AGAIN = "Call again: the server was not the cause."
PART_HINT = "{snapshot} shows the part that has arrived; {navigate} again for the whole page."

# Connections that wait in the kernel's queue until the proxy process accepts them.
_QUEUE_LENGTH = 1024

# Chromium's error for each failure of a connection. Behind a proxy it reports the same one for all of them.
_NET_ERRORS = {
    "dns": "ERR_NAME_NOT_RESOLVED",
    "refused": "ERR_CONNECTION_REFUSED",
    "unreachable": "ERR_ADDRESS_UNREACHABLE",
    "timeout": "ERR_CONNECTION_TIMED_OUT",
    "reset": "ERR_CONNECTION_RESET",
    "empty": "ERR_EMPTY_RESPONSE",
    "short": "ERR_RESPONSE_HEADERS_TRUNCATED",
    "malformed": "ERR_INVALID_HTTP_RESPONSE",
    "upstream": "ERR_PROXY_CONNECTION_FAILED",
    "credentials": "ERR_PROXY_AUTH_REQUESTED",
}
# How Chromium reports that its connection to the proxy ended before a response.
_CUTS = frozenset(
    {
        "net::ERR_CONNECTION_RESET",
        "net::ERR_CONNECTION_CLOSED",
        "net::ERR_CONNECTION_ABORTED",
        "net::ERR_EMPTY_RESPONSE",
    }
)
R = TypeVar("R")


def ended_text(end: ProxyEnd) -> Own:
    """Return that the proxy ended, and what that means for pages."""
    return Own(
        f"{_how(end)}; another one was started. Requests that were under way have failed, and what a page was "
        "loading may be incomplete."
    )


def loss_error(end: ProxyEnd, url: str, has_part: bool) -> NavigationFailed:
    """Return the error for a page that was loading when the proxy ended; `has_part`: a part of it has arrived."""
    so_far = " was partly loaded" if has_part else " was loading"
    hint = PART_HINT if has_part else CALL_AGAIN
    return NavigationFailed(f"{_how(end)} while ", quoted_url(url), f"{so_far}; another one was started.", hint=hint)


def cut_error(url: str) -> NavigationFailed:
    """Return the error for a request whose connection to the proxy ended before the server answered."""
    return NavigationFailed("The connection to rove's own proxy ended before ", quoted_url(url), " was answered.")


def latest_since(ends: Iterable[ProxyEnd], since: float) -> ProxyEnd | None:
    """Return the latest end since a time of the monotonic clock."""
    return next((end for end in reversed(tuple(ends)) if end.at >= since), None)


def _how(end: ProxyEnd) -> str:
    return f"rove's own proxy process {'did not answer and was ended' if end.was_silent else 'ended'}"


class EgressSettings:
    """The address rules and the proxy process that all sessions share. Raises InvalidSettings."""

    def __init__(self, settings: Settings) -> None:
        from rove.guard.network.host_rules import HostRules
        from rove.guard.network.proxy_messages import SharedOwnPorts

        port = DebugPort.of(settings.attach) if settings.attach is not None else None
        # A page that reached the debugging port could control the whole browser.
        deny = settings.deny_host if port is None else (*settings.deny_host, f"localhost:{port.port}")
        self.rules: HostRules = HostRules.of(settings.allow_host, settings.only_host or None, deny)
        self.own: SharedOwnPorts = SharedOwnPorts()
        if port is not None:
            self.own.add(port.address, port.port)
        self._dns = _name_server(settings.dns)
        self._upstream = _upstream(settings.proxy)
        if self._upstream is not None and self._upstream.endpoint.address is not None:
            self.own.add(self._upstream.endpoint.address, self._upstream.endpoint.port)
        self._process: ProxyProcess | None = None
        self.watch: ProcessWatch = ProcessWatch()
        # A port that was bound early, so that the browser could be started with the address of its proxy.
        self._reserved_port: socket.socket | None = None

    @property
    def process(self) -> ProxyProcess:
        """The process that the proxies of all sessions run in."""
        if self._process is None:
            from rove.guard.network.proxy_process import ProxyProcess, ProxySettings

            self._process = ProxyProcess(ProxySettings(self._dns, self._upstream), self.own, self.watch)
        return self._process

    def close(self) -> None:
        """End the proxy process, and close the port that was bound early if no session has used it."""
        if self._process is not None:
            self._process.close()
        if self._reserved_port is not None:
            self._reserved_port.close()

    def start_early(self, port: int | None) -> None:
        """Start the proxy process before the first session needs it. `port`: a descriptor that was bound early."""
        if port is not None:
            self._reserved_port = socket.socket(fileno=port)
        self.process.start()

    def take_port(self) -> socket.socket:
        """Return a bound port of this machine, at which the proxy will listen."""
        from rove.guard.network.addresses import loopback_port

        port, self._reserved_port = self._reserved_port or loopback_port(), None
        return port

    def for_session(self, is_guarded: bool = True) -> NetworkAccess:
        """Return the network access of one session."""
        return NetworkAccess(self, is_guarded)


class NetworkAccess:
    """The proxy of one session, and the reasons for what it refused.

    `is_guarded`: whether pages go through the proxy. Where they do not, as in the user's own browser, only the URLs
    that an agent asks for, and those of the pages that it reads, are checked.
    """

    def __init__(self, egress_settings: EgressSettings, is_guarded: bool = True) -> None:
        self._egress_settings = egress_settings
        self._rules = egress_settings.rules
        self.is_guarded = is_guarded
        self._proxy: SessionProxy | None = None
        self._proxy_url = ""
        # Called with each refusal: of a request of a page, or of a URL that an agent has asked for.
        self.on_refused: Callable[[Refusal], object] = lambda refusal: None
        self._ready: asyncio.Future[None] | None = None
        # Ends of the proxy process until this moment are not told, or were told.
        self._told_until = 0.0

    def watching(self) -> AbstractContextManager[None]:
        """Notice within this block that the proxy does not answer, and start it again then."""
        return self._egress_settings.watch.during_call()

    def open(self) -> tuple[str, asyncio.Future[None]]:
        """Return the URL of the proxy for the browser, and a future that is done when the proxy accepts requests."""
        if self._ready is None or _has_failed(self._ready):
            self._proxy = proxy = self._start_proxy()
            self._told_until = time.monotonic()
            self._ready = asyncio.ensure_future(proxy.applied())
        return self._proxy_url, self._ready

    async def trust(self, browser: int | None, loads_now: bool) -> None:
        """Let the browser that leads a process group use the proxy; None: one that rove has not started.

        `loads_now`: it loads pages at once, so wait until the proxy knows it.
        """
        from rove.guard.network.socket_owner import ANY_PROCESS

        if self._proxy is not None:
            self._proxy.trust(browser or ANY_PROCESS)
            if loads_now:
                await self._proxy.applied()

    async def applied(self) -> None:
        """Wait until the proxy works by what this session was told to allow and to trust."""
        if self._proxy is not None:
            await self._proxy.applied()

    async def close(self) -> None:
        """Stop the proxy, after it has started if it is just starting."""
        ready, self._ready = self._ready, None
        if ready is not None:
            await asyncio.wait({ready})
        proxy, self._proxy = self._proxy, None
        if proxy is not None:
            await proxy.close()

    def _start_proxy(self) -> SessionProxy:
        from rove.guard.network.proxy_process import SessionProxy

        port = self._egress_settings.take_port()
        port.listen(_QUEUE_LENGTH)
        self._proxy_url = f"http://127.0.0.1:{port.getsockname()[1]}"
        try:
            proxy = SessionProxy(self._egress_settings.process, port, self._rules)
        except OSError:  # the process cannot be started
            port.close()
            raise
        proxy.refusal_log.on_refused = lambda refusal: self.on_refused(refusal)
        return proxy

    def allow_host(self, entry: str) -> None:
        """Let this session reach one more host, written as in the settings. Raises InvalidSettings.

        Hosts that the owner has denied, metadata services and rove's own ports stay closed. The proxy has been told so
        when `applied` returns.
        """
        from rove.guard.network.host_rules import HostRules

        added = HostRules.of([entry]).allow
        only = None if self._rules.only is None else (*self._rules.only, *added)
        self._rules = replace(self._rules, allow=(*self._rules.allow, *added), only=only)
        if self._proxy is not None:
            self._proxy.set_rules(self._rules)

    def refuse_url(self, url: str) -> None:
        """Raise Denied if the address rules refuse a URL, as far as that is known without resolving its host."""
        origin = origin_of(url)  # None for a URL that cannot be parsed: the browser refuses that itself
        if origin is not None and (refusal := self._rule_refusal(origin.endpoint)):
            self.on_refused(refusal)
            raise refusal.error()
        if is_extension_page(url) or (not self.is_guarded and not is_readable_scheme(url)):
            raise Denied(
                of_same_author(url[:200], url),
                " is a page of the browser's own or of an extension, or a file.",
                hint="Use a page of the web.",
            )

    def may_show(self, url: str) -> bool:
        """Whether the page at a URL may be read. In a guarded session it would not have been loaded otherwise."""
        if self.is_guarded and not is_extension_page(url):
            return True
        try:
            self.refuse_url(url)
        except Denied:
            return False
        return True

    def refuse_document(self, document: DocumentRequest | None) -> None:
        """Raise the reason if a document is not the server's, but an answer of the proxy."""
        if document is not None and document.headers.keys() & {REFUSED_HEADER, FAILURE_HEADER}:
            self._raise_logged(document.url, 0.0)
            if is_unreadable(document.url):  # a link may lead to one, though no caller can ask for it
                raise navigation_error("net::ERR_INVALID_URL", document.url)

    def raise_failure(self, url: str, since: float, has_part: bool = False) -> None:
        """Raise the reason why a URL was not reached since a moment: address rules, the network, or rove's proxy.

        `has_part`: a part of it has arrived, so that requests which failed without an answer were others.
        """
        if not has_part:
            self._raise_logged(url, since)
        end = self.proxy_end(since)
        if end is not None and url:
            raise loss_error(end, url, has_part)

    def proxy_end(self, since: float) -> ProxyEnd | None:
        """Return the latest end of the proxy process since a moment."""
        return latest_since(self._egress_settings.process.ends, since) if self._proxy is not None else None

    def raise_cut(self, document: DocumentRequest | None) -> None:
        """Raise if the browser lost its connection to the proxy before the server answered.

        What a server does wrong to a request without TLS, the proxy answers with a response of its own.
        """
        if document is None or document.status is not None or not document.url.startswith("http:"):
            return
        if self._proxy is not None and document.failure in _CUTS:
            raise cut_error(document.url)

    def explain_timeout(self, error: DeadlineExceeded, since: float) -> None:
        """Add to an error that rove's own proxy was the cause, if it was."""
        end = self.proxy_end(since)
        if end is not None:
            error.parts, error.hint = (*error.parts, ": ", ended_text(end)), CALL_AGAIN
        elif self.is_proxy_silent:
            error.parts, error.hint = (*error.parts, ": ", SILENT), SILENT_HINT

    @property
    def is_proxy_silent(self) -> bool:
        """Whether the proxy has been asked whether it works, and has not answered."""
        return self._proxy is not None and self._egress_settings.watch.is_silent

    def take_proxy_end(self) -> Own | None:
        """Return once that the proxy process has ended, if it has since the session last told of it."""
        end = self.proxy_end(self._told_until)
        self._told_until = time.monotonic()
        return ended_text(end) if end is not None else None

    def _raise_logged(self, url: str, since: float) -> None:
        origin = origin_of(url)
        failure = self._find_failure(origin.endpoint, url, since) if origin else None
        if failure is not None:
            raise failure

    def refusals_since(self, moment: float) -> list[str]:
        """Return the messages of what the proxy refused since a moment, each host once."""
        if self._proxy is None:
            return []
        self._proxy.receive()
        recent = (refused.refusal for refused in self._proxy.refusal_log.refusals if refused.at >= moment)
        return list(dict.fromkeys(refusal.message for refusal in recent))

    def _rule_refusal(self, endpoint: Endpoint) -> Refusal | None:
        return self._rules.refuse_endpoint(endpoint, self._egress_settings.own)

    def _find_failure(self, endpoint: Endpoint, url: str, since: float) -> RoveError | None:
        if refusal := self._rule_refusal(endpoint):
            return refusal.error()
        if self._proxy is None:
            return None
        self._proxy.receive()  # the proxy reports a request before it answers it
        reason = self._proxy.refusal_log.latest(endpoint, since)
        if reason is None:
            return None
        return navigation_error(f"net::{_NET_ERRORS[reason]}", url) if isinstance(reason, str) else reason.error()


def _has_failed(ready: asyncio.Future[None]) -> bool:
    return ready.done() and (ready.cancelled() or ready.exception() is not None)


def _name_server(server: str | None) -> tuple[str, int] | None:
    if server is None:
        return None
    endpoint = endpoint_of(server, 53)
    if endpoint is None or endpoint.address is None:
        raise InvalidSettings(f"`dns`: {server!r} is not the address of a name server.", hint="Write 192.0.2.1:53.")
    return endpoint.host, endpoint.port


def _upstream(url: str | None) -> Upstream | None:
    if url is None:
        return None
    from rove.guard.network.dialer import Upstream

    return Upstream.of(url)


def refuse_unreachable(network: NetworkAccess, action: AnyAction, entry: Entry, tab: Tab | None) -> None:
    """Raise Denied if the address rules refuse what the action loads, or the page that it acts on."""
    entry.decision = "denied"
    if action.destination is not None:
        network.refuse_url(action.destination)
    elif tab is not None and action.effect is not Effect.NAVIGATE:
        # A page at a refused address is not read either, by whatever way the tab got there.
        network.refuse_url(tab.url)
        if action.is_about_page:
            _refuse_failed_page(network, entry, tab)
    entry.decision = "undecided"


def _refuse_failed_page(network: NetworkAccess, entry: Entry, tab: Tab) -> None:
    try:
        network.refuse_document(tab.page.requests.document)
    except NavigationFailed:
        entry.decision = "undecided"  # it was not denied: there is no page to act on
        raise


async def reaching(
    network: NetworkAccess, action: AnyAction, tab: Tab, since: float, perform: Callable[[], Awaitable[R]]
) -> R:
    """Perform an action; if it fails to load its address because rove's proxy ended, once more."""
    try:
        return await _explained(network, action, tab, since, perform())
    except NavigationFailed:
        if not _may_repeat(network, action, tab, since):
            raise
    return await _explained(network, action, tab, time.monotonic(), perform())


def is_repeatable(action: AnyAction, context: Context) -> bool:
    """Whether an action only loads an address, and the browser could send nothing: it had lost its network process."""
    return _loads_address(action) and context.lost.is_set() and context.lost.reason == LOST_NETWORK


async def _explained(network: NetworkAccess, action: AnyAction, tab: Tab, since: float, work: Awaitable[R]) -> R:
    """Wait for an action. Errors have the proxy's reason, if it has one: it says more than the browser's."""
    try:
        return await work
    except NavigationFailed:
        document = tab.page.requests.document
        has_part = document is not None and document.status is not None
        for url in (document.url if document else "", action.destination or ""):
            network.raise_failure(url, since, has_part)
        network.raise_cut(document)
        raise


async def explained_timeout(network: NetworkAccess, work: Awaitable[R]) -> R:
    """Wait for an action; if it takes too long because of rove's own proxy, the error says so."""
    began = time.monotonic()
    try:
        return await work
    except DeadlineExceeded as error:
        network.explain_timeout(error, began)
        raise


def _may_repeat(network: NetworkAccess, action: AnyAction, tab: Tab, since: float) -> bool:
    """Whether a load failed without an answer, as the proxy ended. Loading an address sends a GET request."""
    document = tab.page.requests.document
    has_answer = document is not None and document.status is not None
    return _loads_address(action) and not has_answer and network.proxy_end(since) is not None


def _loads_address(action: AnyAction) -> bool:
    return action.effect is Effect.NAVIGATE and action.destination is not None


FIRST_ERROR_STATUS = 400


def add_status_event(tab: Tab) -> None:
    """Add an event if the server answered with an error, which the page may not show."""
    status = tab.page.status
    if status is not None and status >= FIRST_ERROR_STATUS:
        tab.page.events.add("http error", Own(f"The server answered with HTTP {status}."))


def add_failure_event(network: NetworkAccess, tab: Tab) -> bool:
    """Add an event if the tab shows an answer of the proxy, which says less than the proxy knows; return whether so."""
    try:
        network.refuse_document(tab.page.requests.document)
    except NavigationFailed as error:
        tab.page.events.add("request failed", said_of(error))
    except RoveError:
        return True  # it is among the refusals that each outcome lists
    else:
        return False
    return True
