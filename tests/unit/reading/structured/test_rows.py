"""Rows by CSS selectors: fields, attributes, lists, nested objects, types, and schemas that are wrong."""

from __future__ import annotations

from typing import Any

import pytest

from rove.content.page_source import PageSource
from rove.content.structured.page import pages_of
from rove.content.structured.rows import RowSchema, RowSet, parse_schema, read_rows
from rove.errors import InvalidArguments

SHOP = """<html lang="en"><base href="/shop/"><body>
<div class="card"><h2>Lamp</h2><span class="price">$1,234.56</span><a href="lamp?x=1">More</a><i>new</i><i>red</i>
  <div class="seller"><b>Ann</b><img src="/ann.png"></div><input class="entered" value="typed"></div>
<div class="card"><h2>Chair</h2><span class="price">free</span><a href="javascript:void(0)">More</a>
  <div class="seller"><b>Bea</b></div></div></body></html>"""


def rows(html: str, schema: dict[str, Any], **source: Any) -> RowSet:
    parsed = parse_schema(schema)
    assert isinstance(parsed, RowSchema)
    return read_rows(pages_of(PageSource(html, "https://example.com/list", **source)), parsed)


def test_fields_are_found_in_each_row() -> None:
    fields = {
        "name": "h2",
        "price": {"selector": ".price", "type": "number"},
        "url": "a@href",
        "tags": ["i"],
        "seller": {"selector": ".seller", "fields": {"name": "b", "picture": "img@src"}},
        "class": "@class",
        "gone": ".gone",
    }
    found = rows(SHOP, {"rows": ".card", "fields": fields})
    assert found.rows == (
        {
            "name": "Lamp",
            "price": 1234.56,
            "url": "https://example.com/shop/lamp?x=1",
            "tags": ["new", "red"],
            "seller": {"name": "Ann", "picture": "https://example.com/ann.png"},
            "class": "card",
            "gone": None,
        },
        {
            "name": "Chair",
            "price": None,
            "url": "",
            "tags": [],
            "seller": {"name": "Bea", "picture": None},
            "class": "card",
            "gone": None,
        },
    )
    assert found.missing == ("gone",)
    assert found.unconverted == (("price", 1, "free"),)


def test_lists_of_objects_children_and_a_page_that_is_one_row() -> None:
    html = "<ul><li><b>A</b><ul><li><b>A1</b></li></ul></li><li><b>B</b></li></ul><h1>Title</h1>"
    schema = {"fields": {"title": "h1", "items": [{"selector": "body > ul > li", "fields": {"name": ":scope > b"}}]}}
    (row,) = rows(html, schema).rows
    assert row == {"title": "Title", "items": [{"name": "A"}, {"name": "B"}]}


def test_what_a_person_entered_is_no_data() -> None:
    found = rows(SHOP, {"rows": ".card", "fields": {"entered": ".entered@value", "text": ""}})
    assert found.rows[0]["entered"] is None
    assert "typed" not in found.rows[0]["text"]


def test_what_the_html_hides_is_no_data_over_http() -> None:
    html = '<p class="x">seen <b hidden>one</b><i style="display: none">two</i></p><p class="x" hidden>three</p>'
    assert [row["text"] for row in rows(html, {"rows": ".x", "fields": {"text": ""}}).rows] == ["seen"]


def test_a_frame_is_read_where_the_page_itself_has_no_row() -> None:
    frame = PageSource("<p class=x>inside</p>", "https://frame.example/", origin="https://frame.example")
    found = rows("<h1>Page</h1>", {"rows": ".x", "fields": {"text": ""}}, frames=(frame,))
    assert (found.rows, found.origin) == (({"text": "inside"},), "https://frame.example")


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"rows": "p"},
        {"rows": "p", "fields": {}},
        {"rows": "p", "fields": {"a": 1}},
        {"rows": "p", "fields": {"a": {"selector": "b", "type": "money"}}},
        {"rows": "p", "fields": {"a": ["b", "c"]}},
        {"rows": "p", "felds": {"a": "b"}},
        {"table": {}},
        {"table": {"headers": "Name"}},
        {"table": {"headers": ["Name"]}, "rows": "p"},
    ],
    ids=str,
)
def test_a_wrong_schema_is_explained(schema: dict[str, Any]) -> None:
    with pytest.raises(InvalidArguments) as caught:
        parse_schema(schema)
    assert "schema" in caught.value.message and '"fields"' in caught.value.hint


def test_a_wrong_selector_is_explained() -> None:
    with pytest.raises(InvalidArguments):
        rows(SHOP, {"rows": "div[", "fields": {"a": "b"}})
