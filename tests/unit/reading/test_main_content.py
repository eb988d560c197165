"""Which text of a page counts as its main content."""

from __future__ import annotations

import pytest

from rove.content.page_source import PageSource
from rove.content.readable.reader import Article, read_article

PROSE = "The town was built on a hill above the river, and its houses were made of grey stone, cut there. " * 5
MENU = "<nav><a href=/a>Home</a> <a href=/b>Shop</a> <a href=/c>About us</a></nav>"
BANNER = "<div class=cb><p>We use cookies to make this site work, to count visits, and to show you offers.</p></div>"
FOOTER = "<footer><p>Questions? Call our friendly customer service team on weekdays from nine to five.</p></footer>"
ASIDE = f"<aside><p>{PROSE}</p></aside>"
QUOTES = f"<section class=testimonials>{f'<blockquote><p>{PROSE}</p></blockquote>' * 3}</section>"


def read(body: str) -> Article:
    return read_article(PageSource(f"<title>A site</title><body>{body}", "https://town.example/page"))


def text_of(body: str) -> str:
    return read(body).render("text", 100_000).text


@pytest.mark.parametrize("tag", ["main", "div role=main", "article"])
@pytest.mark.parametrize("around", [FOOTER, ASIDE, QUOTES, MENU + BANNER + FOOTER])
@pytest.mark.parametrize(
    ("inside", "texts"),
    [
        ("<p>Status: shipped</p><p>Total: $59.00</p>", ["Status: shipped", "Total: $59.00"]),
        ("<table><tr><th>Room<th>Rate</tr><tr><td>Single<td>50</tr></table>", ["Room\tRate", "Single\t50"]),
        ("<dl><dt>Height<dd>50 m<dt>Width<dd>5 m</dl>", ["50 m", "Width"]),
        ("<p>Page not found.</p>", ["Page not found."]),
    ],
)
def test_text_beside_the_marked_main_content_does_not_replace_it(
    tag: str, around: str, inside: str, texts: list[str]
) -> None:
    text = text_of(f"{MENU}<{tag}><h1>Notice 1234</h1>{inside}</{tag.split()[0]}>{around}")
    for expected in ("Notice 1234", *texts):
        assert expected in text
    for other in ("Questions", "grey stone", "cookies", "About us"):
        assert other not in text


def test_a_preview_marked_as_article_is_not_the_main_content() -> None:
    text = text_of(f"<div><h1>Town</h1><p>{PROSE}</p><p>{PROSE}</p></div><article><h3>Other</h3><p>Soon.</p></article>")
    assert "grey stone" in text and "Soon." not in text


def test_menus_within_the_marked_main_content_are_left_out() -> None:
    text = text_of(f"<main>{MENU}<h1>Notice</h1><p>The pool is closed today.</p>{FOOTER}</main>")
    assert "The pool is closed today." in text and "About us" not in text and "Questions" not in text


def test_lists_and_headings_around_a_paragraph_belong_to_it() -> None:
    text = text_of(
        "<div><h1>Engineer</h1><ul><li>Ely</li><li>40k</li></ul>"
        f"<h2>About</h2><p>{PROSE}</p><h2>Requirements</h2><ul><li>Go</li><li>C</li></ul></div>"
    )
    parts = ["Engineer", "Ely", "40k", "About", "grey stone", "Requirements", "- Go", "- C"]
    assert [text.index(part) for part in parts] == sorted(text.index(part) for part in parts)


def test_captions_of_figures_belong_to_the_article() -> None:
    figures = (
        "<img src=a.jpg alt=boat><figcaption>A boat in 1920</figcaption>",
        "<pre><code>x = 1\ny = 2</code></pre><figcaption>Listing 1</figcaption>",
        "<table><tr><th>A<th>B<tr><td>1<td>2</table><figcaption>Table 1: numbers</figcaption>",
    )
    inside = "".join(f"<figure>{figure}</figure><p>{PROSE}</p>" for figure in figures)
    text = text_of(f"<article><h1>Town</h1><p>{PROSE}</p>{inside}</article>")
    for caption in ("A boat in 1920", "Listing 1", "Table 1: numbers"):
        assert caption in text


def _comments(count: int, word: str = "Reply") -> str:
    text = "I have lived there for years, and nothing of this is new to me, though it is well told. " * 3
    return "".join(
        f"<div class=u><b>reader {number}</b><p>{text}</p><a href=/r{number}>{word}</a></div>"
        for number in range(count)
    )


@pytest.mark.parametrize("word", ["Reply", "(2) Antworten", "回复"])
@pytest.mark.parametrize("end", ["</div><div class=c><h3>Discussion</h3>", "<h3>Discussion</h3>"])
def test_comments_longer_than_the_article_do_not_replace_it(end: str, word: str) -> None:
    text = text_of(f"<div class=a><h1>Town</h1><p>{PROSE}</p><p>{PROSE}</p>{end}{_comments(40, word)}</div>")
    assert "grey stone" in text and "nothing of this" not in text and "Discussion" not in text


def test_posts_of_a_forum_and_answers_are_content() -> None:
    forum = text_of(f"<h1>Which town?</h1><div class=thread>{_comments(10)}</div>")
    assert forum.count("nothing of this") == 30
    answers = _comments(5).replace("class=u", "class=answer")
    page = text_of(f"<div class=q><h1>Which town?</h1><p>{PROSE}</p></div><div class=list>{answers}</div>")
    assert "nothing of this" in page


def test_signatures_in_headings_stay_with_their_descriptions() -> None:
    signature = "<h4 class=code-header>fn clone(&amp;self, other: Other) -> <a href=/lower>ToLowercase</a></h4>"
    items = f"<div class=impl-items>{signature}<p>Returns a duplicate of the value.</p></div>" * 4
    text = text_of(f"<div><h1>Struct</h1><p>{PROSE}</p><h2>Implementations</h2>{items}</div>")
    assert text.count("fn clone(&self, other: Other) -> ToLowercase") == 4
