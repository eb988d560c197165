"""web_fetch where only the browser gets the page: frames, files, servers that hang up. Contract E, line E4."""

from __future__ import annotations

import socket

import pytest
from tests.browser.fetching.raw_server import raw_server
from tests.site import Page, Site

from rove import RoveError, Session

TEXT = "<p>Green tea is made of leaves that were heated soon after picking, so that they stay green and fresh.</p>"
ARTICLE = f"<title>Green tea</title><article><h1>Green tea</h1>{TEXT * 6}</article>"


async def test_e4_pages_in_frames_are_read_with_the_browser(session: Session, site: Site) -> None:
    site.page("/tea", ARTICLE)
    old = site.page(
        "/old", "<frameset cols='20%,80%'><frame src=/menu><frame src=/tea><noframes>Old</noframes></frameset>"
    )
    site.page("/menu", "<p>Menu</p>")
    other = site.url("/tea", "localhost")
    for address in (old, site.page("/framed", "<iframe src=/tea width=600 height=400></iframe>")):
        fetched = (await session.web_fetch(address)).result
        assert "shows its text in frames" in fetched.notes[0] and "heated soon after picking" in fetched.text
    foreign = site.page("/foreign", f"<iframe src='{other}' width=600 height=400></iframe>")
    fetched = (await session.web_fetch(foreign)).result
    assert "heated soon after picking" in fetched.frames[0] and len(fetched.notes) == 1
    assert fetched.frames[0].origin == f"http://localhost:{site.port}"
    never = (await session.web_fetch(old, browser="never")).result
    assert "although the page shows its text in frames" in never.notes[0]


async def test_e4_a_file_that_only_browsers_get_is_read(session: Session, site: Site) -> None:
    await session.navigate(site.page("/paper", f"<h1>Paper</h1>{TEXT}"))
    printed = (await session.pdf()).result
    data = (session._engine.settings.workspace_folder / str(printed.path)).read_bytes()
    address = site.page("/paper.pdf", "No", status=403)
    site._for_headers["/paper.pdf"] = ("Sec-Fetch-Mode", "", Page(data, kind="application/pdf"))
    fetched = (await session.web_fetch(address)).result
    assert fetched.kind == "pdf" and "heated soon after picking" in fetched.text and fetched.facts["File"]
    assert "HTTP 403" in fetched.notes[0]


async def test_e4_a_server_that_hangs_up_on_programs_is_asked_by_the_browser(session: Session) -> None:
    def serve(connection: socket.socket, request: bytes) -> None:
        if b"sec-fetch-mode" in request.lower():
            body = ARTICLE.encode()
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
            connection.sendall(head % len(body) + body)

    with raw_server(serve) as address:
        fetched = (await session.web_fetch(address)).result
    assert "heated soon" in fetched.text and "closed the connection without an answer" in fetched.notes[0]


async def test_e4_an_error_says_that_the_browser_was_tried(session: Session, site: Site) -> None:
    for status in (403, 501, 508, 599):
        with pytest.raises(RoveError) as error:
            await session.web_fetch(site.page("/no", "<h1>No</h1>", status=status))
        assert error.value.code == "http_error" and len(site.asked("/no")) >= 2
        assert error.value.notice.startswith(f"Tried with the browser: the server answered with HTTP {status}")
        site.clear()


async def test_a_drawing_is_read_with_the_browser_if_asked(session: Session, site: Site) -> None:
    drawing = "<svg xmlns='http://www.w3.org/2000/svg'><text y='20'>Green tea</text></svg>"
    address = site.page("/drawing", drawing, kind="image/svg+xml")
    assert "Green tea" in (await session.web_fetch(address, browser="always")).result.text
