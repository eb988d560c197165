"""web_fetch over HTTP and in the browser. Contract E, line E4."""

from __future__ import annotations

import asyncio
import gzip
import socket
import threading

import pytest
from tests.site import Site

from rove import RoveError, Session
from rove.action import parse

TEXT = "<p>Green tea is made of leaves that were heated soon after picking, so that they stay green and fresh.</p>"
ARTICLE = (
    "<html lang=en><head><title>Green tea</title></head><body><nav>Home Shop</nav>"
    f"<article><h1>Green tea</h1>{TEXT * 6}<p>See the <a href='brewing#pots'>brewing guide</a>.</p></article>"
)
SHELL = (
    "<html><body><div id=root></div><script>"
    f"document.getElementById('root').innerHTML = '<main><h1>By a script</h1>' + '{TEXT}'.repeat(6) + '</main>';"
    "</script></body></html>"
)
# Lets browsers through once their script has set a cookie.
CHALLENGE = (
    "<html><head><title>Just a moment...</title></head><body>Enable JavaScript and cookies to continue"
    "<script>window._cf_chl_opt = {}; document.cookie = 'cf_clearance=yes'; setTimeout(() => location.reload(), 200);"
    "</script></body></html>"
)


def has_browser_page(session: Session) -> bool:
    return session._engine.has_pages


async def code_of(session: Session, url: str, **options: object) -> str:
    with pytest.raises(RoveError) as error:
        await session.run(parse("web_fetch", {"url": url, **options}))
    return error.value.code


async def test_e4_an_article_is_read_over_http_and_no_page_is_opened(session: Session, site: Site) -> None:
    fetched = (await session.web_fetch(site.page("/tea/article", ARTICLE))).result
    assert "heated soon after picking" in fetched.text and "Shop" not in fetched.text
    assert (fetched.title, fetched.kind, fetched.status) == ("Green tea", "article", 200)
    assert "[brewing guide][1]" in fetched.text and fetched.addresses == {"1": site.url("/tea/brewing#pots")}
    assert fetched.notes == () and not has_browser_page(session)
    (request,) = site.requests
    agent = {"chromium": "Chrome/", "firefox": "Firefox/", "webkit": "AppleWebKit/"}[session.settings.engine]
    assert agent in request.headers["User-Agent"]


async def test_e4_an_empty_page_is_read_with_the_browser_which_says_why(session: Session, site: Site) -> None:
    address = site.page("/app", SHELL)
    await session.navigate(site.page("/other", "<h1>Other</h1>"))
    fetched = (await session.web_fetch(address)).result
    assert "heated soon after picking" in fetched.text and fetched.title
    assert fetched.notes[0].startswith("Read with the browser: the page is empty until its scripts")
    tabs = (await session.tabs("list")).result.tabs
    assert [(tab.url, tab.is_current) for tab in tabs] == [(site.url("/other"), True)]
    never = (await session.web_fetch(address, browser="never")).result
    assert (
        never.text == ""
        and "although the page is empty" in never.notes[0]
        and "no text in the answer" in never.notes[1]
    )
    always = (await session.web_fetch(site.page("/tea", ARTICLE), browser="always")).result
    assert always.notes == ("Read with the browser: as asked.",) and "heated" in always.text


async def test_e4_a_check_for_robots_is_passed_by_the_browser_and_its_cookie_used_from_then_on(
    session: Session, site: Site
) -> None:
    address = site.page("/walled", CHALLENGE, status=403, headers={"cf-mitigated": "challenge"})
    site.for_cookie("cf_clearance=yes", "/walled", ARTICLE)
    fetched = (await session.web_fetch(address)).result
    assert fetched.notes == ("Read with the browser: Cloudflare checks for robots (HTTP 403 (Forbidden)).",)
    assert "heated soon after picking" in fetched.text and "Just a moment" not in str(fetched)
    agents = {request.headers["User-Agent"] for request in site.asked("/walled")}
    assert len(agents) == 1, "a clearance is bound to the user agent that got it"
    again = (await session.web_fetch(address)).result
    assert again.notes == () and "heated" in again.text, "now HTTP has the cookie too"


