"""What readable text says of text that looks different: struck through, partly covered, nested deeply."""

from __future__ import annotations

import pytest
from tests.site import Site

from rove import Session
from rove.actions.readable_text import ReadableText
from rove.errors import InvalidArguments

pytestmark = pytest.mark.one_session

SENTENCE = "A sentence with some words in it, and a comma, so that it reads like a part of an article. "
LONG = SENTENCE * 6


async def read(session: Session, url: str) -> ReadableText:
    await session.navigate(url)
    result = (await session.extract(mode="readable")).result
    assert isinstance(result, ReadableText)
    return result


async def test_a_line_through_text_and_hints_for_screen_readers_do_not_change_what_is_read(
    session: Session, site: Site
) -> None:
    strike = "style='text-decoration: line-through'"
    prices = f"Now <span {strike}>$50</span> $40, not <span {strike}>$1 <b>and</b> $2</span>."
    hidden = "<p aria-hidden=true>SEEN a line that a person sees.</p>"
    result = await read(session, site.page("/", f"<article><p>{LONG}{prices}</p>{hidden}<p>{LONG}</p></article>"))
    text = result.content[0] or ""
    assert "Now ~~$50~~ $40, not ~~$1 **and** $2~~." in text
    assert "SEEN a line that a person sees." in text


async def test_paragraphs_that_a_box_covers_in_part_are_kept_and_marked(session: Session, site: Site) -> None:
    paragraphs = "".join(f"<p>P{number} {LONG}</p>" for number in range(12))
    box = "<div style='position: absolute; left: 20%; top: 20%; width: 60%; height: 50%; background: white'>Yes?</div>"
    layer = f"<div style='position: fixed; inset: 0; background: rgba(0, 0, 0, 0.5)'>{box}</div>"
    result = await read(session, site.page("/", f"<article>{paragraphs}</article>{layer}"))
    lines = (result.content[0] or "").split("\n\n")
    assert [line.split()[0] for line in lines] == [f"P{number}" for number in range(12)]
    marked = [line for line in lines if line.endswith("(partly invisible: covered)")]
    assert 0 < len(marked) < 12 and not any("partly" in line for line in result.unseen)


async def test_deeply_nested_text_is_read_or_said_to_be_missing(session: Session, site: Site) -> None:
    deep = f"{'<div>' * 600}<p>DEEP {LONG}</p>{'</div>' * 600}"
    result = await read(session, site.page("/", deep))
    assert "DEEP" in (result.content[0] or "") and not result.is_cut
    nesting = "let inner = document.body; for (let n = 0; n < 900; n++) inner = inner.appendChild("
    nesting += "document.createElement('div')); inner.textContent = 'DEEPER'"
    result = await read(session, site.page("/", f"<article><p>{LONG}</p></article><script>{nesting}</script>"))
    assert result.is_cut


async def test_a_long_list_is_not_said_to_be_cut(session: Session, site: Site) -> None:
    items = f"<li>An item of a list. {SENTENCE}</li>" * 3000
    await session.navigate(site.page("/", f"<article><p>{LONG}</p><ul>{items}</ul></article>"))
    result = (await session.extract(mode="readable", max_characters=2_000_000)).result
    assert isinstance(result, ReadableText) and not result.is_cut


async def test_a_page_of_fields_is_not_said_to_be_empty(session: Session, site: Site) -> None:
    result = await read(session, site.page("/", "<p><textarea>area text</textarea></p><select><option>One</select>"))
    (passage,) = result.passages("http://page.example")
    assert "fields" in passage.text and passage.origin is None


async def test_removed_characters_are_counted_and_unused_arguments_refused(session: Session, site: Site) -> None:
    result = await read(session, site.page("/", f"<article><p>In\u200bvisi\u200bble {LONG}</p></article>"))
    assert (
        "Invisible" in (result.content[0] or "") and "2 invisible characters were removed from the text." in result.note
    )
    unused = [
        ("readable", "csv", "x.csv"),
        ("readable", "all", True),
        ("readable", "target", "p"),
        ("html", "pages", 2),
    ]
    for mode, name, value in [*unused, ("text", "schema", {"rows": "p"}), ("text", "format", "html")]:
        with pytest.raises(InvalidArguments, match=f"`{name}`"):
            await session.extract(mode=mode, **{name: value})  # type: ignore[arg-type]
