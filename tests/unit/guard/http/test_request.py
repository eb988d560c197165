"""Requests to the proxy are parsed strictly, and rewritten for the server."""

from __future__ import annotations

import pytest

from rove.guard.network.http_messages import Chunked, FixedLength, Malformed, read_request
from rove.guard.network.urls import Endpoint


def head(*lines: str) -> bytes:
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"


def test_a_forwarded_request_looks_like_one_without_a_proxy() -> None:
    request = read_request(
        head(
            "GET http://example.com/a/b?c=d HTTP/1.1",
            "Host: example.com",
            "Proxy-Connection: keep-alive",
            "User-Agent: Test",
            "Accept: */*",
        )
    )
    assert request.head == head(
        "GET /a/b?c=d HTTP/1.1", "Host: example.com", "Connection: keep-alive", "User-Agent: Test", "Accept: */*"
    )
    assert (request.method, request.endpoint) == ("GET", Endpoint("example.com", 80))
    assert request.body.is_done


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("http://example.com", "/"),
        ("http://example.com/", "/"),
        ("http://example.com?x", "/?x"),
        ("HTTP://EXAMPLE.com/x", "/x"),
        ("http://example.com:80/x@y", "/x@y"),
        ("http://example.com//evil.example/", "//evil.example/"),
        ("http://example.com/http://evil.example/", "/http://evil.example/"),
    ],
)
def test_the_server_receives_the_path(target: str, path: str) -> None:
    request = read_request(head(f"GET {target} HTTP/1.1", "Host: example.com"))
    assert request.head.startswith(f"GET {path} HTTP/1.1\r\n".encode())


def test_hop_by_hop_headers_are_not_forwarded() -> None:
    request = read_request(
        head(
            "GET http://example.com/ HTTP/1.1",
            "Host: example.com",
            "Connection: close, X-Private",
            "Proxy-Connection: keep-alive",
            "Proxy-Authorization: Basic eDp5",
            "Keep-Alive: 300",
            "TE: trailers",
            "X-Private: 1",
            "Upgrade: h2c",
            "HTTP2-Settings: x",
            "X-Kept: 2",
        )
    )
    assert request.head == head("GET / HTTP/1.1", "Host: example.com", "Connection: close", "X-Kept: 2")
    assert request.closes_connection
    assert not request.wants_upgrade


def test_an_upgrade_to_a_websocket_is_forwarded() -> None:
    request = read_request(
        head("GET http://example.com/ HTTP/1.1", "Host: example.com", "Connection: Upgrade", "Upgrade: websocket")
    )
    assert request.wants_upgrade
    assert request.head == head("GET / HTTP/1.1", "Host: example.com", "Connection: Upgrade", "Upgrade: websocket")


def test_a_body_has_a_fixed_length_or_chunks() -> None:
    post = "POST http://example.com/ HTTP/1.1"
    assert isinstance(read_request(head(post, "Host: example.com", "Content-Length: 5")).body, FixedLength)
    assert isinstance(read_request(head(post, "Host: example.com", "Transfer-Encoding: chunked")).body, Chunked)
    assert read_request(head(post, "Host: example.com", "Content-Length: 0")).body.is_done


@pytest.mark.parametrize("host", ["example.com:443", "example.com", "EXAMPLE.com.:443"])
def test_a_connect_request_names_a_host_and_port(host: str) -> None:
    request = read_request(head("CONNECT example.com:443 HTTP/1.1", f"Host: {host}"))
    assert request.is_tunnel
    assert request.endpoint == Endpoint("example.com", 443)
    assert read_request(head("CONNECT example.com:443 HTTP/1.0")).is_tunnel


GET, HOST = "GET http://example.com/ HTTP/1.1", "Host: example.com"


