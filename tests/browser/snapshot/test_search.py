"""Targets, find and continuing a snapshot."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rove.snapshot import render

if TYPE_CHECKING:
    from tests.browser.snapshot.conftest import World

TABLE = (
    "<h1>Users</h1><table><tbody>"
    + "".join(f"<tr><td>{n}</td><td>Name {n}</td><td><button>Edit</button></td></tr>" for n in range(2000))
    + "</tbody></table><a href=/next>Next page</a>"
)


async def query(world: World, **spec: Any) -> dict[str, Any]:
    answer: dict[str, Any] = await world.evaluate(f"rove.query({json.dumps(spec)})")
    return answer


async def test_role_and_name_prefer_an_exact_match_and_ignore_case(world: World) -> None:
    await world.show("<button>Save</button><button>Save as</button><a href=#>Save</a>")
    assert [match["line"] for match in (await query(world, role="button", name="save"))["matches"]] == ['button "Save"']
    assert (await query(world, role="button", name="sav"))["total"] == 2
    assert (await query(world, role="button"))["total"] == 2
    assert (await query(world, role="slider", name="x"))["total"] == 0


async def test_css_reaches_into_shadow_roots_and_invalid_css_is_an_error(world: World) -> None:
    await world.show(
        "<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML='<button class=k>In</button>'</script>"
    )
    assert (await query(world, css=".k"))["matches"][0]["line"] == 'button "In"'
    assert "bad selector" in (await query(world, css="!!"))["error"]


async def test_find_searches_what_a_snapshot_folds(world: World) -> None:
    await world.show(TABLE)
    found = await world.evaluate("rove.find({text: 'name 1987'})")
    assert found["total"] == 1
    context = [line["line"] for line in found["matches"][0]["context"]]
    assert "Name 1987" in found["matches"][0]["line"] and any("button" in line for line in context)
    edit = next(line for line in found["matches"][0]["context"] if "button" in line["line"])
    assert await world.evaluate(f"rove.element('{edit['ref']}').closest('tr').cells[0].textContent") == "1987"
    assert (await world.evaluate("rove.find({regex: 'Name 19[0-9]{2}', limit: 3})"))["total"] == 100
    assert (await world.evaluate("rove.find({role: 'link'})"))["matches"][0]["line"] == 'link "Next page"'
    assert "bad regular expression" in (await world.evaluate("rove.find({regex: '('})"))["error"]


async def test_a_long_table_folds_within_the_budget_and_expands(world: World) -> None:
    await world.show(TABLE)
    rendered = render(await world.snapshot(), 2000)
    assert rendered.tokens <= 2000 and 'link "Next page"' in rendered.text
    handle = rendered.text.split("[expand ")[1].split("]")[0]
    ref, start = handle.split(":")
    rest = render(await world.snapshot(root=ref, **{"from": int(start), "limit": 10})).text
    assert f'row: "{start} | Name {start}"' in rest and "more [expand" in rest.splitlines()[-1]


async def test_find_reads_names_texts_and_values_but_not_the_words_for_roles(world: World) -> None:
    await world.show(
        "<header><a href=/>Home</a></header><label>Who <input value='Ann Lee'></label><button>Annex</button>"
        "<input type=range value=42 aria-label=Volume>"
    )
    lines = [match["line"] for match in (await world.evaluate("rove.find({regex: 'Ann'})"))["matches"]]
    assert lines == ['textbox "Who" value="Ann Lee"', 'button "Annex"']
    assert (await world.evaluate("rove.find({text: 'button'})"))["total"] == 0
    assert (await world.evaluate("rove.find({text: 'ann lee'})"))["total"] == 1
    assert (await world.evaluate("rove.find({text: '42'})"))["total"] == 1
    assert (await world.evaluate("rove.find({role: 'banner'})"))["total"] == 1
