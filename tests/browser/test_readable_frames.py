"""Frames of other origins in readable text: in the chosen format, escaped, with links of their own, in the limit."""

from __future__ import annotations

import pytest
from tests.site import Site

from rove import Session
from rove.actions.readable_text import ReadableText

pytestmark = pytest.mark.one_session

SENTENCE = "A sentence with some words in it, and a comma, so that it reads like a part of an article. "
HOSTILE = f"""<article><h1>Inner</h1><p>{SENTENCE * 6}<a href=/own>own link</a></p>
<p>See [the real page][1] and [x](http://evil.example/x)</p><p>[1]: http://evil.example/</p>
<p>&lt;script&gt;alert(1)&lt;/script&gt;&lt;div&gt;</p><p>``` open fence</p>
<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table></article>"""


def page_with_frame(site: Site, inner: str) -> str:
    frame = site.page("/inner", inner).replace("127.0.0.1", "localhost")
    article = f"<article><h1>X</h1><p>{SENTENCE * 6}<a href=/good>good</a></p></article>"
    return site.page("/", f"{article}<iframe width=600 height=300 src='{frame}'></iframe>")


async def read(session: Session, **arguments: object) -> ReadableText:
    result = (await session.extract(mode="readable", **arguments)).result  # type: ignore[arg-type]
    assert isinstance(result, ReadableText)
    return result


async def test_a_frame_cannot_forge_links_markup_or_fences(session: Session, site: Site) -> None:
    await session.navigate(page_with_frame(site, HOSTILE))
    result = await read(session)
    host, frame = (text or "" for text in result.content)
    assert "[good][1]" in host and "[own link][2]" in frame and "| A | B |" in frame
    assert r"\[the real page\]\[1\]" in frame and r"\[1\]:" in frame and "\n[1]:" not in frame
    assert "\n```" not in frame and "<script>" not in frame.replace(r"\<script>", "")
    assert result.addresses == {"1": site.url("/good"), "2": site.url("/own").replace("127.0.0.1", "localhost")}
    (told,) = [passage for passage in result.passages("http://page.example") if passage.text.startswith("[2]: ")]
    assert told.origin is not None and "localhost" in told.origin
    html = (await read(session, format="html")).content[1] or ""
    assert "<script" not in html and "&lt;script&gt;" in html and "<th>A</th>" in html


@pytest.mark.parametrize("format", ["text", "markdown", "html"])
async def test_page_and_frame_keep_one_limit_together(session: Session, site: Site, format: str) -> None:
    await session.navigate(page_with_frame(site, f"<article><p>{SENTENCE * 100}</p></article>"))
    result = await read(session, max_characters=1000, format=format)
    lengths = [len(text or "") for text in result.content]
    assert len(lengths) == 2 and sum(lengths) <= 1000 and result.is_cut
    assert f"[cut at {sum(lengths)} characters" in result.cut_note
