"""What a session may reach: said before anything moves, enforced on the wire, and explained after it did not arrive."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

from rove.browser.navigation_errors import navigation_error
from rove.browser.schemes import is_readable_scheme
from rove.debugport import DebugPort
from rove.errors import Denied, RoveError
from rove.guard.hosts.urls import origin_of
from rove.proxy_headers import FAILURE_HEADER, REFUSED_HEADER
from rove.settings import Settings

if TYPE_CHECKING:
    from rove.browser.page_state import DocumentRequest
    from rove.guard.hosts.host_rules import HostRules
    from rove.guard.hosts.local_machine import OwnPorts
    from rove.guard.hosts.resolver import Resolver
    from rove.guard.hosts.urls import Endpoint
    from rove.guard.proxy.egress import EgressProxy
    from rove.guard.proxy.upstream import Upstream

# A browser behind a proxy calls all of these the same; these are its own words for each.
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


class EgressSettings:
    """The rules of the house, read once: a list that cannot be read stops the start."""

    def __init__(self, settings: Settings) -> None:
        from rove.guard.hosts.host_rules import HostRules
        from rove.guard.hosts.local_machine import OwnPorts

        port = DebugPort.of(settings.attach) if settings.attach is not None else None
        # Who reaches the port of a browser's own commands does with it as they like.
        deny = settings.deny_host if port is None else (*settings.deny_host, f"localhost:{port.port}")
        self.rules: HostRules = HostRules.of(settings.allow_host, settings.only_host or None, deny)
        self.own: OwnPorts = OwnPorts()
        if port is not None:
            self.own.add(port.address, port.port)
        self.resolver: Resolver | None = _resolver(settings.dns)
        self.upstream: Upstream | None = _upstream(settings.proxy)
        # A port that was taken ahead, for the first page to go out through.
        self.spare: socket.socket | None = None

    def close(self) -> None:
        if self.spare is not None:
            self.spare.close()

    def port(self) -> socket.socket:
        """A port of this machine that is taken, and at which nobody answers yet."""
        from rove.guard.hosts.local_machine import loopback_port

        port, self.spare = self.spare or loopback_port(), None
        return port

    def for_session(self, is_guarded: bool = True) -> NetworkAccess:
        """For one session."""
        return NetworkAccess(self, is_guarded)


class NetworkAccess:
    """One session's own way out, and what it refused."""

    def __init__(self, egress_settings: EgressSettings, is_guarded: bool = True) -> None:
        self._egress_settings = egress_settings
        # Where pages have a way out of their own, only what they are asked to load, and what they show, is looked at.
        self.is_guarded = is_guarded
        self._egress: EgressProxy | None = None
        self._proxy_url = ""
        self._ready: asyncio.Future[None] | None = None

    def open(self) -> tuple[str, asyncio.Future[None]]:
        """The address that the browser has to go through, and when someone stands guard there."""
        if self._ready is None or _has_failed(self._ready):
            port = self._egress_settings.port()
            self._proxy_url = f"http://127.0.0.1:{port.getsockname()[1]}"
            self._ready = asyncio.ensure_future(self._start_proxy(port))
        return self._proxy_url, self._ready

    async def close(self) -> None:
        ready, self._ready = self._ready, None
        if ready is not None:
            await asyncio.wait({ready})
        egress, self._egress = self._egress, None
        if egress is not None:
            await egress.close()

    async def _start_proxy(self, port: socket.socket) -> None:
        # Beside the loop, which has a browser to talk to meanwhile: it takes as long as a page takes to load.
        make = await asyncio.to_thread(_load_proxy)
        egress_settings = self._egress_settings
        egress = make(egress_settings.rules, egress_settings.own, egress_settings.resolver, egress_settings.upstream)
        await egress.start(port)
        self._egress = egress

    def refuse(self, url: str) -> None:
        """Raise Denied for an address of which it can be told without asking anyone where it leads."""
        origin = origin_of(url)  # what cannot be read leads nowhere in a browser either, which then says so
        if origin is not None and (
            refusal := self._egress_settings.rules.refuse_endpoint(origin.endpoint, self._egress_settings.own)
        ):
            raise refusal.error()
        if not self.is_guarded and not is_readable_scheme(url):
            raise Denied(f"{url[:200]} is a page of the browser's own, or a file.", hint="Use a page of the web.")

    def may_show(self, url: str) -> bool:
        """Whether what lies at an address may be read; where there is a guard, it was not loaded otherwise."""
        if self.is_guarded:
            return True
        try:
            self.refuse(url)
        except Denied:
            return False
        return True

    def refuse_document(self, document: DocumentRequest | None) -> None:
        """The same for a page that is not what it was to be, but the guard's own answer."""
        if document is not None and document.headers.keys() & {REFUSED_HEADER, FAILURE_HEADER}:
            self.explain(document.url, 0.0)

    def explain(self, url: str, since: float) -> None:
        """Raise what kept anyone from reaching an address since a moment, if it was the guard or the net."""
        origin = origin_of(url)
        why = self._why_not(origin.endpoint, url, since) if origin else None
        if why is not None:
            raise why

    def news(self, since: float) -> list[str]:
        """What was refused since then, each host once."""
        if self._egress is None:
            return []
        recent = (refused.refusal for refused in self._egress.refusals if refused.at >= since)
        return list(dict.fromkeys(refusal.message for refusal in recent))

    def _why_not(self, endpoint: Endpoint, url: str, since: float) -> RoveError | None:
        if refusal := self._egress_settings.rules.refuse_endpoint(endpoint, self._egress_settings.own):
            return refusal.error()
        found = self._egress.refusal_log.latest(endpoint, since) if self._egress else None
        if found is None:
            return None
        return navigation_error(f"net::{_NET_ERRORS[found]}", url) if isinstance(found, str) else found.error()


def _load_proxy() -> type[EgressProxy]:
    """Whoever stands guard, having looked round: the first request would wait for both."""
    from rove.guard.hosts.local_machine import own_addresses
    from rove.guard.proxy.egress import EgressProxy

    own_addresses()
    return EgressProxy


def _has_failed(ready: asyncio.Future[None]) -> bool:
    return ready.done() and (ready.cancelled() or ready.exception() is not None)


def _resolver(server: str | None) -> Resolver | None:
    if server is None:
        return None
    from rove.errors import InvalidSettings
    from rove.guard.hosts.resolver import DnsResolver
    from rove.guard.hosts.urls import endpoint_of

    endpoint = endpoint_of(server, 53)
    if endpoint is None or endpoint.address is None:
        raise InvalidSettings(f"`dns`: {server!r} is not the address of a name server.", hint="Write 192.0.2.1:53.")
    return DnsResolver((endpoint.host, endpoint.port))


def _upstream(url: str | None) -> Upstream | None:
    if url is None:
        return None
    from rove.guard.proxy.upstream import Upstream

    return Upstream.of(url)