async def test_e4_a_check_that_stays_is_an_error_and_never_the_text(session: Session, site: Site) -> None:
    wall = "<html><head><title>Just a moment...</title></head><body>Verify you are human<script>_cf_chl_opt=1</script>"
    address = site.page("/wall", wall, status=403, headers={"cf-mitigated": "challenge"})
    # Firefox may take seconds to open a first window.
    patience = 4 if session.settings.engine == "chromium" else 15
    for use in ("auto", "never"):
        with pytest.raises(RoveError) as error:
            await session.run(parse("web_fetch", {"url": address, "browser": use}), timeout=patience)
        assert error.value.code == "blocked" and "Cloudflare (HTTP 403 (Forbidden))" in error.value.message
        assert "Verify you are human" not in error.value.message
    assert "handoff" in error.value.hint or "browser" in error.value.hint


async def test_e4_an_error_that_only_programs_get_is_read_with_the_browser(session: Session, site: Site) -> None:
    for status, path in ((403, "/forbidden"), (500, "/broken"), (406, "/unacceptable")):
        address = site.page(path, "<h1>Error</h1>", status=status)
        site.for_header("Sec-Fetch-Mode", path, ARTICLE)
        fetched = (await session.web_fetch(address)).result
        assert f"the server answered with HTTP {status}" in fetched.notes[0] and "heated" in fetched.text
    missing = site.page("/missing", "<h1>No such page</h1>", status=404)
    assert await code_of(session, missing) == "http_error"
    assert len(site.asked("/missing")) == 1, "a browser would get the same"


async def test_a_server_that_asks_to_wait_is_not_asked_again(session: Session, site: Site) -> None:
    address = site.page("/busy", "Later", status=429, headers={"Retry-After": "17"})
    with pytest.raises(RoveError) as error:
        await session.web_fetch(address)
    assert (error.value.code, error.value.retry_after) == ("http_error", 17) and len(site.asked("/busy")) == 1


async def test_cookies_go_both_ways(session: Session, site: Site) -> None:
    site.page("/set", ARTICLE, headers={"Set-Cookie": "visit=1; Path=/; HttpOnly"})
    await session.web_fetch(site.url("/set"))
    assert not has_browser_page(session)
    await session.navigate(site.page("/page", "<script>document.cookie = 'script=2; path=/'</script><h1>Page</h1>"))
    assert site.asked("/page")[0].headers["Cookie"] == "visit=1", "what HTTP got is in a context that opens later"
    await session.web_fetch(site.page("/tea", ARTICLE))
    assert site.asked("/tea")[0].headers["Cookie"] == "visit=1; script=2"
    await session.web_fetch(site.page("/gone", ARTICLE, headers={"Set-Cookie": "visit=; Path=/; Max-Age=0"}))
    await session.navigate(site.url("/page"))
    assert site.asked("/page")[1].headers["Cookie"] == "script=2"
    await session.web_fetch(site.url("/tea", "localhost"))
    assert "Cookie" not in site.asked("/tea")[1].headers, "another host gets none"


async def test_redirects_are_followed_and_each_is_refused_like_a_navigation(session: Session, site: Site) -> None:
    site.page("/tea", ARTICLE)
    moved = site.page("/moved", "", status=301, headers={"Location": "/tea"})
    assert (await session.web_fetch(moved)).result.url == site.url("/tea")
    refresh = site.page("/refresh", "<meta http-equiv=refresh content='0; url=/tea'>Moved")
    assert (await session.web_fetch(refresh)).result.url == site.url("/tea")
    assert not has_browser_page(session)
    loop = site.page("/loop", "", status=302, headers={"Location": "/loop"})
    with pytest.raises(RoveError, match="ERR_TOO_MANY_REDIRECTS"):
        await session.web_fetch(loop)
    assert len(site.asked("/loop")) == 11
    for place in (
        "http://169.254.169.254/latest/",
        "http://10.0.0.1/",
        "http://[::1]:9/",
        "file:///etc/passwd",
        "data:,x",
    ):
        with pytest.raises(RoveError) as direct:
            await session.navigate(place)
        for address in (place, site.page("/away", "", status=302, headers={"Location": place})):
            with pytest.raises(RoveError) as fetched:
                await session.web_fetch(address)
            assert (fetched.value.code, fetched.value.message) == ("denied", direct.value.message)
    assert await code_of(session, "http://user:pw@127.0.0.1/") == "invalid_arguments"
    leaking = site.page("/leaking", "", status=302, headers={"Location": f"http://user:pw@127.0.0.1:{site.port}/tea"})
    assert await code_of(session, leaking) == "denied"


