"""A server cannot hold rove up: hostile answers are read in little time, and never on the event loop."""

from __future__ import annotations

import asyncio
import json
import time

import pytest
from tests.site import Site

from rove import RoveError, Session
from rove.content.http.feeds import read_feed

pytestmark = pytest.mark.one_session

COMMENTS = "<!---->" * 285
REFRESH = f"<meta http-equiv=refresh content=\"0;{' ' * 300}'''x\">"
FEED = json.dumps({"version": "https://jsonfeed.org/version/1.1", "title": "<" * 300_000, "items": []})
RSS = f"<rss version='2.0'><channel><title>x</title><item><title>{'&lt;' * 100_000}</title></item></channel></rss>"
WALL = f"<!--{'ips.js?' * 28_000}-->"
ANSWERS = {
    "comments": (COMMENTS, "text/plain", 200),
    "refresh": (REFRESH, "text/html", 200),
    "seconds": ("<meta http-equiv=refresh content='1.2.3;url=/comments'>", "text/html", 200),
    "JSON feed": (FEED, "application/feed+json", 200),
    "RSS feed": (RSS, "application/rss+xml", 200),
    "rule": (f"<style>{'a' * 490_000}</style><p>Tea", "text/html", 200),
    "at-rule": (f"<style>{'@a' * 240_000}</style><p>Tea", "text/html", 200),
    "comment": (f"<style>{'/*' * 240_000}</style><p>Tea", "text/html", 200),
    "wall": (WALL, "text/html", 403),
    "title": (f"<title>a{' ' * 50_000}b</title><p>Tea", "text/html", 200),
}
# The most that rove may work while the event loop waits: the interpreter changes between threads many times within it.
# In seconds of the processor, which other programs do not change.
LONGEST_PAUSE = 1.0


async def _longest_pause(stop: asyncio.Event) -> float:
    longest = 0.0
    while not stop.is_set():
        began = time.process_time()
        await asyncio.sleep(0.01)
        longest = max(longest, time.process_time() - began)
    return longest


@pytest.mark.parametrize("name", ANSWERS)
async def test_other_sessions_are_answered_while_a_hostile_answer_is_read(
    session: Session, site: Site, name: str
) -> None:
    body, kind, status = ANSWERS[name]
    site.page("/comments", COMMENTS, kind="text/plain")
    address = site.page("/hostile", body, status=status, kind=kind)
    stop = asyncio.Event()
    watching = asyncio.create_task(_longest_pause(stop))
    try:
        await session.web_fetch(address, browser="never")
    except RoveError as error:
        assert name == "wall" and error.code == "http_error"
    stop.set()
    assert await watching < LONGEST_PAUSE


def test_a_feed_that_defines_entities_is_not_read_in_any_encoding() -> None:
    feed = '<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "b">]><rss version="2.0"><channel><title>&a;'
    for encoding in ("utf-8", "utf-16", "utf-16-le", "utf-16-be"):
        assert read_feed(feed.encode(encoding), "application/rss+xml", "http://127.0.0.1/") is None, encoding
