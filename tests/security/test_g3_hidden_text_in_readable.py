"""G3: Readable text leaves out what a person does not see, or marks it, and keeps what a person sees."""

from __future__ import annotations

import pytest
from tests.browser.snapshot.test_unseen import HIDDEN, TRICKS
from tests.browser.snapshot.test_unseen import page as trick_page
from tests.security.test_g3_hidden_text import HIDDEN_PAGES, VISIBLE_PAGES, with_word
from tests.site import Site

from rove import Session
from rove.actions.readable_text import ReadableText

pytestmark = pytest.mark.one_session

# What a person could enter or choose is no part of an article.
CONTROLS = ("<select", "<input", "<button", "<textarea", "<datalist", "<meter", "<progress")
# A person sees these; a snapshot marks them for another reason.
SEEN_THOUGH_MARKED = ("<div inert>", "<div aria-hidden=true>")
SAMPLE = 8
MARK = "(partly invisible: covered)"
SEEN = [page for page in TRICKS["seen"] if not any(tag in page for tag in CONTROLS)]
PAGES = [page for page in VISIBLE_PAGES.values() if not any(tag in page for tag in CONTROLS)]


async def readable(session: Session, address: str) -> str:
    await session.navigate(address)
    result = (await session.extract(mode="readable", format="text")).result
    assert isinstance(result, ReadableText)
    return "\n".join(text or "" for text in result.content)


async def told_in(session: Session, site: Site, pages: list[str]) -> list[str]:
    """Return the pages of which a word is told without a mark."""
    texts = [(page, await readable(session, site.page("/", page))) for page in pages]
    return [page for page, text in texts if "CANARY" in text and MARK not in text]


def hidden_pages() -> list[str]:
    tricks = [trick for trick in HIDDEN if not trick.startswith(SEEN_THOUGH_MARKED)]
    return [trick_page(trick, "CANARY") for trick in tricks] + [
        with_word(page, "CANARY") for page in HIDDEN_PAGES.values()
    ]


def seen_pages() -> list[str]:
    return [trick_page(trick, "CANARY") for trick in SEEN] + [with_word(page, "CANARY") for page in PAGES]


async def test_g3_hidden_text_is_left_out(session: Session, site: Site) -> None:
    pages = hidden_pages()
    assert await told_in(session, site, pages[:: len(pages) // SAMPLE]) == []


async def test_g3_seen_text_is_kept(session: Session, site: Site) -> None:
    pages = seen_pages()[:: len(seen_pages()) // SAMPLE]
    assert await told_in(session, site, pages) == pages


@pytest.mark.slow
async def test_g3_all_hidden_text_is_left_out(session: Session, site: Site) -> None:
    assert await told_in(session, site, hidden_pages()) == []


@pytest.mark.slow
async def test_g3_all_seen_text_is_kept(session: Session, site: Site) -> None:
    pages = seen_pages()
    assert await told_in(session, site, pages) == pages