async def test_kinds_of_content(session: Session, site: Site) -> None:
    async def fetch(path: str, body: str, kind: str, **headers: str):  # type: ignore[no-untyped-def]
        return (await session.web_fetch(site.page(path, body, kind=kind, headers=headers))).result

    data = await fetch("/data", '{"b": [1, {"c": "ü"}]}', "application/json")
    assert data.kind == "json" and '"c": "ü"' in data.text and "\n" in data.text
    rss = (
        "<?xml version='1.0'?><rss version='2.0'><channel><title>News</title><item><title>One &amp; two</title>"
        "<link>/one</link><pubDate>Mon, 16 Nov 2026 10:00:00 GMT</pubDate><description>&lt;b&gt;Bold&lt;/b&gt; words"
        "</description></item></channel></rss>"
    )
    feed = await fetch("/feed", rss, "application/xml")
    assert feed.kind == "feed" and feed.title == "News"
    assert feed.text.splitlines()[2:] == ["## One & two", "2026-11-16 10:00 UTC", site.url("/one"), "Bold words"]
    items = '{"version": "https://jsonfeed.org/version/1.1", "title": "J", "items": [{"url": "/a", "title": "A"}]}'
    assert site.url("/a") in (await fetch("/feed.json", items, "application/feed+json")).text
    bomb = (
        '<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaa"><!ENTITY b SYSTEM "file:///etc/passwd">]><rss>&b;</rss>'
    )
    assert "root:" not in (await fetch("/bomb", bomb, "application/rss+xml")).text
    table = await fetch("/table", "name,age\nAnn,7\n", "text/csv")
    assert (table.kind, table.text) == ("text", "name,age\nAnn,7\n")
    file = await fetch("/file", "\0\1\2", "application/zip")
    assert file.kind == "file" and "3 bytes" in file.notes[0] and file.text == ""
    latin = await fetch("/latin", ARTICLE.replace("Green", "Grün"), "text/html; charset=utf-8")
    assert latin.title == "Grün tea"
    assert not has_browser_page(session)


async def test_pictures_and_pdf_files(session: Session, site: Site) -> None:
    import io

    from PIL import Image

    output = io.BytesIO()
    Image.new("RGB", (3000, 30), "red").save(output, "PNG")
    site.file("/picture", output.getvalue(), "image/png")
    outcome = await session.web_fetch(site.url("/picture"))
    (picture,) = outcome.attachments
    assert picture.mime == "image/png" and "1568 x 16" in outcome.result.notes[0]
    site.file("/damaged", b"no picture", "image/png")
    assert (await session.web_fetch(site.url("/damaged"))).result.kind == "file"
    await session.navigate(site.page("/paper", f"<h1>Paper</h1>{TEXT}"))
    printed = (await session.pdf()).result
    from pathlib import Path

    workspace = session._engine.settings.workspace_folder
    site.file("/paper.pdf", (Path(workspace) / str(printed.path)).read_bytes(), "application/pdf")
    pdf = (await session.web_fetch(site.url("/paper.pdf"))).result
    assert pdf.kind == "pdf" and "heated soon after picking" in pdf.text and "## Page 1" in pdf.text


async def test_what_is_too_long_is_cut_and_says_so(session: Session, site: Site) -> None:
    long = site.page("/long", "words " * 10_000, kind="text/plain")
    fetched = (await session.web_fetch(long, max_characters=500)).result
    assert len(fetched.text) == 500 and "500 characters" in fetched.notes[0]
    # 60 MB in 60 kB: what is read ends at the limit of 20 MB.
    site.file("/bomb", gzip.compress(b"a" * 60_000_000), "text/plain", {"Content-Encoding": "gzip"})
    bomb = (await session.web_fetch(site.url("/bomb"), max_characters=400_000)).result
    assert len(bomb.text) == 400_000 and bomb.notes


