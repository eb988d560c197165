"""Rows, tables, lists and metadata of rendered pages, without a model; real grid libraries among them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from tests.site import Site
from tests.widgets.bundles import bundle, document

from rove import Session, as_text
from rove.errors import InvalidArguments
from rove.settings.tree import Settings

pytestmark = pytest.mark.one_session

CARDS = "".join(
    f"<div class=card><h2>Thing {n}</h2><b class=price>{n}.299,00 €</b><a href=/p/{n}>More</a>"
    f"<i style='font-size: 0'>buy elsewhere</i><input value=typed></div>"
    for n in range(1, 4)
)
SCHEMA = {
    "rows": ".card",
    "fields": {"name": "h2", "price": {"selector": ".price", "type": "number"}, "url": "a@href", "extra": "i"},
}


async def test_rows_of_a_rendered_page_as_data_text_and_csv(session: Session, site: Site, settings: Settings) -> None:
    script = "<script>cards.attachShadow({mode: 'open'}).innerHTML = TEXT</script>".replace("TEXT", json.dumps(CARDS))
    await session.navigate(site.page("/", f"<html lang=de><h1>Shop</h1><div id=cards></div>{script}"))
    outcome = await session.extract(mode="rows", schema=SCHEMA, csv="shop/things")
    result: Any = outcome.result
    assert result.total == 3
    assert result.rows[1] == {"name": "Thing 2", "price": 2299.0, "url": site.url("/p/2"), "extra": ""}
    text = as_text(outcome)
    assert text.startswith("3 rows.") and "does not see" in text and "buy elsewhere" not in text
    assert '"name": "Thing 1"' in text.partition("<untrusted")[2]
    path = Path(result.csv)
    assert path == settings.workspace_folder / "shop" / "things.csv"
    assert list(csv.DictReader(path.read_text().splitlines()))[2]["price"] == "3299.0"


async def test_many_rows_are_bounded_and_all_are_in_the_file(session: Session, site: Site) -> None:
    items = "".join(f"<li>Item number {n} of a long list</li>" for n in range(3000))
    await session.navigate(site.page("/", f"<ul>{items}</ul>"))
    outcome = await session.extract(mode="rows", schema={"rows": "li", "fields": {"text": ""}}, csv="list.csv")
    result: Any = outcome.result
    assert result.total == 3000 and result.is_cut and len(as_text(outcome)) < 12_000
    assert f"{len(result.content)} of 3000 are shown" in as_text(outcome)
    assert len(Path(result.csv).read_text().splitlines()) == 3001


async def test_a_schema_that_matches_nothing_is_answered_with_what_there_is(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", CARDS))
    for schema in ({"rows": ".nothing", "fields": {"a": "b"}}, {"table": {"headers": ["Nothing"]}}):
        outcome = await session.extract(mode="rows", schema=schema)
        result: Any = outcome.result
        assert (result.rows, result.total) == ((), 0)
        (offer,) = result.offers
        assert offer["rows"] == 3
        assert "Nothing on the page matches" in as_text(outcome) or "No table" in as_text(outcome)
        read: Any = (await session.extract(mode="rows", schema=offer["schema"])).result
        assert read.rows[0] == offer["first_row"]
    for arguments in ({}, {"schema": SCHEMA, "target": "h1"}, {"schema": SCHEMA, "csv": "../x.csv"}):
        with pytest.raises(InvalidArguments):
            await session.extract(mode="rows", **arguments)  # type: ignore[arg-type]


async def test_rows_that_are_not_rendered_are_no_rows(session: Session, site: Site) -> None:
    items = "<li><b>A</b></li><li style='display: none'><b>B</b></li><li hidden><b>C</b></li><li><b></b></li>"
    cells = "<tr><th>X<th hidden>Y<th>Z<tr><td>1<td hidden>2<td>3<tr hidden><td>4<td>5<td>6"
    await session.navigate(site.page("/", f"<ul>{items}</ul><table>{cells}</table>"))
    read: Any = (await session.extract(mode="rows", schema={"rows": "li", "fields": {"v": "b"}})).result
    assert read.rows == ({"v": "A"}, {"v": ""})
    offered: Any = (await session.extract(mode="tables")).result
    assert [(offer["rows"], offer["first_row"]) for offer in offered.offers] == [(1, {"X": "1", "Z": "3"})]


async def test_metadata_is_told_as_unseen(session: Session, site: Site) -> None:
    head = '<script type="application/ld+json">{"@type": "Recipe"}</script><meta property="og:title" content="Soup">'
    await session.navigate(site.page("/", f"<head>{head}</head><p>Soup"))
    outcome = await session.extract(mode="metadata")
    metadata: Any = outcome.result.metadata  # type: ignore[attr-defined]
    assert (metadata["json_ld"], metadata["open_graph"]) == ([{"@type": "Recipe"}], {"og:title": "Soup"})
    assert "a person does not see it" in as_text(outcome).partition("<untrusted")[0]


async def test_metadata_in_the_body_is_read(session: Session, site: Site) -> None:
    item = (
        '<p itemscope itemtype="https://schema.org/Product"><b itemprop=name>Lamp</b> <meta itemprop=sku content=L1>'
        'costs <data itemprop=price value=9.5>nine</data><link itemprop=availability href="/InStock"> today</p>'
    )
    head = '<meta property="og:image" content="/lamp.png"><meta property="og:url" content="javascript:alert(1)">'
    await session.navigate(site.page("/", f"<head>{head}</head>{item}<meta property='og:type' content=product>"))
    metadata: Any = (await session.extract(mode="metadata")).result.metadata  # type: ignore[attr-defined]
    assert metadata["microdata"] == [
        {
            "@type": "https://schema.org/Product",
            "name": "Lamp",
            "sku": "L1",
            "price": "9.5",
            "availability": site.url("/InStock"),
        }
    ]
    assert metadata["open_graph"] == {"og:image": site.url("/lamp.png"), "og:type": "product"}
    schema = {"rows": "p", "fields": {"text": ""}}
    assert (await session.extract(mode="rows", schema=schema)).result.rows == (  # type: ignore[attr-defined]
        {"text": "Lamp costs nine today"},
    )


GRIDS = {
    "ag_grid": (["Make", "Price"], ["Toyota", "29600"], 4),
    "tabulator": (["Product", "Count"], ["Lamp", "12"], 3),
    "datatables": (["Name", "Age"], ["Airi Satou", "20"], 5),
    "antd": (["Name", "Age"], ["Anna", "32"], 3),
    "primevue": (["Plant", "Height"], ["Rose", "90"], 3),
}


@pytest.mark.parametrize(
    "library",
    [pytest.param(name, marks=[pytest.mark.slow] if name in ("antd", "datatables") else []) for name in GRIDS],
)
async def test_grids_of_libraries_are_found_and_read(session: Session, site: Site, library: str) -> None:
    made, (headers, first, count) = bundle(library), GRIDS[library]
    site.page(f"/{library}/page.js", made.script, kind="text/javascript; charset=utf-8")
    site.page(f"/{library}/page.css", made.style, kind="text/css; charset=utf-8")
    await session.navigate(site.page(f"/{library}/", document(library)))
    offered: Any = (await session.extract(mode="tables")).result
    schemas = [offer["schema"]["table"] for offer in offered.offers if "table" in offer["schema"]]
    assert any(set(headers) <= set(schema.get("headers", [])) for schema in schemas)
    read: Any = (await session.extract(mode="rows", schema={"table": {"headers": headers}})).result
    assert (list(read.rows[0].values()), read.total) == (first, count)
