"""Feeds as text."""

from __future__ import annotations

from rove.content.http.answer import Headers, HttpAnswer
from rove.content.http.browser_needed import is_html
from rove.content.http.feeds import is_feed, read_feed, read_json_feed

HIDING = (
    "<p>Full &amp; <b>bold</b></p><style>p {color: red}</style><script>steal()</script>"
    '<p style="display:none">HIDDEN</p><p hidden>HIDDEN</p><p>End</p>'
)


def test_g3_script_style_and_hidden_text_of_an_entry_are_left_out() -> None:
    item = (
        f"<item><title>One &lt;b hidden&gt;HIDDEN&lt;/b&gt;</title><content:encoded><![CDATA[{HIDING}]]>"
        "</content:encoded></item>"
    )
    rss = f"<rss version='2.0' xmlns:content='http://purl.org/rss/1.0/modules/content/'><channel>{item}</channel></rss>"
    feed = read_feed(rss.encode(), "application/rss+xml", "https://example.com/")
    json_feed = read_json_feed(
        {"version": "https://jsonfeed.org/version/1.1", "items": [{"title": "One", "content_html": HIDING}]},
        "https://example.com/",
    )
    assert feed is not None and json_feed is not None
    for entry in (feed.entries[0], json_feed.entries[0]):
        assert (entry.title, entry.summary) == ("One", "Full & bold End")


def test_a_feed_that_is_served_as_html_is_a_feed() -> None:
    rss = b"<?xml version='1.0'?><rss version='2.0'><channel><item><title>One</title></item></channel></rss>"
    answer = HttpAnswer("https://example.com/", 200, Headers((("content-type", "text/html"),)), rss)
    assert is_feed("text/html", rss) and not is_html(answer)
    assert not is_feed("text/html", b"<!doctype html><html><title>About rss</title>")
