"""Who may call over HTTP, and how much: the Host, Origin and bearer token of a request, and a rate limit."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Protocol
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import Scope

from rove.settings.tree import Settings

# Under these names the server is always reached.
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
MAX_SHOWN = 200
# In the state of a request: what is called when its client has shown a token, if the server wants to know.
AUTHENTICATED = "authenticated"


class RateLimit:
    """Allows so many requests a second, and a burst of twice as many."""

    def __init__(self, per_second: int) -> None:
        self._per_second = per_second
        self._left = float(per_second * 2)
        self._at = time.monotonic()
        # How many were refused, less those that were allowed since.
        self.refused = 0

    def allows(self) -> bool:
        """Count one request; return whether it is within the limit."""
        now = time.monotonic()
        self._left = min(self._left + (now - self._at) * self._per_second, self._per_second * 2.0)
        self._at = now
        if self._left < 1:
            self.refused += 1
            return False
        self._left -= 1
        self.refused = max(0, self.refused - 1)
        return True


class Caller(Protocol):
    """The holder of a token: an id that no other token has, and what the token allows.

    `owner`: whose sessions it uses; None for those of the person who runs the server.
    """

    @property
    def id(self) -> str: ...

    @property
    def owner(self) -> str | None: ...

    @property
    def scopes(self) -> Collection[str]: ...


class Tokens(Protocol):
    """Knows who holds which token."""

    def find(self, token: str) -> Caller | None:
        """Return the holder of a token; None if it is unknown, revoked or expired."""
        ...


class Refused(Exception):
    """A request that is not served, with the response to it."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status_code)
        self.response = response


class Places:
    """From where requests may come: the Host that they name, and the Origin of the page that sends them.

    `hosts`: names under which the server is reached besides localhost; without a port, any port.
    `origins`: origins whose pages may call, besides the server's own.
    """

    def __init__(self, hosts: Collection[str] = (), origins: Collection[str] = ()) -> None:
        self._hosts = {host.lower() for host in (*LOOPBACK, *hosts)}
        self.origins = tuple(origin.lower().rstrip("/") for origin in origins)

    def refusal(self, headers: Headers) -> str | None:
        """Return why a request is refused, and the flag that would allow it; None if it is not.

        A page elsewhere may have led a browser here, by DNS rebinding or by a plain request.
        """
        host, origin = headers.get("host", "").lower(), headers.get("origin")
        if not self._is_host(host):
            return f"The Host header {host[:MAX_SHOWN]!r} is not allowed. Start rove with --serve-allowed-hosts NAME.\n"
        if origin is not None and not self._is_origin(origin.lower()):
            return (
                f"The Origin {origin[:MAX_SHOWN]!r} is not allowed. Start rove with --serve-allowed-origins ORIGIN.\n"
            )
        return None

    def _is_host(self, host: str) -> bool:
        return bool(host) and (host in self._hosts or _without_port(host) in self._hosts)

    def _is_origin(self, origin: str) -> bool:
        return origin in self.origins or self._is_host(_host_of(origin))


def places_of(settings: Settings) -> Places:
    """Return the places that the settings of `rove serve` name."""
    serve = settings.serve
    return Places((serve.host, *serve.allowed_hosts), serve.allowed_origins)


def authorized(headers: Headers, tokens: Tokens) -> Caller:
    """Return the holder of a request's token. Raises Refused if there is none that may act."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise _unauthorized('Bearer realm="rove"', "A bearer token is needed.")
    caller = tokens.find(token.strip())
    if caller is None:
        raise _unauthorized('Bearer realm="rove", error="invalid_token"', "The token is not valid.")
    if not {"act", "own"} & set(caller.scopes):
        challenge = 'Bearer realm="rove", error="insufficient_scope", scope="act"'
        raise _refused(403, "The token does not have the scope `act`.", {"WWW-Authenticate": challenge})
    return caller


def note_authenticated(scope: Scope) -> None:
    """Tell the server that the client of this request has shown a token."""
    lift_limits = scope.get("state", {}).get(AUTHENTICATED)
    if lift_limits is not None:
        lift_limits()


def may_approve(caller: Caller) -> bool:
    """Whether answers that come with this token approve anything: a client writes them itself."""
    return bool({"approve", "approve:all", "own"} & set(caller.scopes))


def _without_port(host: str) -> str:
    name, _, port = host.rpartition(":")
    return name if name and port.isdigit() else host


def _host_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _unauthorized(challenge: str, reason: str) -> Refused:
    return _refused(401, reason, {"WWW-Authenticate": challenge})


def _refused(status: int, reason: str, headers: dict[str, str] | None = None) -> Refused:
    return Refused(PlainTextResponse(reason + "\n", status, headers))
