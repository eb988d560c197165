"""Whether an answer over HTTP is the page, or the browser has to be asked for it."""

from __future__ import annotations

import time

from rove.fetching.feeds import is_feed
from rove.fetching.http.answer import HttpAnswer, seconds_to_wait, status_text
from rove.fetching.http.charset import text_of
from rove.fetching.page_facts import PageFacts, page_facts
from rove.fetching.signs.bot_walls import find_wall
from rove.fetching.signs.empty_pages import find_emptiness
from rove.validation.record import dataclass

# Error statuses that a server may give to programs alone. Others, such as 404, a browser would get too.
MAY_DIFFER = frozenset({401, 403, 405, 406, 408, 418, 429, 444, 999, *range(500, 600)})
HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
SNIFFED = 512


@dataclass(frozen=True)
class Escalation:
    """Why the browser is needed. `wall`: the product that checks for robots, if one does."""

    reason: str
    wall: str = ""


def is_html(answer: HttpAnswer) -> bool:
    """Whether an answer is HTML, by its type or, where the server names none, by its beginning; a feed never is."""
    if answer.media_type:
        return answer.media_type in HTML_TYPES and not is_feed(answer.media_type, answer.body)
    start = answer.body[:SNIFFED].lstrip().lower()
    return start.startswith((b"<!doctype html", b"<html", b"<head", b"<body"))


def find_escalation(answer: HttpAnswer) -> Escalation | None:
    """Return why an answer should be read with the browser; None if it is good as it is."""
    html = text_of(answer) if is_html(answer) else ""
    facts = page_facts(html, answer.url) if html else PageFacts()
    if wall := find_wall(answer.status, answer.headers, html, facts):
        return Escalation(f"{wall} checks for robots ({status_text(answer.status)})", wall)
    if html and (emptiness := find_emptiness(facts)):
        return Escalation(emptiness)
    if answer.status in MAY_DIFFER and not _asks_to_wait(answer) and not _asks_for_password(answer):
        return Escalation(f"the server answered with {status_text(answer.status)}")
    return None


def retry_after(answer: HttpAnswer) -> float | None:
    """Return the seconds after which the server wants to be asked again; None if it does not say."""
    return seconds_to_wait(answer.headers.get("retry-after"), time.time())


def _asks_to_wait(answer: HttpAnswer) -> bool:
    return answer.status in (429, 503) and bool(retry_after(answer))


def _asks_for_password(answer: HttpAnswer) -> bool:
    return answer.status == 401 and "www-authenticate" in answer.headers
