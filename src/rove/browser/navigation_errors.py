"""Errors of navigations: what Chromium reports as `net::ERR_…`, as typed errors with a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from rove.errors import CertificateInvalid, NavigationFailed, NeedsCredentials, RoveError

# The redirects that are shown of a chain, since a loop repeats itself.
HOPS_SHOWN = 6

_REASONS = {
    "ERR_CONNECTION_REFUSED": "Failed to connect to {place}",
    "ERR_CONNECTION_TIMED_OUT": "{place} did not take the connection in time",
    "ERR_CONNECTION_RESET": "{place} reset the connection",
    "ERR_CONNECTION_CLOSED": "{place} closed the connection",
    "ERR_CONNECTION_ABORTED": "The connection to {place} was broken off",
    "ERR_EMPTY_RESPONSE": "{place} closed the connection without an answer",
    "ERR_INVALID_HTTP_RESPONSE": "What {place} answered is not HTTP",
    "ERR_NAME_NOT_RESOLVED": "Failed to resolve {host}",
    "ERR_ADDRESS_UNREACHABLE": "There is no route to {place}",
    "ERR_ADDRESS_INVALID": "{host} is no address that can be connected to",
    "ERR_INTERNET_DISCONNECTED": "This machine has no network",
    "ERR_NETWORK_CHANGED": "The network changed on the way",
    "ERR_PROXY_CONNECTION_FAILED": "Failed to connect to the proxy",
    "ERR_TUNNEL_CONNECTION_FAILED": "The proxy did not connect to {place}",
    "ERR_SOCKS_CONNECTION_FAILED": "The proxy did not connect to {place}",
    "ERR_UNSAFE_PORT": "Browsers do not speak to that port: {place}",
    "ERR_UNKNOWN_URL_SCHEME": "No browser opens such an address: {url}",
    "ERR_INVALID_URL": "That is no address: {url}",
    "ERR_CONTENT_DECODING_FAILED": "What {place} sent cannot be unpacked",
    "ERR_CONTENT_LENGTH_MISMATCH": "{place} sent less than it had announced",
    "ERR_INCOMPLETE_CHUNKED_ENCODING": "{place} broke off in the middle of the page",
    "ERR_INVALID_CHUNKED_ENCODING": "{place} broke off in the middle of the page",
    "ERR_RESPONSE_HEADERS_TRUNCATED": "{place} broke off before its answer had begun",
    "ERR_RESPONSE_HEADERS_TOO_BIG": "{place} sent larger headers than any browser takes",
    "ERR_INVALID_REDIRECT": "{place} redirects to what is no address",
    "ERR_UNSAFE_REDIRECT": "{place} redirects to where a page may not lead",
    "ERR_ABORTED": "Loading {url} was broken off",
    "ERR_BLOCKED_BY_CLIENT": "{url} was blocked",
    "ERR_BLOCKED_BY_RESPONSE": "{place} forbids to show this here",
    "ERR_SSL_PROTOCOL_ERROR": "{place} speaks no TLS that can be understood",
    "ERR_SSL_VERSION_OR_CIPHER_MISMATCH": "{place} offers only TLS that is too old to be safe",
}
_CERTIFICATES = {
    "ERR_CERT_DATE_INVALID": "The certificate of {place} has expired, or is not valid yet",
    "ERR_CERT_COMMON_NAME_INVALID": "The certificate of {place} was issued for another host",
    "ERR_CERT_AUTHORITY_INVALID": "The certificate of {place} is self-signed, or was issued by an unknown authority",
    "ERR_CERT_REVOKED": "The certificate of {place} has been revoked",
    "ERR_CERT_WEAK_SIGNATURE_ALGORITHM": "The certificate of {place} is signed too weakly",
}
_CREDENTIALS = {
    "ERR_BAD_SSL_CLIENT_AUTH_CERT": "{place} asks for a client certificate",
    "ERR_SSL_CLIENT_AUTH_CERT_NEEDED": "{place} asks for a client certificate",
    "ERR_PROXY_AUTH_REQUESTED": "The proxy asks for a password",
    "ERR_PROXY_AUTH_UNSUPPORTED": "The proxy asks for a password",
    "ERR_PROXY_AUTH_REQUESTED_WITH_NO_CONNECTION": "The proxy asks for a password",
    "ERR_UNEXPECTED_PROXY_AUTH": "{place} asks for a password as if it were a proxy",
    "ERR_INVALID_AUTH_CREDENTIALS": "{place} asks for a password",
    "ERR_MISSING_AUTH_CREDENTIALS": "{place} asks for a password",
}
_PROXY_HINT = "The person who runs rove can give it with the proxy's address: `--proxy http://user:password@host:port`."


def navigation_error(reason: str, url: str, hops: Sequence[str] = ()) -> RoveError:
    """Return the error for a reason of the browser, such as `net::ERR_CONNECTION_REFUSED: Failed to …`."""
    name = reason.removeprefix("net::")
    words = {"place": host_and_port(url), "host": urlsplit(url).hostname or url, "url": url}
    if name == "ERR_TOO_MANY_REDIRECTS":
        return NavigationFailed(f"{reason}: {_chain(hops)}", hint="The site redirects in a circle: tell its owner.")
    if name in _CREDENTIALS:
        hint = _PROXY_HINT if name.startswith("ERR_PROXY_AUTH") else None
        return NeedsCredentials(f"{reason}: {_CREDENTIALS[name].format(**words)}", hint=hint)
    if name.startswith("ERR_CERT_"):
        return CertificateInvalid(f"{reason}: {_CERTIFICATES.get(name, _ANY_CERTIFICATE).format(**words)}")
    return NavigationFailed(f"{reason}: {_REASONS.get(name, 'Could not load {url}').format(**words)}")


def interrupted_error(reason: str, url: str) -> NavigationFailed:
    """Return the error for a document whose connection failed after a part of it had arrived."""
    error = navigation_error(reason, url)
    return NavigationFailed(error.message, hint="{snapshot} shows what had arrived by then.")


def credentials_error(status: int, url: str, challenge: str) -> NeedsCredentials:
    """Return the error for a server that asks for a name and a password."""
    return NeedsCredentials(f"HTTP {status}: {host_and_port(url)} asks for a password ({challenge})")


def host_and_port(url: str) -> str:
    """Return host and port as a person writes them: the port only if it is not the default of the scheme."""
    rest = url.partition("://")[2] or url
    return rest.partition("/")[0].partition("?")[0].partition("#")[0].rpartition("@")[2]


def _chain(hops: Sequence[str]) -> str:
    shown = " -> ".join(hops[:HOPS_SHOWN])
    return f"Redirected {len(hops)} times: {shown}{' -> …' if len(hops) > HOPS_SHOWN else ''}"


_ANY_CERTIFICATE = "The certificate of {place} is not to be trusted"
