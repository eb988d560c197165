"""Origins are parsed as browsers parsed them, and patterns match whole labels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rove.guard.network.urls import OriginPattern, origin_text

LABEL = st.from_regex(r"[a-z][a-z0-9]{0,8}", fullmatch=True)
HOST = st.lists(LABEL, min_size=1, max_size=4).map(".".join)


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://example.com/path?x#y", "https://example.com"),
        ("https://EXAMPLE.com:443", "https://example.com"),
        ("http://example.com:443", "http://example.com:443"),
        ("https://user:secret@example.com:8443/", "https://example.com:8443"),
        ("https://example.com./", "https://example.com"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
        ("https://exa%6dple.com", "https://example.com"),
        ("https://ex\tam\nple.com", "https://example.com"),
        ("http:127.0.0.1/", "http://127.0.0.1"),
        ("http://0x7f.1/", "http://127.0.0.1"),
        ("http://127.0.0.1:80\\@example.com/", "http://127.0.0.1"),
        ("http://[0:0::1]:3000/", "http://[::1]:3000"),
        ("blob:https://example.com/1234", "https://example.com"),
    ],
)
def test_an_origin_is_read_as_a_browser_reads_it(url: str, origin: str) -> None:
    assert origin_text(url) == origin


@pytest.mark.parametrize(
    "url",
    ["about:blank", "data:text/html,x", "file:///etc/passwd", "javascript:1", "null", "", "https://", "https://a:99999",
     "ws://example.com", "https://./", "https://a..b/", "https://localhost../", "\ud800", "https://\ud800/"],
)  # fmt: skip
def test_a_url_that_is_not_a_web_address_has_no_origin(url: str) -> None:
    assert origin_text(url) is None


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        (
            "https://example.com",
            ["https://example.com", "https://example.com./", "https://EXAMPLE.com:443/"],
            [
                "http://example.com",
                "https://example.com:8443",
                "https://www.example.com",
                "https://example.com.evil.org",
            ],
        ),
        (
            "https://*.example.com",
            ["https://a.example.com", "https://a.b.example.com"],
            ["https://example.com", "https://badexample.com", "https://a.example.com.evil.org", "http://a.example.com"],
        ),
        (
            "example.com",
            ["https://example.com", "http://example.com:8080"],
            ["https://www.example.com", "https://example.com.au"],
        ),
        ("*.example.com", ["http://a.example.com:81"], ["https://example.com", "https://aexample.com"]),
        ("http://localhost:*", ["http://localhost", "http://localhost:3000"], ["https://localhost", "http://local"]),
        ("https://*", ["https://a", "https://b.c:8443"], ["http://a", "about:blank"]),
        ("*", ["http://a", "https://b:1"], ["about:blank", "data:,", "null"]),
        ("https://*:8443", ["https://a:8443"], ["https://a", "http://a:8443"]),
        ("127.1", ["http://127.0.0.1:8000", "http://2130706433/"], ["http://127.0.0.2"]),
        ("[::1]", ["http://[0::1]:80"], ["http://[::2]"]),
        ("https://bücher.example", ["https://xn--bcher-kva.example"], ["https://bucher.example"]),
    ],
)
def test_a_pattern_matches_only_its_own_origins(pattern: str, inside: list[str], outside: list[str]) -> None:
    parsed = OriginPattern.parse(pattern)
    assert [url for url in inside if not parsed.matches(url)] == []
    assert [url for url in outside if parsed.matches(url)] == []


@pytest.mark.parametrize(
    "text",
    ["", "https://", "https://example.com/", "https://example.com/path", "https://exa*mple.com", "*example.com",
     "https://*.*.com", "*.", "*.*", "ftp://example.com", "file:///", "https://a:99999", "https://user@example.com",
     "https://a b", "https://a?b", "https://a#b", "https://a\\b", "https://a%2eb", "*.127.0.0.1", "*.[::1]", "[::1",
     "https://example.com:", "https://example.com:8*", "example.com evil.org", "a..b", ".a", "https:/example.com",
     "//example.com"],
)  # fmt: skip
def test_an_invalid_pattern_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        OriginPattern.parse(text)


@given(HOST, HOST)
def test_a_host_matches_its_own_pattern_and_no_other(one: str, other: str) -> None:
    parsed = OriginPattern.parse(f"https://{one}")
    assert parsed.matches(f"https://{one}/")
    assert parsed.matches(f"https://{other}/") == (one == other)


@given(HOST, HOST)
def test_a_star_stands_for_whole_labels(subdomain: str, host: str) -> None:
    parsed = OriginPattern.parse(f"*.{host}")
    assert parsed.matches(f"https://{subdomain}.{host}")
    assert not parsed.matches(f"https://{host}")
    assert not parsed.matches(f"https://{subdomain}{host}") or f"{subdomain}{host}".endswith(f".{host}")


@given(st.text(max_size=40))
def test_no_text_breaks_the_parser(text: str) -> None:
    origin_text(text)
    try:
        OriginPattern.parse(text)
    except ValueError as error:
        assert str(error)