@pytest.mark.parametrize(
    "lines",
    [
        ["GET / HTTP/1.1", HOST],
        ["GET example.com/ HTTP/1.1", HOST],
        ["GET //example.com/ HTTP/1.1", HOST],
        ["GET https://example.com/ HTTP/1.1", HOST],
        ["GET ftp://example.com/ HTTP/1.1", HOST],
        ["GET file:///etc/passwd HTTP/1.1", HOST],
        ["GET http:example.com/ HTTP/1.1", HOST],
        ["GET http://user@example.com/ HTTP/1.1", HOST],
        ["GET http://user:word@example.com/ HTTP/1.1", HOST],
        ["GET http://example.com\\@evil.example/ HTTP/1.1", HOST],
        ["GET http://example.com/#x HTTP/1.1", HOST],
        ["GET http://example.com/a b HTTP/1.1", HOST],
        ["GET http://example.com/\x00 HTTP/1.1", HOST],
        ["GET http://example.com/\x7f HTTP/1.1", HOST],
        ["GET http://example.com/é HTTP/1.1", HOST],
        ["GET  http://example.com/ HTTP/1.1", HOST],
        ["GET http://example.com/  HTTP/1.1", HOST],
        ["GET http://example.com/ HTTP/1.1 ", HOST],
        ["GET http://example.com/ HTTP/1.0", HOST],
        ["GET http://example.com/ HTTP/2.0", HOST],
        ["GET http://example.com/ HTTP/1.10", HOST],
        ["GET http://example.com/", HOST],
        ["G(T http://example.com/ HTTP/1.1", HOST],
        [" GET http://example.com/ HTTP/1.1", HOST],
        ["", GET, HOST],
        [GET],
        [GET, HOST, HOST],
        [GET, HOST, "host: evil.example"],
        [GET, "Host: evil.example"],
        [GET, "Host: example.com:81"],
        [GET, "Host: example.com@evil.example"],
        [GET, "Host: "],
        [GET, "Host : example.com"],
        [GET, HOST, "X Y: z"],
        [GET, HOST, "X-Fold: a", " b"],
        [GET, HOST, "\tX-Fold: a"],
        [GET, HOST, "NoColon"],
        [GET, HOST, ": empty"],
        [GET, HOST, "X: a\nEvil: b"],
        [GET, HOST, "X: a\rEvil: b"],
        [GET, HOST, "X: a\x00b"],
        [GET, HOST, "Content-Length: 5", "Transfer-Encoding: chunked"],
        [GET, HOST, "Transfer-Encoding: chunked", "Content-Length: 0"],
        [GET, HOST, "Content-Length: 5", "Content-Length: 5"],
        [GET, HOST, "Content-Length: 5", "Content-Length: 6"],
        [GET, HOST, "Content-Length: 5, 5"],
        [GET, HOST, "Content-Length: +5"],
        [GET, HOST, "Content-Length: -5"],
        [GET, HOST, "Content-Length: 0x5"],
        [GET, HOST, "Content-Length: 5 5"],
        [GET, HOST, "Content-Length: "],
        [GET, HOST, "Content-Length: 99999999999999999999"],
        [GET, HOST, "Content-Length:\x0b5"],
        [GET, HOST, "Transfer-Encoding: gzip, chunked"],
        [GET, HOST, "Transfer-Encoding: chunked, identity"],
        [GET, HOST, "Transfer-Encoding: xchunked"],
        [GET, HOST, "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
        [GET, HOST, "Transfer-Encoding:\x0bchunked"],
        [GET, HOST, "Transfer-Encoding : chunked"],
        [GET, HOST, "Connection: content-length", "Content-Length: 5"],
        [GET, HOST, "Connection: host"],
        [GET, HOST, "Connection: transfer-encoding", "Transfer-Encoding: chunked"],
        ["CONNECT example.com HTTP/1.1", HOST],
        ["CONNECT http://example.com/ HTTP/1.1", HOST],
        ["CONNECT example.com:443/x HTTP/1.1", HOST],
        ["CONNECT user@example.com:443 HTTP/1.1", HOST],
        ["CONNECT example.com:443 HTTP/1.1", "Host: evil.example:443"],
        ["CONNECT example.com:443 HTTP/1.1", HOST, HOST],
        ["CONNECT example.com:443 HTTP/1.1", HOST, "Content-Length: 0"],
        ["CONNECT example.com:443 HTTP/1.1", HOST, "Transfer-Encoding: chunked"],
        ["CONNECT example.com:0 HTTP/1.1", HOST],
        ["CONNECT [::1:443 HTTP/1.1", HOST],
        ["connect example.com:443 HTTP/1.1", HOST],
    ],
)
def test_an_ambiguous_request_is_refused(lines: list[str]) -> None:
    with pytest.raises(Malformed):
        read_request(head(*lines))
