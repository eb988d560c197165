"""What servers and pages write: headers, cookies, robots.txt, feeds and HTML; and targets of actions."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Mapping

from rove.content.http.answer import Headers, HttpAnswer, lower_case, seconds_to_wait, text_of
from rove.content.http.browser_needed import page_facts
from rove.content.http.client import HttpCache
from rove.content.http.cookies import accepted_cookies, cookie_header, site_of
from rove.content.http.feeds import is_feed, read_feed
from rove.content.http.robots import Robots
from rove.target import parse_target

URL = "https://shop.example.co.uk/a/b"
HEADERS = (
    b"Content-Type: text/html; charset=utf-7",
    b"Content-Type: application/rss+xml",
    b"Content-Type: ;;charset=\xff",
    b"Set-Cookie: a=b; Path=/a; Max-Age=5; Secure; HttpOnly; SameSite=None; Partitioned",
    b"Set-Cookie: =; Domain=.co.uk; Expires=Thu, 01 Jan 99999 00:00:00 GMT",
    b"Set-Cookie: __Host-a=b; Domain=example.co.uk; Max-Age=\xb2",
    b"Set-Cookie: a=b; Max-Age=-99999999999999999999",
    b"Set-Cookie: a; Domain=shop.example.co.uk; Max-Age=0",
    b'Cache-Control: max-age=60, no-cache="x"',
    b"Cache-Control: max-age=\xb2",
    b"Age: \xb9",
    b"Age: " + b"9" * 400,
    b"Date: Thu, 01 Jan 1970 00:00:00 GMT",
    b"Expires: 0",
    b"Date: Mon, 99 Foo -1 25:61:61 +99999",
    b"Vary: *",
    b"Vary: Accept, Cookie",
    b'ETag: W/"x"',
    b"Retry-After: 120",
    b"Retry-After: \xb3",
    b"Location: //\xff\\@x",
)
BODIES = (
    b"User-agent: *\nDisallow: /a*$\nAllow: /\nCrawl-delay: x\n\x00",
    b"User-agent: *\nDisallow: /" + b"*" * 200 + b"b$",
    b"<rss><channel><title>t</title><item><link>x</link><pubDate>?</pubDate></item></channel></rss>",
    b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><title type='xhtml'><a/></title></entry></feed>",
    b"<!DOCTYPE a [<!ENTITY x 'y'><!ENTITY z '&x;&x;'>]><rss>&z;</rss>",
    b"<meta charset=utf-16><meta http-equiv=refresh content='0;url=//x\\'><base href='http://['>",
    b"<html><body><div id=root></div><noscript>enable</noscript><script>x</script><iframe src=x>",
    b'{"version":"https://jsonfeed.org/version/1","items":[{"id":1,"url":null,"title":[]}]}',
    b"\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00",
    b"\x1b$B\xa4",
)


class FetchedTexts:
    """An answer that `web_fetch` reads: headers, an empty line and a body."""

    name = "fetched_texts"
    tokens = (
        *(b"\n" + header for header in HEADERS),
        *BODIES,
        b"; Max-Age=",
        b"; Expires=",
        b"; Domain=",
        b"&#xD800;",
        b"<![CDATA[",
        b"<a href='http://[::'>",
    )
    accepted: Mapping[str, str] = {}

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()

    def generate(self, choose: random.Random) -> bytes:
        headers = [choose.choice(HEADERS) for _ in range(choose.randrange(6))]
        return b"\n".join(headers) + b"\n\n" + choose.choice(BODIES)

    def check(self, data: bytes) -> set[str]:
        head, _, body = data.partition(b"\n\n")
        answer = HttpAnswer(URL, 200, _headers(head), body)
        _check_headers(answer)
        text = text_of(answer)
        text.encode("utf-8")
        page_facts(text, URL)
        if is_feed(answer.media_type, body):
            read_feed(body, answer.headers.get("content-type"), URL)

        async def fetched(_: str) -> HttpAnswer:
            return answer

        self._loop.run_until_complete(Robots().refusal(URL, fetched))
        return set()


def _headers(head: bytes) -> Headers:
    pairs = (line.partition(b":") for line in head.split(b"\n"))
    return lower_case([(name.strip(), value.strip()) for name, colon, value in pairs if colon])


def _check_headers(answer: HttpAnswer) -> None:
    cookies = accepted_cookies(answer.headers.all("set-cookie"), URL, time.time())
    for cookie in cookies:
        domain = str(cookie["domain"])
        assert domain.lstrip(".") in ("shop.example.co.uk", "example.co.uk"), f"a cookie of {domain}"
    sent = cookie_header(cookies, URL, is_cross_site=False, now=time.time())
    assert not set(sent) & set("\r\n\0"), "a cookie adds a header"
    assert site_of(URL) == "https://example.co.uk"
    cache = HttpCache(10**6)
    cache.keep(answer, {}, time.time())
    if stored := cache.find(URL, {}):
        stored.is_fresh(time.time())
    seconds_to_wait(answer.headers.get("retry-after"), time.time())
    _ = answer.location


PARTS = (
    "e12",
    "f2e3",
    "aria-ref=f1e2",
    "[e1]",
    "@e5",
    "10.5, 20",
    'button "Save"',
    'button ~"Sa\\"ve" [disabled]',
    '- link label="x" [e4]:',
    "getByRole('button', { name: 'Save' })",
    "page.getByText(/a+b/i).first()",
    "locator('css=a >> text=b').nth(-1)",
    'internal:role=button[name="x"i]',
    "#id > .a:first",
    ":first",
    "xpath=//a[",
    ">>",
    'text="a',
)


class PageTargets:
    """The parser of targets: a text is a target, or is refused with ValueError, in a time that its length bounds."""

    name = "page_targets"
    tokens = (
        *(part.encode() for part in PARTS),
        b"(",
        b")",
        b"{",
        b"}",
        b"/",
        b"\\",
        b'"',
        b"'",
        b"getBy",
        b".",
        b"(" * 2000,
        b"\\" * 2000,
    )
    accepted: Mapping[str, str] = {}

    def generate(self, choose: random.Random) -> bytes:
        return (
            choose.choice(("", " ", " >> ", "."))
            .join(choose.choice(PARTS) for _ in range(choose.randint(1, 3)))
            .encode()
        )

    def check(self, data: bytes) -> set[str]:
        started = time.process_time()
        try:
            parse_target(data.decode("utf-8", "replace"))
        except ValueError:
            return set()
        # Thirty times as long as the slowest input of this length takes.
        assert time.process_time() - started < 3, "parsing takes long"
        return set()
