"""URLs, hosts, ports and origins as browsers read them, and what a person is told of hosts that look like others."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from rove.patterns import pattern
from rove.records import dataclass

if TYPE_CHECKING:
    from rove.guard.network.refusal import IP

# URLs of other schemes do not go through the proxy, so the proxy could not refuse them.
WEB_SCHEMES = frozenset({"http", "https"})
DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}

# What addresses up to this length say is kept: each action asks several times about that of its page.
LONGEST_KEPT = 2000

# As the URL standard says, browsers drop tabs and newlines anywhere, and control characters at the start.
_IGNORED = pattern(r"[\t\n\r]")
_LEADING = pattern(r"^[\x00-\x20]+")
_SCHEME = pattern(r"([A-Za-z][A-Za-z0-9+.-]*):")
# A host and a port, without any character that could make two parsers split them differently.
_AUTHORITY = pattern(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=-]+)(?::([0-9]{1,5}))?")
EXAMPLES = "https://example.com, https://*.example.com, http://localhost:*, example.com (any port) or *"
# The host excludes every character that a browser reads as the end of a host.
_PATTERN = pattern(
    r"(?:(?P<scheme>https?)://)?(?P<host>\*|(?:\*\.)?[^\s*:/?#@\\\[\]%]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>\d{1,5}|\*))?"
)

PUNYCODE = "xn--"
# Scripts that one word of a language has together (UTS #39, "highly restrictive"), beside those of one script alone.
_TOGETHER = (
    {"Latin", "Han", "Hiragana", "Katakana"},
    {"Latin", "Han", "Hangul"},
    {"Latin", "Han", "Bopomofo"},
)
# Python does not know the script of a character, but the names of letters begin with it, except for these.
_SCRIPT_OF_NAME = {"CJK": "Han", "HENTAIGANA": "Hiragana", "TURNED": "Latin", "CANADIAN": "Canadian Aboriginal"}
_OF_NO_SCRIPT = ("MODIFIER", "IDEOGRAPHIC", "VEDIC")


@dataclass(frozen=True)
class Endpoint:
    """A port and a host in canonical form: ASCII, lower case, without final dot or brackets."""

    host: str
    port: int

    @cached_property
    def address(self) -> IP | None:
        """The host as an IP address, or None if it is a name."""
        from ipaddress import ip_address  # imported late: loading a policy at start needs only schemes

        try:
            return ip_address(self.host)
        except ValueError:
            return None

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True)
class Origin:
    """The scheme, host and port of a URL."""

    scheme: str
    endpoint: Endpoint

    @property
    def host(self) -> str:
        return self.endpoint.host

    @property
    def port(self) -> int:
        return self.endpoint.port


def scheme_of(url: str) -> str | None:
    """Return the scheme that a browser reads in a URL, in lower case, or None if it has none."""
    return _read_scheme(url) if len(url) <= LONGEST_KEPT else _read_scheme.__wrapped__(url)


@lru_cache(maxsize=1024)
def _read_scheme(url: str) -> str | None:
    match = _SCHEME.match(_IGNORED.sub("", _LEADING.sub("", url)))
    return match[1].lower() if match else None


def origin_of(url: str) -> Origin | None:
    """Return the origin that a browser connects to for a URL, or None if it is not a valid http, https or ws URL."""
    return _parsed_origin(url) if len(url) <= LONGEST_KEPT else _parsed_origin.__wrapped__(url)


@lru_cache(maxsize=1024)
def _parsed_origin(url: str) -> Origin | None:
    import ada_url  # imported late: it takes 5 ms, and no URL is parsed at start

    try:
        parsed = ada_url.URL(url)
    except ValueError:
        return None
    scheme = parsed.protocol.removesuffix(":")
    if scheme not in DEFAULT_PORTS:
        return None
    host = _canonical_host(parsed.hostname)
    port = int(parsed.port) if parsed.port else DEFAULT_PORTS[scheme]
    return Origin(scheme, Endpoint(host, port)) if host and port else None


def is_unreadable(url: str) -> bool:
    """Whether a URL is an http or https one that the proxy cannot read: Chromium loads some that no standard allows."""
    if scheme_of(url) not in WEB_SCHEMES:
        return False
    origin = origin_of(url)
    return origin is None or endpoint_of(str(origin.endpoint)) is None


@lru_cache(maxsize=1024)
def endpoint_of(authority: str, default_port: int | None = None) -> Endpoint | None:
    """Parse the `host:port` of a proxy request. Return None if it holds anything else or any unusual character."""
    match = _AUTHORITY.fullmatch(authority)
    if match is None:
        return None
    port = int(match[2]) if match[2] else default_port
    origin = origin_of(f"http://{match[1]}/")
    if origin is None or port is None or not 0 < port < 65536:
        return None
    return Endpoint(origin.host, port)


def _canonical_host(hostname: str) -> str | None:
    """Return the canonical form of a host: `localhost.` becomes `localhost`. Return None for an invalid one."""
    if hostname.startswith("["):
        return hostname.strip("[]")
    if "*" in hostname:  # Chromium escapes it, and then encodes other letters of the label differently
        return None
    host = hostname.removesuffix(".")
    return host if host and "" not in host.split(".") else None


def origin_text(url: str) -> str | None:
    """Return the origin of a URL as browsers write it (`https://example.com:8443`), or None if it has no web origin."""
    origin = _web_origin(url)
    if origin is None:
        return None
    host = f"[{origin.host}]" if ":" in origin.host else origin.host
    port = "" if origin.port == DEFAULT_PORTS[origin.scheme] else f":{origin.port}"
    return f"{origin.scheme}://{host}{port}"


def _web_origin(url: str) -> Origin | None:
    # A blob: URL contains the origin of the page that created it.
    origin = origin_of(url.removeprefix("blob:"))
    return origin if origin and origin.scheme in WEB_SCHEMES else None


@dataclass(frozen=True)
class OriginPattern:
    """A pattern for origins. `*` means any host, any port or any subdomain, never a part of a label."""

    scheme: str | None
    host: str | None
    port: int | None
    is_wildcard: bool

    @classmethod
    def parse(cls, text: str) -> OriginPattern:
        """Parse a pattern. Raises ValueError, with a message that says what is wrong."""
        match = _PATTERN.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is not an origin; write one like {EXAMPLES}")
        scheme, name, port = match["scheme"], match["host"], match["port"]
        any_port = port == "*" or (port is None and (scheme is None or name == "*"))
        url = f"{scheme or 'https'}://{name.removeprefix('*.').replace('*', 'any')}"
        origin = _web_origin(url if port in (None, "*") else f"{url}:{port}")
        if origin is None:
            raise ValueError(f"{text!r} is not an origin: browsers do not accept it")
        if name.startswith("*.") and origin.endpoint.address is not None:
            raise ValueError(f"{text!r}: an IP address has no subdomains")
        host = None if name == "*" else origin.host
        return cls(scheme, host, None if any_port else origin.port, name.startswith("*."))

    def matches(self, url: str) -> bool:
        origin = _web_origin(url)
        return (
            origin is not None
            and self.scheme in (None, origin.scheme)
            and self.port in (None, origin.port)
            and self._matches_host(origin.host)
        )

    def _matches_host(self, host: str) -> bool:
        if self.host is None:
            return True
        if self.is_wildcard:
            wanted, labels = self.host.split("."), host.split(".")
            return len(labels) > len(wanted) and labels[-len(wanted) :] == wanted
        return host == self.host


def described_hosts(urls: Iterable[str | None]) -> list[str]:
    """Return a description of each host among these URLs that is not ASCII, each once."""
    origins = [origin_of(url) for url in urls if url]
    found = [host_description(origin.host) for origin in origins if origin is not None]
    return list(dict.fromkeys(each for each in found if each))


def host_description(host: str) -> str | None:
    """Return of a host in canonical form how browsers may show it, and in which scripts; None if that is ASCII."""
    labels = [_decoded(label) for label in host.split(".")]
    shown = ".".join(labels)
    if shown.isascii():
        return None
    scripts = [_scripts(label) for label in labels if not label.isascii()]
    mixed = [each for each in scripts if _is_mixed(each)]
    named = _listed(frozenset().union(*(mixed or scripts)))
    words = (
        f"one word of it mixes {named} letters, so that it may look like another name"
        if mixed
        else f"with {named} letters"
    )
    return f'{host}, which may be shown as "{shown}": {words}'


def _decoded(label: str) -> str:
    if not label.lower().startswith(PUNYCODE):
        return label
    try:
        return label[len(PUNYCODE) :].encode("ascii").decode("punycode")
    except UnicodeError:
        return label


def _scripts(label: str) -> frozenset[str]:
    return frozenset(script for char in label if (script := _script(char)))


def _script(char: str) -> str:
    """Return the script of a letter; nothing for digits, marks and letters that several scripts have."""
    word = unicodedata.name(char, "UNKNOWN").partition(" ")[0].partition("-")[0]
    is_letter = unicodedata.category(char).startswith("L") and word not in _OF_NO_SCRIPT
    return _SCRIPT_OF_NAME.get(word, word.capitalize()) if is_letter else ""


def _is_mixed(scripts: frozenset[str]) -> bool:
    return len(scripts) > 1 and not any(scripts <= together for together in _TOGETHER)


def _listed(names: Iterable[str]) -> str:
    words = sorted(names)
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:]))) or "no"
