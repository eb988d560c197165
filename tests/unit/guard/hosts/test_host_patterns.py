"""Entries of host lists match exactly what they name."""

from __future__ import annotations

import pytest

from rove.errors import InvalidSettings
from rove.guard.network.host_rules import parse_pattern
from rove.guard.network.urls import Endpoint


@pytest.mark.parametrize(
    ("entry", "matching", "others"),
    [
        ("localhost:3000", [("localhost", 3000)], [("localhost", 3001), ("127.0.0.1", 3000), ("x.localhost", 3000)]),
        ("localhost", [("localhost", 80), ("localhost", 9999)], [("localhost.evil.example", 80)]),
        ("LOCALHOST.:*", [("localhost", 80)], [("xlocalhost", 80)]),
        ("127.0.0.1", [("127.0.0.1", 1), ("127.0.0.1", 65535)], [("127.0.0.2", 1), ("localhost", 1)]),
        ("0x7f.1:80", [("127.0.0.1", 80)], [("127.0.0.1", 81)]),
        ("[::1]:8080", [("::1", 8080)], [("::1", 80), ("::2", 8080)]),
        ("::1", [("::1", 80)], [("::2", 80)]),
        ("[::1]", [("::1", 80)], []),
        ("10.0.0.5:*", [("10.0.0.5", 22)], [("10.0.0.6", 22)]),
        ("10.0.0.0/8", [("10.0.0.1", 1), ("10.255.255.255", 2)], [("11.0.0.0", 1), ("ten.example", 1), ("::1", 1)]),
        ("10.0.0.0/8:80", [("10.0.0.1", 80)], [("10.0.0.1", 81)]),
        ("fd00::/8", [("fd12::1", 1)], [("fe80::1", 1), ("10.0.0.1", 1)]),
        ("[fd00::/8]:443", [("fd12::1", 443)], [("fd12::1", 80)]),
        (
            "*.corp.example",
            [("a.corp.example", 80), ("a.b.corp.example", 443)],
            [("corp.example", 80), ("acorp.example", 80), ("corp.example.evil.example", 80), ("a.corp.example2", 80)],
        ),
        ("*.corp.example:8080", [("a.corp.example", 8080)], [("a.corp.example", 80)]),
        ("bücher.example", [("xn--bcher-kva.example", 80)], []),
        ("a_b.example", [("a_b.example", 80)], []),
    ],
)
def test_an_entry_matches_only_the_hosts_that_it_names(
    entry: str, matching: list[tuple[str, int]], others: list[tuple[str, int]]
) -> None:
    parsed = parse_pattern(entry)
    assert [pair for pair in matching if not parsed.matches(Endpoint(*pair))] == []
    assert [pair for pair in others if parsed.matches(Endpoint(*pair))] == []


@pytest.mark.parametrize(
    "entry",
    [
        "", "*", "*.", "*:80", "a*.example", "*.*.example", "**.example", "localhost:", "localhost:0",
        "localhost:65536", "localhost:http", "localhost:٣", "localhost:80:80", "localhost/",
        "http://localhost", "http://localhost:3000/x", "http://u@localhost:3000", "ftp://localhost:21", "http://*:1",
        "localhost:3000/", "user@localhost", "local host", " localhost", "localhost ", "[localhost]:80", "[::1]80",
        "[::1]:", "[]:80", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "a..b", ".example", "1.2.3.4.5", "::1/129", "%6c",
        "a,b", "a;b", "*.10.0.0.1/8", "localhost\n",
    ],
)  # fmt: skip
def test_an_ambiguous_entry_is_an_error(entry: str) -> None:
    with pytest.raises(InvalidSettings):
        parse_pattern(entry)


def test_a_denied_name_covers_its_subdomains() -> None:
    parsed = parse_pattern("evil.example")
    assert parsed.covers(Endpoint("evil.example", 80))
    assert parsed.covers(Endpoint("a.b.evil.example", 443))
    assert not parsed.covers(Endpoint("notevil.example", 80))
    assert not parse_pattern("evil.example:80").covers(Endpoint("a.evil.example", 443))


@pytest.mark.parametrize("entry", ["http://localhost:3000", "HTTP://localhost:3000/", "https://localhost:3000"])
def test_an_origin_with_its_port_stands_for_both(entry: str) -> None:
    assert parse_pattern(entry) == parse_pattern("localhost:3000")
    assert parse_pattern("http://[::1]:80") == parse_pattern("[::1]:80")
