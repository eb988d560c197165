"""Addresses: URLs, origins and entries of host lists. All parsers of rove must name the same host, in one form."""

from __future__ import annotations

import random
import socket
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address

import ada_url

from rove.errors import InvalidSettings
from rove.guard.network.addresses import OwnPorts, embedded_ipv4
from rove.guard.network.host_rules import HostRules, parse_pattern
from rove.guard.network.urls import Endpoint, OriginPattern, endpoint_of, origin_of, origin_text, scheme_of
from rove.target import canonical_origin, with_scheme

SCHEMES = ("http", "https", "HTTP", "ws", "wss", "ftp", "file", "data", "blob:http", "view-source:http", "ht\ttp", "")
SLASHES = ("://", "://", "://", "://", ":", ":/", ":///", ":\\\\", ":/\\", ":\n//", ": //", "%3A//")
USERS = ("", "", "", "", "user@", "user:pass@", "example.com@", "a@b@", "@", ":@", "example.com%40", "[::1]@")
HOSTS = (
    "example.com",
    "EXAMPLE.com.",
    "example.com..",
    "exa mple.com",
    "exa%6dple.com",
    "exa\u00admple.com",
    "ex\u200bample.com",
    "faß.de",
    "ΒΌΛΟΣ.com",
    "xn--fa-hia.de",
    "xn--a",
    "xn--xn---epa.com",
    "☃.net",
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "0177.0.0.1",
    "2130706433",
    "127.0.0.1.",
    "①②⑦.⓪.⓪.①",
    "127。0。0。1",
    "127.0.0.0x1",
    "1.2.3.4.5",
    "1.2.3.08",
    "256.0.0.1",
    "0x",
    "0x.0x.0",
    "example.0x7f",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[fe80::1%25eth0]",
    "[0:0::0]",
    "[1:2:3:4:5:6:7.8.9.10]",
    "[::127.1]",
    "169.254.169.254",
    "localhost",
    "a.localhost.",
    "printer.local",
    "metadata",
    "1.1.1.1",
    "[2606:4700::1]",
    "*.example.com",
    "*",
    "10.0.0.0/8",
    "a_b.example",
    "-a.example",
    "a" * 64 + ".example",
    "a!$&'()*+,;=b.example",
    "",
)
PORTS = (
    "",
    "",
    "",
    ":80",
    ":443",
    ":8080",
    ":0",
    ":00080",
    ":65535",
    ":65536",
    ":-1",
    ":+80",
    ":8 0",
    ":",
    ":８０",
    ":*",
)
PATHS = (
    "",
    "/",
    "/path",
    "?query",
    "#fragment",
    "\\@example.com/",
    "/@example.com",
    "?@a",
    "#@a",
    "%2f@a",
    "/../..//x",
)
PIECES = (
    "@ : / \\ # ? % [ ] . 。 ． ｡ \t \n \r \x00 \x1f \x7f "
    "\xa0 \u00ad \u200d \u2060 \ufeff ⓛ ℓ K ſ ß ς %00 %2e %2E %25 0x xn-- ::ffff:"
)


class Addresses:
    """The parsers of addresses, compared with each other and with ada and the C library."""

    name = "addresses"
    tokens = tuple(piece.encode() for piece in (*PIECES.split(" "), *HOSTS, *PORTS))
    accepted: Mapping[str, str] = {
        "the scheme is read from an invalid URL": "ada refuses the URL as a whole, and so does the guard.",
    }

    def generate(self, choose: random.Random) -> bytes:
        parts = (choose.choice(each) for each in (SCHEMES, SLASHES, USERS, HOSTS, PORTS, PATHS))
        text = "".join(parts) if choose.random() < 0.8 else choose.choice(HOSTS) + choose.choice(PORTS)
        return text.encode()

    def check(self, data: bytes) -> set[str]:
        text = data.decode("utf-8", "replace")
        _check_origin(text)
        _check_authority(text)
        _check_entries(text)
        _check_completed(text)
        return _scheme_differences(text)


def _scheme_differences(url: str) -> set[str]:
    try:
        parsed = ada_url.URL(url)
    except ValueError:
        return {"the scheme is read from an invalid URL"} if scheme_of(url) else set()
    assert scheme_of(url) == parsed.protocol.removesuffix(":"), "ada reads another scheme"
    return set()


def _check_origin(url: str) -> None:
    origin = origin_of(url)
    if origin is None:
        return
    _check_endpoint(origin.endpoint)
    assert origin_of(f"{origin.scheme}://{origin.endpoint}/") == origin, "the canonical form names another host"
    if text := origin_text(url):
        assert origin_text(text) == text, "the text of an origin has another origin"
        assert OriginPattern.parse(text).matches(url), "an origin does not match itself"


def _check_endpoint(endpoint: Endpoint) -> None:
    assert endpoint.host.isascii() and endpoint.host == endpoint.host.lower(), "the host is not canonical"
    assert 0 < endpoint.port < 65536, "the port is none"
    assert not set(endpoint.host) & set(" %/\\@?#<>^|\x7f") and endpoint.host.isprintable(), "an odd character"
    # The resolver would pass such a host to the C library, which reads more forms of addresses than Python does.
    assert _c_library_address(endpoint.host) in (None, endpoint.address), "the C library reads an address"
    if HostRules().refuse_endpoint(endpoint, OwnPorts()) is None:
        _check_public(endpoint)


def _c_library_address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(socket.inet_ntoa(socket.inet_aton(host)))
    except (OSError, UnicodeEncodeError):
        return None


def _check_public(endpoint: Endpoint) -> None:
    assert endpoint.address is not None or "." in endpoint.host, "a name of the local network is allowed"
    address = endpoint.address
    if address is None:
        last = endpoint.host.rpartition(".")[2]
        assert last not in ("localhost", "local", "internal"), "a local name is allowed"
        return
    embedded = embedded_ipv4(address) if isinstance(address, IPv6Address) else ()
    for each in embedded or (address,):
        is_local = each.is_private or each.is_loopback or each.is_link_local or each.is_multicast or each.is_reserved
        assert not is_local or str(each) in ("192.0.0.9", "192.0.0.10") or _is_anycast(each), f"{each} is allowed"


def _is_anycast(address: IPv4Address | IPv6Address) -> bool:
    """Whether Python calls it private, and the registry calls it globally reachable."""
    return isinstance(address, IPv6Address) and int(address) >> 105 == 0x20010000 >> 9


def _check_authority(text: str) -> None:
    endpoint = endpoint_of(text, 80)
    if endpoint is None:
        return
    _check_endpoint(endpoint)
    origin = origin_of(f"http://{text}/")
    assert origin is not None and origin.endpoint == endpoint, "an authority and a URL name different hosts"


def _check_entries(text: str) -> None:
    """An entry of a list opens no more than it names."""
    try:
        entry = parse_pattern(text)
    except InvalidSettings:
        return
    assert parse_pattern(text) == entry
    if isinstance(entry.host, str):
        assert entry.host and (endpoint_of(entry.host, 80) or Endpoint("", 0)).host == entry.host, "not canonical"
    assert not entry.matches(Endpoint("unrelated.test", entry.port or 80)) or "unrelated" in text


def _check_completed(text: str) -> None:
    for read in (with_scheme, canonical_origin):
        try:
            address = read(text)
        except ValueError:
            continue
        assert read(address) == address, "a completed address is completed again"
        if read is canonical_origin:
            assert origin_of(address) == origin_of(text), "an origin names another host than its text"
