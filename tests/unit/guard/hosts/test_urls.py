"""G1: URLs are parsed as browsers parse them."""

from __future__ import annotations

import pytest

from rove.guard.network.urls import Endpoint, Origin, endpoint_of, origin_of, scheme_of


@pytest.mark.parametrize(
    ("url", "scheme"),
    [
        ("https://example.com", "https"),
        ("HTTP://example.com", "http"),
        ("fi\tle:///etc/passwd", "file"),
        ("fi\nle:///etc/passwd", "file"),
        ("\x00\x1f file:///etc/passwd", "file"),
        ("java\r\nscript:alert(1)", "javascript"),
        ("view-source:https://example.com", "view-source"),
        ("example.com", None),
        ("//example.com", None),
        ("1http://example.com", None),
        ("", None),
    ],
)
def test_the_scheme_is_the_one_that_a_browser_reads(url: str, scheme: str | None) -> None:
    assert scheme_of(url) == scheme


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http:127.0.0.1/",
        "http:/127.0.0.1",
        "http:///127.0.0.1",
        "http:\\\\127.0.0.1\\",
        "http://127.0.0.1:80\\@example.com/",
        "http://example.com@127.0.0.1/",
        "http://example.com:80@127.0.0.1/",
        "http://example.com%2f@127.0.0.1/",
        "http://127.0.0.1#@example.com/",
        "http://127.0.0.1?@example.com/",
        "http://127.0.0.1/@example.com/",
        "http://2130706433/",
        "http://017700000001/",
        "http://0x7f000001/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://0177.0x0.0.1/",
        "http://127.1/",
        "http://127.0.1/",
        "http://127.0.0.1./",
        "http://127.1./",
        "http://１２７.０.０.１/",
        "http://①②⑦.⓪.⓪.①/",
        "http://127。0。0。1/",
        "http://127．0．0．1/",
        "http://127｡0｡0｡1/",
        "http://%31%32%37.0.0.1/",
        "http://127.0.0%2e1/",
        "http://127%2e1/",
        "http://12\u00ad7.0.0.1/",
        "http://127.0.0.1\u200b/",
        "http://127.\t0.0.1/",
        "ht\ntp://127.0.0.1/",
        "  http://127.0.0.1/  ",
        "HTTP://127.0.0.1/",
        "http://0000000177.0.0.1/",
        "http://𝟏𝟐𝟕.𝟎.𝟎.𝟏/",
    ],
)
def test_loopback_is_recognised_in_every_notation(url: str) -> None:
    assert origin_of(url) == Origin("http", Endpoint("127.0.0.1", 80))


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("http://localhost/", "localhost", 80),
        ("http://LOCALHOST./", "localhost", 80),
        ("http://loc\u00adalhost/", "localhost", 80),
        ("http://ｌｏｃａｌｈｏｓｔ/", "localhost", 80),
        ("http://%6cocalhost:8080/", "localhost", 8080),
        ("http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/", "localhost", 80),
        ("https://example.com", "example.com", 443),
        ("https://example.com:443/", "example.com", 443),
        ("wss://example.com/x", "example.com", 443),
        ("ws://example.com/x", "example.com", 80),
        ("http://bücher.example/", "xn--bcher-kva.example", 80),
        ("http://xn--bcher-kva.example./", "xn--bcher-kva.example", 80),
        ("http://[::1]:3000/", "::1", 3000),
        ("http://[0:0:0:0:0:0:0:1]/", "::1", 80),
        ("http://[::ffff:127.0.0.1]/", "::ffff:7f00:1", 80),
        ("http://[::FFFF:7F00:1]/", "::ffff:7f00:1", 80),
        ("http://a_b.example/", "a_b.example", 80),
        ("http://127.0.0.1.example.com/", "127.0.0.1.example.com", 80),
        ("http://0x7f.0.0.1.example/", "0x7f.0.0.1.example", 80),
    ],
)
def test_a_host_has_one_canonical_form(url: str, host: str, port: int) -> None:
    origin = origin_of(url)
    assert origin is not None
    assert (origin.host, origin.port) == (host, port)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com",
        "//example.com/",
        "http://",
        "http://./",
        "http://../",
        "http://localhost../",
        "http://127.0.0.1../",
        "http://a..b/",
        "http://.example.com/",
        "http://1.2.3.4.5/",
        "http://256.0.0.1/",
        "http://08.0.0.1/",
        "http://example.0x1/",
        "http://[::1",
        "http://[fe80::1%25eth0]/",
        "http://[::127.0.0.0.1]/",
        "http://a%00b/",
        "http://a b/",
        "http://a<b/",
        "http://example.com:65536/",
        "http://example.com:0/",
        "http://example.com:8a/",
        "http://\u00ad/",
        "http://\ud800/",
        "file:///etc/passwd",
        "ftp://example.com/",
        "data:text/html,x",
        "blob:http://example.com/x",
        "javascript:alert(1)",
        "about:blank",
    ],
)
def test_an_invalid_url_has_no_origin(url: str) -> None:
    assert origin_of(url) is None


@pytest.mark.parametrize(
    ("authority", "endpoint"),
    [
        ("example.com:443", Endpoint("example.com", 443)),
        ("EXAMPLE.com.:8443", Endpoint("example.com", 8443)),
        ("[::1]:3000", Endpoint("::1", 3000)),
        ("0x7f.1:80", Endpoint("127.0.0.1", 80)),
        ("2130706433:1", Endpoint("127.0.0.1", 1)),
        ("example.com", Endpoint("example.com", 80)),
    ],
)
def test_a_host_and_port_are_parsed(authority: str, endpoint: Endpoint) -> None:
    assert endpoint_of(authority, 80) == endpoint


@pytest.mark.parametrize(
    "authority",
    [
        "", ":80", "a@b:80", "a:b@c:80", "a/b:80", "a\\b:80", "a?b:80", "a#b:80", "a:80:80", "a:", "a:0", "a:65536",
        "a:-1", "a: 80", " a:80", "a:80 ", "::1:80", "[::1", "[::1]x:80", "[fe80::1%eth0]:80", "%61:80", "a\x00:80",
        "bücher.example:80", "a:８０",
    ],
)  # fmt: skip
def test_an_ambiguous_host_and_port_is_refused(authority: str) -> None:
    assert endpoint_of(authority, 80) is None
