"""Failures of a browser, and its network errors (`net::ERR_…`) as errors of rove with a plain sentence."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from rove.errors import CertificateInvalid, NavigationFailed, NeedsCredentials, RoveError
from rove.outcome import origin_in
from rove.page_text import PageText

# Further redirects of a chain are left out: in a loop they repeat.
MAX_HOPS_SHOWN = 6
_REASONS = {
    "ERR_CONNECTION_REFUSED": "Failed to connect to {place}",
    "ERR_CONNECTION_TIMED_OUT": "{place} did not accept the connection in time",
    "ERR_CONNECTION_RESET": "{place} reset the connection",
    "ERR_CONNECTION_CLOSED": "{place} closed the connection",
    "ERR_CONNECTION_ABORTED": "The connection to {place} was aborted",
    "ERR_EMPTY_RESPONSE": "{place} closed the connection without a response",
    "ERR_INVALID_HTTP_RESPONSE": "The response from {place} is not HTTP",
    "ERR_NAME_NOT_RESOLVED": "Failed to resolve {host}",
    "ERR_ADDRESS_UNREACHABLE": "No route to {place}",
    "ERR_ADDRESS_INVALID": "{host} is not an address that can be connected to",
    "ERR_INTERNET_DISCONNECTED": "The browser is offline",
    "ERR_NETWORK_CHANGED": "The network changed while the page was loading",
    "ERR_PROXY_CONNECTION_FAILED": "Failed to connect to the proxy",
    "ERR_TUNNEL_CONNECTION_FAILED": "The proxy did not connect to {place}",
    "ERR_SOCKS_CONNECTION_FAILED": "The proxy did not connect to {place}",
    "ERR_UNSAFE_PORT": "Browsers do not connect to this port: {place}",
    "ERR_UNKNOWN_URL_SCHEME": "Browsers cannot open this kind of URL: {url}",
    "ERR_INVALID_URL": "This is not a valid URL: {url}",
    "ERR_CONTENT_DECODING_FAILED": "The response from {place} cannot be decompressed",
    "ERR_CONTENT_LENGTH_MISMATCH": "{place} sent less than its Content-Length",
    "ERR_INCOMPLETE_CHUNKED_ENCODING": "{place} closed the connection in the middle of the page",
    "ERR_INVALID_CHUNKED_ENCODING": "{place} closed the connection in the middle of the page",
    "ERR_RESPONSE_HEADERS_TRUNCATED": "{place} closed the connection before its response was complete",
    "ERR_RESPONSE_HEADERS_TOO_BIG": "{place} sent larger headers than browsers accept",
    "ERR_INVALID_REDIRECT": "{place} redirects to an invalid URL",
    "ERR_UNSAFE_REDIRECT": "{place} redirects to a URL that pages may not redirect to",
    "ERR_ABORTED": "Loading {url} was aborted",
    "ERR_BLOCKED_BY_CLIENT": "{url} was blocked",
    "ERR_BLOCKED_BY_RESPONSE": "{place} does not allow this page to be shown here",
    "ERR_SSL_PROTOCOL_ERROR": "{place} does not speak valid TLS",
    "ERR_SSL_VERSION_OR_CIPHER_MISMATCH": "{place} offers only TLS versions that are too old to be safe",
}
_CHECK_NAME = "Check the spelling of the host; if it is right, this machine cannot resolve it."
_CHECK_NETWORK = "Tell the person who runs rove: this machine, or its proxy, does not reach the network."
_TELL_OWNER = "The server answers wrongly: use another address, or tell its owner."
_LOOP_HINT = "The site redirects in a loop: tell its owner."
_CHAIN_HINT = "The site redirects too often: open the address that it leads to, or tell its owner."
# What to try next, where the hint that a server may be slow to start does not fit.
_HINTS = {
    "ERR_NAME_NOT_RESOLVED": _CHECK_NAME,
    "ERR_NAME_RESOLUTION_FAILED": _CHECK_NAME,
    "ERR_ICANN_NAME_COLLISION": _CHECK_NAME,
    "ERR_ADDRESS_INVALID": "Correct the address.",
    "ERR_ADDRESS_UNREACHABLE": _CHECK_NETWORK,
    "ERR_INTERNET_DISCONNECTED": "Go online again with {offline}; if it is not, this machine has no network.",
    "ERR_PROXY_CONNECTION_FAILED": _CHECK_NETWORK,
    "ERR_TUNNEL_CONNECTION_FAILED": "Check the address: the proxy could not reach it.",
    "ERR_SOCKS_CONNECTION_FAILED": "Check the address: the proxy could not reach it.",
    "ERR_UNSAFE_PORT": "No browser opens this port, which belongs to another protocol: serve the page on another one.",
    "ERR_UNKNOWN_URL_SCHEME": "Use an http: or https: address.",
    "ERR_INVALID_URL": "Correct the address.",
    "ERR_INVALID_HTTP_RESPONSE": _TELL_OWNER,
    "ERR_CONTENT_DECODING_FAILED": _TELL_OWNER,
    "ERR_RESPONSE_HEADERS_TOO_BIG": _TELL_OWNER,
    "ERR_INVALID_REDIRECT": _TELL_OWNER,
    "ERR_UNSAFE_REDIRECT": _TELL_OWNER,
    "ERR_BLOCKED_BY_RESPONSE": _TELL_OWNER,
    "ERR_BLOCKED_BY_CLIENT": "Use another address.",
    "ERR_SSL_PROTOCOL_ERROR": "If the server speaks plain HTTP, use http:// instead; else tell its owner.",
    "ERR_SSL_VERSION_OR_CIPHER_MISMATCH": _TELL_OWNER,
}
# These may pass by themselves.
_PASSING = frozenset({"ERR_ADDRESS_UNREACHABLE", "ERR_INTERNET_DISCONNECTED", "ERR_PROXY_CONNECTION_FAILED"})
_CERTIFICATES = {
    "ERR_CERT_DATE_INVALID": "The certificate of {place} has expired, or is not valid yet",
    "ERR_CERT_COMMON_NAME_INVALID": "The certificate of {place} was issued for another host",
    "ERR_CERT_AUTHORITY_INVALID": "The certificate of {place} is self-signed, or its issuer is unknown",
    "ERR_CERT_REVOKED": "The certificate of {place} has been revoked",
    "ERR_CERT_WEAK_SIGNATURE_ALGORITHM": "The certificate of {place} has a weak signature",
}
_ANY_CERTIFICATE = "The certificate of {place} is not trusted"
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


class BrowserError(Exception):
    """The browser refused a command, or no longer answers."""


class StateNotRestored(Exception):
    """A saved state could not be put back; the text says which part of it."""


class PageStuck(Exception):
    """The page keeps another document from loading in its place."""


def navigation_error(reason: str, url: str, hops: Sequence[str] = ()) -> RoveError:
    """Return the error for a reason that the browser gave: `net::ERR_CONNECTION_REFUSED: Failed to …`."""
    name = reason.removeprefix("net::")
    parts = {"place": host_and_port(url), "host": urlsplit(url).hostname or url, "url": url}
    if name == "ERR_TOO_MANY_REDIRECTS":
        way_out = _LOOP_HINT if len({*hops}) < len(hops) else _CHAIN_HINT
        count = f"{reason}: Redirected {len(hops)} times: "
        return NavigationFailed(count, PageText(_chain(hops), origin_in(hops[0] if hops else url)), hint=way_out)
    if name in _CREDENTIALS:
        hint = _PROXY_HINT if name.startswith("ERR_PROXY_AUTH") else None
        return NeedsCredentials(f"{reason}: ", *_filled(_CREDENTIALS[name], parts), hint=hint)
    if name.startswith("ERR_CERT_"):
        return CertificateInvalid(f"{reason}: ", *_filled(_CERTIFICATES.get(name, _ANY_CERTIFICATE), parts))
    sentence = _filled(_REASONS.get(name, "Could not load {url}"), parts)
    is_retryable = name not in _HINTS or name in _PASSING
    return NavigationFailed(f"{reason}: ", *sentence, hint=_HINTS.get(name), retryable=is_retryable)


def interrupted_error(reason: str, url: str) -> NavigationFailed:
    """Return the error for a connection that failed after a part of the page had arrived."""
    error = navigation_error(reason, url)
    return NavigationFailed(*error.parts, hint="{snapshot} shows the part that has arrived.")


def credentials_error(status: int, url: str, challenge: str) -> NeedsCredentials:
    """Return the error for a server that asks for a user name and a password."""
    asked = PageText(f"({challenge})", origin_in(url))
    error = NeedsCredentials(f"HTTP {status}: {host_and_port(url)} asks for a password ", asked)
    error.status = status
    return error


def quoted_url(url: str) -> PageText:
    """Return an address as the words of the server there, which may have redirected to it."""
    return PageText(url, origin_in(url))


def host_and_port(url: str) -> str:
    """Return the host and port of a URL as they stand in it, without user name and password."""
    rest = url.partition("://")[2] or url
    return rest.partition("/")[0].partition("?")[0].partition("#")[0].rpartition("@")[2]


def _chain(hops: Sequence[str]) -> str:
    shown = " -> ".join(hops[:MAX_HOPS_SHOWN])
    return f"{shown}{' -> …' if len(hops) > MAX_HOPS_SHOWN else ''}"


def _filled(sentence: str, parts: dict[str, str]) -> list[str]:
    """Return a sentence in parts, in which a whole address is the words of its server; a host is a plain fact."""
    before, found, after = sentence.partition("{url}")
    quoted = [quoted_url(parts["url"])] if found else []
    return [before.format(**parts), *quoted, after.format(**parts)]
