"""web_fetch of answers that do not arrive whole, and of files that are larger than is read."""

from __future__ import annotations

import gzip
import socket
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.browser.fetching.raw_server import Serve, raw_server
from tests.site import OWN_SITES, Site

from rove import RoveError, Session, Settings
from rove.engine.sessions import Sessions
from rove.settings.sections import Fetching

TEXT = "<title>Tea</title><article>" + "<p>Green tea is made of leaves that were heated soon after picking.</p>" * 9
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


@pytest.fixture(scope="module")
async def engine(home: Path) -> AsyncGenerator[Sessions]:
    fetching = Fetching(seconds=1.0, silence=0.5, megabytes=1)
    settings = Settings(home=home / "incomplete", allow_host=OWN_SITES, fetching=fetching, start_early=False)
    async with Sessions(settings) as sessions:
        yield sessions


@pytest.fixture
def agent(engine: Sessions) -> Session:
    return Session(engine, None)


def silent(connection: socket.socket, request: bytes) -> None:
    connection.sendall(HEAD + b"Content-Length: 9999\r\n\r\n" + TEXT.encode())
    connection.recv(1)  # until the client gives up


def slow(connection: socket.socket, request: bytes) -> None:
    connection.sendall(HEAD + b"Content-Length: 9999\r\n\r\n" + TEXT.encode())
    connection.settimeout(0.2)
    for _ in range(50):
        connection.sendall(b"<p>More</p>")
        try:
            connection.recv(1)
            return
        except TimeoutError:
            continue


def short(connection: socket.socket, request: bytes) -> None:
    connection.sendall(HEAD + b"Content-Length: 9999\r\n\r\n" + TEXT.encode())


def cut_chunks(connection: socket.socket, request: bytes) -> None:
    body = TEXT.encode()
    connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(body), body))


def cut_gzip(connection: socket.socket, request: bytes) -> None:
    packed = gzip.compress(TEXT.encode() + bytes(f"<!--{list(range(9999))}-->", "ascii"))[:-2000]
    connection.sendall(HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed) + packed)


@pytest.mark.parametrize(
    ("serve", "why"),
    [
        (silent, "nothing more for 0.5 s"),
        (slow, "longer than 1 s"),
        (short, "closed the connection"),
        (cut_chunks, "closed the connection"),
        (cut_gzip, "no end"),
    ],
)
async def test_the_part_that_arrived_is_told_as_incomplete(agent: Session, serve: Serve, why: str) -> None:
    with raw_server(serve) as address:
        fetched = (await agent.web_fetch(address, browser="never")).result
    assert "heated soon after picking" in fetched.text
    assert fetched.notes[0].startswith("Incomplete: ") and why in fetched.notes[0]


async def test_a_server_that_sends_none_of_the_page_is_not_said_to_be_silent(agent: Session) -> None:
    def headers_alone(connection: socket.socket, request: bytes) -> None:
        connection.sendall(HEAD + b"Content-Length: 9999\r\n\r\n")
        connection.recv(1)

    with raw_server(headers_alone) as address, pytest.raises(RoveError) as error:
        await agent.web_fetch(address)
    assert error.value.code == "deadline_exceeded" and "did not send the page within 0.5 s" in error.value.message


async def test_a_file_larger_than_is_read_is_not_called_damaged(agent: Session, site: Site) -> None:
    for kind, start in (("application/pdf", b"%PDF-1.7\n"), ("image/png", b"\x89PNG\r\n\x1a\n")):
        site.file("/large", start + bytes(3_000_000), kind)
        fetched = (await agent.web_fetch(site.url("/large"))).result
        assert fetched.kind == "file" and fetched.facts == {"Type": kind}
        assert "more than 1,048,576 bytes), as it is larger than `fetching.megabytes` (1)" in fetched.notes[0]
    site.file("/log", b"line of text\n" * 200_000, "text/plain")
    cut = (await agent.web_fetch(site.url("/log"), max_characters=400_000)).result
    assert cut.notes == ("Cut: more than 400,000 characters.",)
    site.file("/spaces", b"<title>Tea</title><p>Tea" + b" " * 2_000_000, "text/html")
    assert "larger than `fetching.megabytes` (1)" in (await agent.web_fetch(site.url("/spaces"))).result.notes[-1]


async def test_files_and_pictures_are_named_with_type_and_size(agent: Session, site: Site) -> None:
    import io

    from PIL import Image

    site.file("/bmp", b"BM" + bytes(110), "image/bmp")
    site.file("/zip", b"PK" + bytes(110), "application/zip")
    site.file("/film", bytes(112), "video/mp4")
    site.file("/binary", b"\x01\x02\x03 text" + bytes(105), "text/plain")
    for path, kind, tab in (
        ("/bmp", "image/bmp", "show"),
        ("/zip", "application/zip", "downloads"),
        ("/film", "video/mp4", "show"),
        ("/binary", "text/plain", "downloads"),
    ):
        fetched = (await agent.web_fetch(site.url(path))).result
        assert (fetched.kind, fetched.facts, fetched.text) == ("file", {"Type": kind}, "")
        assert "(112 bytes)" in fetched.notes[0] or path == "/binary"
        assert tab in fetched.notes[1]
    output = io.BytesIO()
    Image.new("RGB", (3000, 1000), "red").save(output, "PNG")
    site.file("/picture", output.getvalue(), "image/png")
    shown = (await agent.web_fetch(site.url("/picture"))).result
    assert shown.notes == ("It is a picture, 3000 x 1000, shown at 1568 x 523.",)
    site.file("/half", output.getvalue()[:-500], "image/png")
    assert (await agent.web_fetch(site.url("/half"))).result.kind == "file"


async def test_json_is_not_changed_by_indenting_it(agent: Session, site: Site) -> None:
    for body in ('{"a": 1e400}', '{"a": 1, "a": 2}', '{"a": 0.12345678901234567890123}'):
        site.page("/data", body, kind="application/json")
        assert (await agent.web_fetch(site.url("/data"))).result.text == body
    site.page("/data", '{"a": [1.50, 2e3]}', kind="application/json")
    assert "\n" in (await agent.web_fetch(site.url("/data"))).result.text


async def test_an_error_from_the_cache_is_told_as_such(agent: Session, site: Site) -> None:
    address = site.page("/gone", "Gone", status=404, headers={"Cache-Control": "max-age=60"})
    notices: list[str] = []
    for _ in range(2):
        with pytest.raises(RoveError) as error:
            await agent.web_fetch(address)
        notices.append(error.value.notice)
    assert notices[0] == "" and notices[1].startswith("From the cache") and len(site.asked("/gone")) == 1
