"""Tables and lists that a page offers, each with the schema that reads it; metadata; CSV."""

from __future__ import annotations

import csv
import io

from rove.content.page_source import PageSource
from rove.content.structured.offers import Offer, offers_of
from rove.content.structured.page import Page, metadata_of, pages_of
from rove.content.structured.rows import TableSchema, csv_text, parse_schema, read_rows

CARD = (
    '<div class="col"><article class="product css-1ab2c3"><h3 class="product-title"><a href="/p/{n}">Thing {n}</a></h3>'
    '<span class="price">{n}.50</span><img src="/{n}.png"><ul class="tags"><li>a</li><li>b{n}</li></ul></article></div>'
)
PAGE = (
    "<nav><ul class=menu><li><a href=/1>One</a></li><li><a href=/2>Two</a></li><li><a href=/3>Three</a></li></ul></nav>"
    + "<div class=row>" + "".join(CARD.format(n=n) for n in range(3)) + "</div>"
    + "<div class=row>" + "".join(CARD.format(n=n) for n in range(3, 6)) + "</div>"
    + "<table id=prices><tr><th>Size</th><th>Price</th></tr><tr><td>S</td><td>1</td></tr></table>"
    + "<table role=presentation><tr><td>layout</td><td>only</td></tr></table>"
)  # fmt: skip


def offers(html: str) -> list[Offer]:
    return offers_of(pages_of(PageSource(html, "https://example.com/")))


def test_tables_and_lists_are_offered_with_schemas_that_read_them() -> None:
    found = offers(PAGE)
    assert [(offer.kind, offer.rows) for offer in found] == [("table", 1), ("list", 6), ("list", 3)]
    table, cards, menu = found
    assert table.schema == {"table": {"selector": "#prices", "headers": ["Size", "Price"]}}
    assert table.sample == {"Size": "S", "Price": "1"}
    assert {"Thing 0", "https://example.com/p/0", "0.50", "https://example.com/0.png"} <= {
        value for value in cards.sample.values() if isinstance(value, str)
    }
    assert ["a", "b0"] in cards.sample.values()
    assert menu.sample == {"link": "One", "url": "https://example.com/1"}


def test_an_offered_schema_gives_as_many_rows_as_it_says() -> None:
    pages = pages_of(PageSource(PAGE, "https://example.com/"))
    for offer in offers_of(pages):
        parsed = parse_schema(offer.schema)
        if not isinstance(parsed, TableSchema):
            found = read_rows(pages, parsed)
            assert len(found.rows) == offer.rows and found.missing == ()


def test_a_page_of_prose_offers_nothing() -> None:
    assert offers("<h1>Title</h1>" + "<p>A paragraph of some words.</p>" * 9) == []


METADATA = """<html lang=en><head><title>Tea</title><meta name=description content="All of tea">
<link rel=canonical href="/tea"><meta property="og:title" content="Tea!"><meta property="og:image" content="/1.png">
<meta property="og:image" content="/2.png"><meta name="twitter:card" content="summary">
<script type="application/ld+json">{"@type": "Product", "name": "Tea"}</script>
<script type="application/ld+json">/* broken</script></head><body>
<div itemscope itemtype="https://schema.org/Person" itemref="more"><b itemprop="name">Ann</b>
<div itemprop="address" itemscope><i itemprop="city">Rome</i></div>
<time itemprop=born datetime="2000-01-02">then</time></div>
<p id=more><a itemprop="url" href="/ann">Ann's page</a></p>
<div vocab="https://schema.org/" typeof="Event"><b property="name">Fair</b><meta property="size" content="9"></div>"""


def test_metadata_of_each_kind_is_read() -> None:
    found = metadata_of(Page(PageSource(METADATA, "https://example.com/x")))
    assert found == {
        "json_ld": [{"@type": "Product", "name": "Tea"}],
        "json_ld_not_readable": 1,
        "microdata": [
            {
                "@type": "https://schema.org/Person",
                "name": "Ann",
                "address": {"city": "Rome"},
                "born": "2000-01-02",
                "url": "https://example.com/ann",
            }
        ],
        "rdfa": [{"@type": "Event", "name": "Fair", "size": "9"}],
        "open_graph": {"og:title": "Tea!", "og:image": [f"https://example.com/{n}.png" for n in (1, 2)]},
        "twitter": {"twitter:card": "summary"},
        "page": {
            "title": "Tea",
            "description": "All of tea",
            "language": "en",
            "canonical": "https://example.com/tea",
        },
    }
    assert metadata_of(Page(PageSource("<p>x", "https://example.com/"))) == {}


def test_items_that_refer_to_each_other_end() -> None:
    html = (
        '<div id=a itemscope itemref="b"><b itemprop=x>1</b></div><div id=b itemscope itemprop=y itemref="a b"></div>'
    )
    assert "microdata" in metadata_of(Page(PageSource(html, "https://example.com/")))


def test_csv_is_quoted_and_holds_no_formula() -> None:
    values = ['=HYPERLINK("http://x")', "+1+cmd", "-2", "-x", "@sum", 'a,"b"\nc', " =1", None, 3, True, ["=a"], "\t=1"]
    text = csv_text(["=name"], [{"=name": value} for value in values])
    read = [row[0] if row else "" for row in csv.reader(io.StringIO(text))]
    assert read == [
        "'=name", "'=HYPERLINK(\"http://x\")", "'+1+cmd", "-2", "'-x", "'@sum", 'a,"b"\nc', "' =1", "", "3", "true",
        '["=a"]', "'\t=1",
    ]  # fmt: skip
