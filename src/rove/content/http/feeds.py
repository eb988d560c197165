"""Feeds (RSS, Atom, JSON Feed) as text: the title, link, date and summary of each entry."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urljoin

from rove.records import dataclass

FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml"})
MOST_ENTRIES = 50
LONGEST_SUMMARY = 400
# Of the HTML of one entry, which only its beginning is told of.
LONGEST_HTML = 50_000
# The first element of a feed, after declarations and comments. Atomic: a comment ends at its first end.
_ROOT = re.compile(
    rb"^(?:\xef\xbb\xbf)?\s*+(?>(?:<\?[^>]*+>|<!--.{0,1000}?-->|<!DOCTYPE[^>\[]*+>)\s*+){0,8}+"
    rb"<(?:\w{1,20}:)?(rss|feed|rdf)\b",
    re.IGNORECASE | re.DOTALL,
)
_ENTITIES = re.compile(rb"<!ENTITY", re.IGNORECASE)
_JSON_FEED = re.compile(r"https?://(?:www\.)?jsonfeed\.org/version/")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class FeedEntry:
    title: str
    link: str
    date: str
    summary: str


@dataclass(frozen=True)
class Feed:
    title: str
    link: str
    entries: tuple[FeedEntry, ...]
    # How many there are in all.
    count: int

    def __str__(self) -> str:
        left_out = (
            [f"({self.count - len(self.entries)} older entries left out)"] if self.count > len(self.entries) else []
        )
        return "\n\n".join([f"# {self.title or 'Feed'}", *(_told(entry) for entry in self.entries), *left_out])


def is_feed(media_type: str, body: bytes) -> bool:
    """Whether an answer is a feed, by the type that the server names or by its beginning."""
    return media_type in FEED_TYPES or _ROOT.match(body[:2000]) is not None


def read_feed(body: bytes, content_type: str, url: str) -> Feed | None:
    """Read an RSS or Atom feed; None if it is none. Entities are not expanded, nothing else is loaded."""
    # A document that defines entities could grow without end.
    # Zero bytes are left out, as in UTF-16 there is one beside each letter.
    if _ENTITIES.search(body.replace(b"\0", b"")):
        return None
    import feedparser  # type: ignore[import-untyped]

    headers = {"content-type": content_type, "content-location": url}
    try:
        # A stream, as a text would be taken for an address or a file to open.
        read = feedparser.parse(io.BytesIO(body), response_headers=headers, sanitize_html=False)
    except (ValueError, OverflowError, RecursionError):  # such as a reference to a character that there is not
        return None
    if not read.get("version") and not read["entries"]:
        return None
    feed = read["feed"]
    entries = tuple(_entry(each, url) for each in read["entries"][:MOST_ENTRIES])
    return Feed(_plain(feed.get("title", "")), _absolute(url, feed.get("link", "")), entries, len(read["entries"]))


def read_json_feed(data: Any, url: str) -> Feed | None:
    """Read a JSON Feed; None if the data is none."""
    if not isinstance(data, dict) or not _JSON_FEED.match(str(data.get("version", ""))):
        return None
    items = [item for item in data.get("items") or () if isinstance(item, dict)]
    entries = tuple(_json_entry(item, url) for item in items[:MOST_ENTRIES])
    return Feed(_plain(data.get("title")), _absolute(url, data.get("home_page_url")), entries, len(items))


def _entry(entry: Mapping[str, Any], url: str) -> FeedEntry:
    moment = entry.get("published_parsed") or entry.get("updated_parsed")
    date = time.strftime("%Y-%m-%d %H:%M UTC", moment) if moment else str(entry.get("published", ""))
    summary = entry.get("summary") or next((part.get("value") for part in entry.get("content", ())), "")
    return FeedEntry(_plain(entry.get("title")), _absolute(url, entry.get("link")), _plain(date), _plain(summary))


def _json_entry(item: Mapping[str, Any], url: str) -> FeedEntry:
    summary = item.get("summary") or item.get("content_text") or item.get("content_html")
    date = str(item.get("date_published") or item.get("date_modified") or "")
    return FeedEntry(_plain(item.get("title")), _absolute(url, item.get("url")), _plain(date), _plain(summary))


def _told(entry: FeedEntry) -> str:
    return "\n".join(_lines(entry))


def _lines(entry: FeedEntry) -> Iterator[str]:
    yield f"## {entry.title or entry.link or '(without a title)'}"
    yield from (line for line in (entry.date, entry.link) if line)
    if entry.summary:
        cut = "…" if len(entry.summary) > LONGEST_SUMMARY else ""
        yield entry.summary[:LONGEST_SUMMARY] + cut


def _plain(text: object) -> str:
    """Return the words of a text that may be HTML, on one line, without those that its markup hides."""
    from html import unescape

    written = str(text or "")[:LONGEST_HTML]
    return _SPACE.sub(" ", _shown_words(written) if "<" in written else unescape(written)).strip()


def _shown_words(html: str) -> str:
    from rove.content.html_document import body_of, drop_hidden, parse_document

    document = parse_document(html).root
    drop_hidden(document)
    return " ".join(str(part) for part in body_of(document).itertext())


def _absolute(url: str, address: object) -> str:
    """Return an address of the web in full; nothing for others."""
    try:
        joined = urljoin(url, str(address or "").strip()) if address else ""
    except ValueError:
        return ""
    return joined if joined.startswith(("http://", "https://")) else ""