async def test_an_answer_is_used_again_for_as_long_as_its_server_says(session: Session, site: Site) -> None:
    fresh = site.page("/fresh", ARTICLE, headers={"Cache-Control": "max-age=60"})
    await session.web_fetch(fresh)
    again = (await session.web_fetch(fresh)).result
    assert len(site.asked("/fresh")) == 1 and again.notes[0].startswith("From the cache, ") and "heated" in again.text
    tagged = site.page("/tagged", ARTICLE, headers={"ETag": '"1"'})
    await session.web_fetch(tagged)
    site.page("/tagged", "", status=304, headers={"ETag": '"1"'})
    renewed = (await session.web_fetch(tagged)).result
    assert site.asked("/tagged")[1].headers["If-None-Match"] == '"1"'
    assert "the server says that it has not changed" in renewed.notes[0] and "heated" in renewed.text
    for path, header in (("/plain", {}), ("/secret", {"Cache-Control": "no-store, max-age=60"})):
        address = site.page(path, ARTICLE, headers=header)
        assert (await session.web_fetch(address)).result.notes == (await session.web_fetch(address)).result.notes == ()
        assert len(site.asked(path)) == 2


async def test_further_pages_of_an_article_are_joined(session: Session, site: Site) -> None:
    for number in (1, 2, 3):
        text = TEXT.replace("Green", f"Part {number} of") * 5
        following = f"<a rel=next href='/tea/{number + 1}'>Next page</a>" if number < 3 else ""
        site.page(f"/tea/{number}", f"<html><head><title>Tea</title></head><body><article>{text}</article>{following}")
    one = (await session.web_fetch(site.url("/tea/1"))).result
    assert one.pages == 1 and "Part 2" not in one.text and "goes on on another page" in one.notes[-1]
    joined = (await session.web_fetch(site.url("/tea/1"), pages=5)).result
    assert joined.pages == 3 and "Part 3 of tea" in joined.text and "3 pages" in joined.notes[-1]


async def test_a_page_that_is_read_leaves_no_tab_popup_or_dialog(session: Session, site: Site) -> None:
    script = (
        "<script>alert('Hello'); window.open('/popup'); confirm('Really?'); onbeforeunload = () => 'Stay';</script>"
    )
    address = site.page("/noisy", SHELL.replace("<script>", f"{script}<script>", 1))
    await session.navigate(site.page("/other", "<h1>Other</h1>"))
    fetched = (await session.web_fetch(address)).result
    assert "heated" in fetched.text
    outcome = await session.tabs("list")
    assert [tab.url for tab in outcome.result.tabs] == [site.url("/other")]
    assert len(session._engine._context.tabs) == 1  # type: ignore[union-attr]


async def test_a_cancelled_call_closes_its_connection(session: Session) -> None:
    server = socket.create_server(("127.0.0.1", 0))
    asked, closed = threading.Event(), threading.Event()

    def serve() -> None:
        connection, _ = server.accept()
        connection.recv(65536)
        asked.set()
        connection.settimeout(20)
        if connection.recv(1) == b"":
            closed.set()

    threading.Thread(target=serve, daemon=True).start()
    call = asyncio.ensure_future(session.web_fetch(f"http://127.0.0.1:{server.getsockname()[1]}/"))
    await asyncio.to_thread(asked.wait, 20)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await asyncio.to_thread(closed.wait, 10)
    server.close()


async def test_failures_have_the_words_of_navigations(session: Session, site: Site, unused_port: int) -> None:
    refused = f"http://127.0.0.1:{unused_port}/"
    messages: list[str] = []
    for verb in ("navigate", "web_fetch"):
        with pytest.raises(RoveError) as error:
            await session.run(parse(verb, {"url": refused}))
        messages.append(error.value.message)
    assert messages[0] == messages[1]
    held = threading.Event()
    slow = site.page("/slow", "late", hold=held)
    with pytest.raises(RoveError) as late:
        await session.run(parse("web_fetch", {"url": slow}), timeout=1)
    held.set()
    assert late.value.code == "deadline_exceeded"
