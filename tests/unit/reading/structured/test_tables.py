"""Tables: spans, headers in rows or columns, grids of other elements, tables in parts, definition lists."""

from __future__ import annotations

from typing import Any

from rove.content.page_source import PageSource
from rove.content.structured.page import pages_of
from rove.content.structured.rows import RowSet, TableSchema, parse_schema
from rove.content.structured.tables import read_table_rows


def rows(html: str, table: Any) -> RowSet | None:
    parsed = parse_schema({"table": table})
    assert isinstance(parsed, TableSchema)
    return read_table_rows(pages_of(PageSource(html, "https://example.com/")), parsed)


def found(html: str, *headers: str, **more: Any) -> list[tuple[Any, ...]]:
    got = rows(html, {"headers": list(headers), **more})
    assert got is not None
    return [tuple(row.values()) for row in got.rows]


SALES = """<table><caption>x</caption>
<thead><tr><th rowspan=2>Region</th><th colspan=2>Sales</th></tr><tr><th>2024</th><th>2025</th></tr></thead>
<tbody><tr><td rowspan=2>North</td><td>1,000</td><td>2</td></tr><tr><td>3</td><td><a href=/four>4</a></td></tr>
<tr><td colspan=2>None</td><td>5</td></tr></tbody></table>"""


def test_spans_are_resolved_and_headers_of_several_rows_are_joined() -> None:
    assert found(SALES, "Region", "Sales / 2024", "sales 2025") == [
        ("North", "1,000", "2"),
        ("North", "3", "4"),
        ("None", "None", "5"),
    ]
    assert found(SALES, "2025", "region") == [("2", "North"), ("4", "North"), ("5", "None")]


def test_columns_have_types_and_attributes() -> None:
    assert found(SALES, "2024", types={"2024": "number"}) == [(1000,), (3,), (None,)]
    assert found(SALES, "2025@href") == [(None,), ("https://example.com/four",), (None,)]


def test_headers_may_stand_in_the_first_column() -> None:
    html = "<table><tr><th>Name</th><td>Box</td><td>Tin</td></tr><tr><th>Weight</th><td>5</td><td>6</td></tr></table>"
    assert found(html, "Weight", "Name") == [("5", "Box"), ("6", "Tin")]
    assert found("<dl><dt>Name</dt><dd>Box</dd><dt>Weight</dt><dd>5</dd></dl>", "Name", "Weight") == [("Box", "5")]


def test_a_first_row_without_marks_serves_as_headers() -> None:
    html = "<table><tr><td>Name</td><td>Age</td></tr><tr><td>Ann</td><td>30</td></tr></table>"
    assert found(html, "Age", "Name") == [("30", "Ann")]


def test_grids_of_other_elements_are_tables() -> None:
    html = """<div role=grid aria-rowcount=900><div role=row><span role=columnheader aria-colindex=1>Make</span>
    <span role=columnheader aria-colindex=2>Price</span></div>
    <div class=pinned><div role=row aria-rowindex=2><i role=gridcell aria-colindex=1>Ford</i></div></div>
    <div class=rest><div role=row aria-rowindex=2><i role=gridcell aria-colindex=2>9</i></div></div></div>"""
    assert found(html, "Make", "Price") == [("Ford", "9")]
    got = rows(html, ["Make"])
    assert got is not None and got.claimed == 900


def test_a_table_that_is_divided_into_headers_and_rows_is_joined() -> None:
    html = (
        "<div><table><thead><tr><th>Name</th><th>Age</th><th></th></tr></thead></table></div>"
        "<div><table id=b><tr><td>Ann</td><td>30</td></tr><tr><td>Bea</td><td>31</td></tr></table></div>"
    )
    assert found(html, "Name", "Age") == [("Ann", "30"), ("Bea", "31")]
    got = rows(html, {"selector": "#b"})
    assert got is not None and got.columns == ("Name", "Age")


def test_the_table_with_the_headers_is_chosen_not_one_around_it() -> None:
    inner = "<table><tr><th>Name</th><th>Age</th></tr><tr><td>Ann</td><td>30</td></tr></table>"
    html = f"<table><tr><td>Menu</td><td>{inner}</td></tr><tr><td>a</td><td>b</td></tr></table>"
    assert found(html, "Name", "Age") == [("Ann", "30")]
    assert rows(html, ["Name", "Salary"]) is None


def test_spans_without_end_are_bounded() -> None:
    html = (
        f"<table><tr><th colspan=999999>A</th></tr>{'<tr><td rowspan=99999999 colspan=99999>1</td></tr>' * 50}</table>"
    )
    got = rows(html, {"selector": "table"})
    assert got is not None and len(got.rows) <= 50 and len(got.columns) <= 500
