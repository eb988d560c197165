"""The readable text of a page in a real browser: what a person sees, in frames and shadow trees too."""

from __future__ import annotations

import pytest
from tests.site import Site

from rove import Session
from rove.actions.readable_text import ReadableText
from rove.toolsets.outcome_text import as_text

pytestmark = pytest.mark.one_session

SENTENCE = "A sentence with some words in it, and a comma, so that it reads like a part of an article. "


async def read(session: Session, url: str, **arguments: object) -> ReadableText:
    await session.navigate(url)
    result = (await session.extract(mode="readable", **arguments)).result  # type: ignore[arg-type]
    assert isinstance(result, ReadableText)
    return result


async def test_readable_text_is_what_a_person_sees(session: Session, site: Site) -> None:
    hidden = ["opacity: 0", "display: none", "color: white; background: white", "position: absolute; left: -9999px"]
    parts = "".join(f"<p style='{style}'>unseen {number}</p>" for number, style in enumerate(hidden))
    shadow = "<tea-cup></tea-cup><script>customElements.define('tea-cup', class extends HTMLElement {"
    shadow += "constructor() { super(); this.attachShadow({ mode: 'closed' }).innerHTML = "
    shadow += f"'<p>In a shadow tree: {SENTENCE}</p>' }} }})"
    frame = f"<iframe srcdoc='<p>In a frame: {SENTENCE}'></iframe>"
    page = f"<nav><a href=/x>Menu</a></nav><article><h1>T</h1><p>{SENTENCE * 5}<a href=/l>link</a></p>{parts}{shadow}"
    result = await read(session, site.page("/", f"{page}</script>{frame}<script>later = 'code'</script></article>"))
    text = result.content[0] or ""
    assert "In a shadow tree" in text and "In a frame" in text and "[link][1]" in text
    assert "unseen" not in text and "Menu" not in text and "code" not in text
    assert (result.addresses["1"], result.unseen_count) == (site.url("/l"), 3)
    assert '"unseen 0" (invisible: transparent)' in result.unseen


async def test_a_frame_of_another_origin_is_told_as_its_own(session: Session, site: Site) -> None:
    inner = site.page("/inner", f"<title>I</title><p>inside: {SENTENCE * 5}</p>").replace("127.0.0.1", "localhost")
    await session.navigate(site.page("/", f"<article><p>{SENTENCE * 6}</p></article><iframe src='{inner}'></iframe>"))
    outcome = await session.extract(mode="readable", format="text")
    passages = list(outcome.result.passages("http://page.example"))
    (foreign,) = [passage for passage in passages if "inside:" in passage.text]
    assert foreign.origin is not None and "localhost" in foreign.origin


async def test_facts_and_addresses_are_told_as_the_pages(session: Session, site: Site) -> None:
    page = (
        f"<title>Tea</title><meta name=author content='Jane'><article><p>{SENTENCE * 6}<a href=/l>l</a></p></article>"
    )
    await session.navigate(site.page("/", page))
    told = as_text(await session.extract(mode="readable"))
    assert "Title: Tea\nBy: Jane" in told and f"[1]: {site.url('/l')}" in told
    own = told.split("<untrusted", 1)[0]
    assert "Tea" not in own and "A sentence" not in own


async def test_pages_of_an_article_are_joined_and_the_tab_returns(session: Session, site: Site) -> None:
    for number, path in enumerate(("/story", "/story/2", "/story/3"), 1):
        following = f"<a rel=next href='/story/{number + 1}'>Next</a>" if number < 3 else ""
        site.page(path, f"<article><p>Part {number}. {SENTENCE * 6}</p></article>{following}")
    first = site.url("/story")
    result = await read(session, first, pages=5)
    text = result.content[0] or ""
    assert [f"Part {number}." in text for number in (1, 2, 3)] == [True] * 3 and result.pages == 3
    assert (await session.extract()).url == first
    assert "back at the first page" in result.note
    assert (await read(session, first)).pages == 1


async def test_text_that_css_generates_is_read_if_it_is_seen(session: Session, site: Site) -> None:
    style = (
        ".a::before { content: 'Warning: ' } .a::after { content: ' <b>(end)' }"
        " .b::before { content: 'UNSEEN'; opacity: 0 } .c::after { content: 'UNSEEN'; color: #fff }"
        " .d { counter-increment: step } .d::before { content: 'Step ' counter(step) ': ' }"
    )
    page = f"<style>{style}</style><article><p>{SENTENCE * 6}</p><p class=a>{SENTENCE}</p><p class=b>{SENTENCE}</p>"
    page += f"<p class=c>{SENTENCE}</p><p class=d>{SENTENCE}</p><p class=d>{SENTENCE}</p>"
    page += f"<p>He said: <q>yes</q>. {SENTENCE}</p></article>"
    result = await read(session, site.page("/", page), format="text")
    text = result.content[0] or ""
    assert "Warning: A sentence" in text and "<b>(end)" in text and "UNSEEN" not in text
    assert "Step 1: A sentence" in text and "Step 2: A sentence" in text and "“yes”" in text
    assert result.unseen_count == 2


@pytest.mark.parametrize("format", ["text", "markdown", "html"])
async def test_a_page_without_an_article_is_not_empty(session: Session, site: Site, format: str) -> None:
    result = await read(session, site.page("/", "<button>Only a button</button><p>word</p>"), format=format)
    assert "word" in (result.content[0] or "")
