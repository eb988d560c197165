"""G3 over HTTP: what markup and its own styles hide is left out, and what a person sees stays."""

from __future__ import annotations

import pytest

from rove.content.page_source import PageSource
from rove.content.readable.reader import read_article

TEXT = "<p>Green tea is made of leaves that were heated soon after picking, so that they stay green and fresh.</p>" * 5


def read(extra: str) -> tuple[str, str]:
    """Return the text of a page with something in it, and what was left out."""
    html = f"<title>Tea</title><body><article><h1>Tea</h1>{TEXT}{extra}{TEXT}</article>"
    article = read_article(PageSource(html, "https://example.com/"))
    return article.render("text", 100_000).text, "\n".join(article.unseen)


@pytest.mark.parametrize(
    "hiding",
    [
        "<details><summary>More</summary><p>SECRET words</p></details>",
        "<details><summary>More</summary>SECRET words</details>",
        "<dialog><p>SECRET words</p></dialog>",
        "<div popover><p>SECRET words</p></div>",
        "<p style='color:#fff;background:#fff'>SECRET words</p>",
        "<p style='color: white; background-color: rgb(255, 255, 255)'>SECRET words</p>",
        "<p style='color:transparent'>SECRET words</p>",
        "<p style='transform:scale(0)'>SECRET words</p>",
        "<p style='transform: rotate(1deg) scale(0, 1)'>SECRET words</p>",
        "<div style='height:0;overflow:hidden'><p>SECRET words</p></div>",
        "<div style='max-height: 0px; overflow-y: hidden'><p>SECRET words</p></div>",
        "<style>.x { height: 0; overflow: hidden }</style><div class=x><p>SECRET words</p></div>",
    ],
)
def test_g3_what_no_person_sees_is_left_out(hiding: str) -> None:
    text, unseen = read(hiding)
    assert "SECRET" not in text and "SECRET" in unseen and "heated" in text


@pytest.mark.parametrize(
    "showing",
    [
        "<p aria-hidden=true>PUBLIC words that everyone sees on the page, as they are only hidden from readers.</p>",
        "<details open><summary>More</summary><p>PUBLIC words that are shown from the start.</p></details>",
        "<p style='color:#fff;background:#000'>PUBLIC words in white on black, which can be read very well.</p>",
        "<p style='transform:scale(0.9)'>PUBLIC words that are a little smaller than the others on this page.</p>",
        "<p style='height:0'>PUBLIC words that overflow the element, which is flat but does not clip them.</p>",
    ],
)
def test_what_a_person_sees_stays(showing: str) -> None:
    text, unseen = read(showing)
    assert "PUBLIC" in text and "PUBLIC" not in unseen
