"""Who may call: the Host and Origin of a request, and the bearer token that it carries."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response

# Under these names the server is always reached.
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
SCOPE = "act"
MAX_SHOWN = 200


class Caller(Protocol):
    """The holder of a token: a name that no other token has, and what the token allows."""

    @property
    def name(self) -> str: ...

    @property
    def scopes(self) -> Collection[str]: ...


class Authorizer(Protocol):
    """Knows the tokens."""

    def caller(self, token: str) -> Caller | None:
        """Return the holder of a token; None if it is unknown, revoked or expired."""
        ...


class Refused(Exception):
    """A request that is not served, with the response to it."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status_code)
        self.response = response


class Access:
    """Checks each request before anything of it is read.

    `hosts`: names under which the server is reached besides localhost; without a port, any port.
    `origins`: origins whose pages may call, besides the server's own.
    """

    def __init__(self, authorizer: Authorizer, hosts: Collection[str] = (), origins: Collection[str] = ()) -> None:
        self._authorizer = authorizer
        self._hosts = {host.lower() for host in (*LOOPBACK, *hosts)}
        self.origins = tuple(origin.lower().rstrip("/") for origin in origins)

    def check_place(self, headers: Headers) -> None:
        """Raise Refused unless Host and Origin are known: a page elsewhere may have led a browser here."""
        host, origin = headers.get("host", "").lower(), headers.get("origin")
        if not self._is_host(host):
            raise _forbidden(f"The Host {host[:MAX_SHOWN]!r} is not allowed: see --serve-allowed-hosts.")
        if origin is not None and not self._is_origin(origin.lower()):
            raise _forbidden(f"The Origin {origin[:MAX_SHOWN]!r} is not allowed: see --serve-allowed-origins.")

    def caller(self, headers: Headers) -> Caller:
        """Return the holder of the request's token. Raises Refused if there is none that may act."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise _unauthorized('Bearer realm="rove"', "A bearer token is needed.")
        caller = self._authorizer.caller(token.strip())
        if caller is None:
            raise _unauthorized('Bearer realm="rove", error="invalid_token"', "The token is not valid.")
        if not {SCOPE, "own"} & set(caller.scopes):
            challenge = f'Bearer realm="rove", error="insufficient_scope", scope="{SCOPE}"'
            raise _refused(403, f"The token does not have the scope `{SCOPE}`.", {"WWW-Authenticate": challenge})
        return caller

    def _is_host(self, host: str) -> bool:
        return bool(host) and (host in self._hosts or _without_port(host) in self._hosts)

    def _is_origin(self, origin: str) -> bool:
        return origin in self.origins or self._is_host(_host_of(origin))


def _without_port(host: str) -> str:
    name, _, port = host.rpartition(":")
    return name if name and port.isdigit() else host


def _host_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _forbidden(reason: str) -> Refused:
    return _refused(403, reason)


def _unauthorized(challenge: str, reason: str) -> Refused:
    return _refused(401, reason, {"WWW-Authenticate": challenge})


def _refused(status: int, reason: str, headers: dict[str, str] | None = None) -> Refused:
    return Refused(PlainTextResponse(reason + "\n", status, headers))
