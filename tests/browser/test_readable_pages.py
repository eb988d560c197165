"""Articles over several pages of which one cannot be read: what was read before is told, with the reason."""

from __future__ import annotations

import threading

import pytest
from tests.site import Site

from rove import Session
from rove.actions import readable_text
from rove.actions.readable_text import ReadableText

SENTENCE = "A sentence with some words in it, and a comma, so that it reads like a part of an article. "


async def read(session: Session, site: Site) -> ReadableText:
    first = site.page("/story", f"<article><p>Part 1. {SENTENCE * 6}</p></article><a rel=next href=/story/2>Next</a>")
    await session.navigate(first)
    outcome = await session.extract(mode="readable", pages=3)
    assert isinstance(outcome.result, ReadableText) and outcome.url == first
    assert outcome.result.pages == 1 and "Part 1." in (outcome.result.content[0] or "")
    return outcome.result


async def test_an_error_page_is_no_part_of_an_article(session: Session, site: Site) -> None:
    site.page("/story/2", "nope", status=404, kind="text/plain")
    result = await read(session, site)
    assert "nope" not in (result.content[0] or "") and "HTTP 404" in result.note


async def test_a_page_that_never_answers_does_not_lose_the_pages_before(
    session: Session, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readable_text, "LOAD_SECONDS", 0.5)
    site.page("/story/2", "late", hold=threading.Event())
    result = await read(session, site)
    assert "Page 2 did not answer in time" in result.note and "back at the first page" not in result.note
