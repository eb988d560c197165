"""Elements whose words must stay in their places: tables with spans, outputs, buttons, groups of fields."""

from __future__ import annotations

import pytest

from rove.content.page_source import PageSource
from rove.content.readable.reader import read_article

SENTENCE = "A sentence with some words in it, and a comma, so that it reads like a part of an article. "


def markdown(html: str, *, is_rendered: bool = False) -> str:
    page = f"<article><p>{SENTENCE * 6}</p>{html}<p>{SENTENCE * 6}</p></article>"
    return read_article(PageSource(page, "https://tea.example/", is_rendered)).render("markdown", 100_000).text


def table(*rows: str) -> str:
    return "\n".join(f"| {row} |" for row in (rows[0], " | ".join(["---"] * (rows[0].count("|") + 1)), *rows[1:]))


def test_a_cell_that_spans_rows_is_in_each_of_them() -> None:
    heads = "<tr><th>A<th>B<th>C</tr>"
    spans = "<tr><td rowspan=2>x<td>1<td>2</tr><tr><td>3<td>4</tr>"
    assert table("A | B | C", "x | 1 | 2", "x | 3 | 4") in markdown(f"<table>{heads}{spans}</table>")
    last = "<tr><td>1<td>2<td rowspan=0>x</tr><tr><td>3<td>4</tr><tr><td>5</tr>"
    assert table("A | B | C", "1 | 2 | x", "3 | 4 | x", "5 |  | x") in markdown(f"<table>{heads}{last}</table>")
    wide = "<tr><td colspan=2 rowspan=2>x<td>2</tr><tr><td>4</tr>"
    assert table("A | B | C", "x |  | 2", "x |  | 4") in markdown(f"<table>{heads}{wide}</table>")


def test_a_cell_spans_no_row_of_another_section() -> None:
    page = "<table><thead><tr><th rowspan=9>A<th>B</tr></thead><tbody><tr><td>1<td>2</tr></tbody></table>"
    assert table("A | B", "1 | 2") in markdown(page)


def test_repeated_cells_are_bounded() -> None:
    rows = f"<tr>{'<td rowspan=1000>' + 'long text ' * 100}<td>1</tr>" + "<tr><td>2</tr>" * 900
    assert len(markdown(f"<table>{rows}</table>")) < 60_000


def test_a_table_of_one_row_keeps_its_heading() -> None:
    assert "| Price | 5 euros |" in markdown("<table><tr><th>Price</th><td>5 euros</td></tr></table>")


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>The total is <output>42</output> euros.</p>", "The total is 42 euros."),
        (
            "<p>To go on with the order, press <button>Buy</button> now.</p>",
            "To go on with the order, press Buy now.",
        ),
        (f"<center>Centred: {SENTENCE}</center>", "Centred: A sentence"),
        (f"<fieldset>Fields: {SENTENCE}</fieldset>", "Fields: A sentence"),
        (f"<menu><li>Item: {SENTENCE}</li></menu>", "- Item: A sentence"),
        (f"<search><p>Found: {SENTENCE}</p></search>", "Found: A sentence"),
    ],
)
def test_words_in_rare_elements_stay(html: str, expected: str) -> None:
    assert expected in markdown(html)


def test_a_page_of_buttons_is_not_empty() -> None:
    article = read_article(PageSource("<button>One</button><button>Two</button>", "https://tea.example/"))
    assert article.render("text", 100).text == "One Two" and not article.is_main


@pytest.mark.parametrize("attribute", ["aria-hidden=true", "inert", "hidden"])
def test_what_a_browser_showed_is_read_whatever_its_attributes_say(attribute: str) -> None:
    html = f"<p {attribute}>SEEN a line that a person sees.</p><p><span {attribute}>SEEN2</span> {SENTENCE}</p>"
    read = markdown(html, is_rendered=True)
    assert "SEEN a line that a person sees." in read and "SEEN2 A sentence" in read


def test_links_to_a_heading_itself_are_no_part_of_it() -> None:
    edit = "<span class=mw-editsection>[<a href=/edit>edit</a>]</span>"
    read = markdown(
        f"<h2>Brewing<a href=/x#b>¶</a></h2><p>{SENTENCE * 3}</p><h2>History{edit}</h2><p>{SENTENCE * 3}</p>"
    )
    assert "## Brewing\n" in read and "## History\n" in read


def test_code_in_html_keeps_its_language_and_begins_at_once() -> None:
    page = f"<article><p>{SENTENCE * 6}</p><pre><code class=language-python>x = 1</code></pre></article>"
    html = read_article(PageSource(page, "https://tea.example/")).render("html", 10_000).text
    assert '<pre><code class="language-python">x = 1</code></pre>' in html


def test_a_drawing_that_the_page_leaves_open_ends_at_the_next_html_element() -> None:
    assert "Words below it." in markdown("<svg><g><circle r=2><p>Words below it.</p>")
    assert "label" not in markdown("<svg><text>label</text><foreignObject><p>label</p></foreignObject></svg>")
