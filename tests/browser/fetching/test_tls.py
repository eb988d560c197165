"""web_fetch over TLS: HTTP/2 through the tunnel of the session's proxy, and certificates that are checked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import RequestReceived
from tests.faults.certificates import Authority, Certificate

from rove import RoveError, Session

PAGE = (
    b"<!doctype html><html><head><title>Tea</title></head><body><article><h1>Tea</h1>"
    + b"<p>Tea is made of leaves, and drunk hot by many.</p>" * 9
)


@asynccontextmanager
async def http2_server(certificate: Certificate, asked: list[dict[str, str]]) -> AsyncGenerator[str]:
    """Serve one page over HTTP/2 alone."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        connection.initiate_connection()
        writer.write(connection.data_to_send())
        while data := await reader.read(65536):
            for event in connection.receive_data(data):
                if isinstance(event, RequestReceived):
                    asked.append({str(name): str(value) for name, value in event.headers or ()})
                    headers = [
                        (":status", "200"),
                        ("content-type", "text/html"),
                        ("set-cookie", "__Host-a=1; Secure; Path=/"),
                    ]
                    connection.send_headers(event.stream_id, headers)
                    connection.send_data(event.stream_id, PAGE, end_stream=True)
            writer.write(connection.data_to_send())
        writer.close()

    tls = certificate.server
    tls.set_alpn_protocols(["h2"])
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    try:
        yield f"https://localhost:{server.sockets[0].getsockname()[1]}/"
    finally:
        server.close()


async def test_http2_and_certificates(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    asked: list[dict[str, str]] = []
    async with http2_server(authority.issue("localhost"), asked) as url:
        for _ in range(2):
            assert "drunk hot" in (await session.web_fetch(url)).result.text
        assert asked[0][":authority"] == url.removeprefix("https://").rstrip("/")
        assert "cookie" not in asked[0] and asked[1]["cookie"] == "__Host-a=1"
    for host, days, words in (
        ("other.example", (-1, 1), "ERR_CERT_COMMON_NAME_INVALID"),
        ("localhost", (-3, -2), "ERR_CERT_DATE_INVALID"),
    ):
        async with http2_server(authority.issue(host, days), asked) as url:
            with pytest.raises(RoveError, match=words) as error:
                await session.web_fetch(url)
            assert error.value.code == "certificate_invalid"
    unknown = Authority(tmp_path)
    async with http2_server(unknown.issue("localhost"), asked) as url:
        with pytest.raises(RoveError, match="ERR_CERT_AUTHORITY_INVALID"):
            await session.web_fetch(url)
    assert len(asked) == 2
