"""What an action sends or opens, in words for the person who is asked. Texts of the page are cleaned and quoted."""

from __future__ import annotations

import json
from collections.abc import Iterator

from rove.browser.consequences import SHORT_DIGEST, Consequence, SentField
from rove.guard.hosts.origins import origin_text
from rove.guard.hosts.unicode_hosts import described_hosts
from rove.guard.policy.approval import ApprovalRequest
from rove.render.cleaning import visible, visible_line

LONGEST_URL = 1000
HOST = "Host"
NOTE = "Not known"
_OWN_FRAME = ("", "_self")


def consequence_facts(request: ApprovalRequest) -> Iterator[tuple[str, str]]:
    """Yield a name in rove's words and a text for each thing that an action sends or opens, then what is not known.

    Hosts that may look like others come first.
    """
    for host in described_hosts((*request.origins, *(each.url for each in request.consequences))):
        yield HOST, visible(host)
    for secret in request.secrets:
        yield "Secret", f"{_quoted(secret)} is typed there; its value is not shown"
    for each in request.consequences:
        yield from _facts(each)
    if request.note:
        yield NOTE, request.note


def _facts(each: Consequence) -> Iterator[tuple[str, str]]:
    if each.kind == "file":
        yield "File", f"{_quoted(each.name)}, {each.size:,} bytes, SHA-256 {each.sha256[:SHORT_DIGEST]}…"
    elif each.kind == "script":
        yield "Runs the script of a link", visible_line(each.name, LONGEST_URL)
    elif each.kind == "went":
        yield "The page went elsewhere and was stopped", f"{each.method} {_url(each)}"
    elif each.kind == "link":
        yield "Opens", _url(each) + _where(each)
    elif each.kind == "form":
        encoding = f" as {each.encoding}" if each.encoding else ""
        yield "Sends a form", f"{each.method} {_url(each)}{encoding}{_where(each)}"
        yield "Fields", ", ".join(_field(field) for field in each.fields) + _more(each) or "none"


def _url(each: Consequence) -> str:
    """Write a URL, and its origin after one with a user name, which may look like another host."""
    origin = f" (at {origin_text(each.url)})" if "@" in each.url else ""
    return visible_line(each.url, LONGEST_URL) + origin


def _where(each: Consequence) -> str:
    if each.target.lower() in _OWN_FRAME:
        return ""
    return ", in a new tab" if each.target.lower() == "_blank" else f", in the frame or window {_quoted(each.target)}"


def _field(field: SentField) -> str:
    return f"{_quoted(field.name)}: {'(not shown)' if field.value is None else _quoted(field.value)}"


def _more(each: Consequence) -> str:
    return f" and {each.more_fields} more" if each.more_fields else ""


def _quoted(text: str) -> str:
    return f"{visible(json.dumps(text, ensure_ascii=False))}"
