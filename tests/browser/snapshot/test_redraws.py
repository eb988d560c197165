"""Lists that a page draws again: what is the same keeps its ref, and only what changed is told."""

from __future__ import annotations

import json
from typing import Any

from tests.browser.snapshot.conftest import World

from rove.snapshot import Delta, Snapshot, difference

MAIL = """<main><h1>Inbox</h1><ul id=list></ul></main><script>
const people = ['Ann Lee', 'Bob Stone', 'Cid Marsh', 'Dora Field', 'Eve Brook', 'Finn Wood', 'Gus Hill', 'Hal Moor']
let mails = Array.from({length: COUNT}, (_, n) => ({ id: n, from: people[n % 8] + ' ' + n, subject: 'Report ' + n }))
const item = mail => `<li><input type=checkbox aria-label="Select"><b>${mail.from}</b>
  <a href="/mail/${mail.id}">${mail.subject}</a><button aria-pressed=${!!mail.star}>Star</button></li>`
const draw = () => { list.innerHTML = mails.map(item).join('') }
draw()
</script>"""


async def seen(world: World) -> dict[str, str]:
    """Return the lines of the page by ref."""
    return {row.ref: row.line for row in (await world.snapshot()).rows if row.ref}


async def redrawn(world: World, html: str, change: str) -> tuple[Snapshot, Snapshot, Delta]:
    """Show a page, change it, and return the snapshots with their difference."""
    await world.show(html)
    before = await world.snapshot()
    await world.page.evaluate(f"void ({change})")
    after = await world.snapshot()
    return before, after, difference(before, after)


def mail(count: int) -> str:
    return MAIL.replace("COUNT", str(count))


def refs(snapshot: Snapshot) -> list[str]:
    return [row.ref for row in snapshot.rows]


async def test_a_list_drawn_again_unchanged_is_unchanged(world: World) -> None:
    before, after, delta = await redrawn(world, mail(50), "draw()")
    assert refs(before) == refs(after) and delta.kind == "same"


async def test_a_kept_ref_acts_on_the_element_that_is_there_now(world: World) -> None:
    await redrawn(world, mail(5), "draw()")
    line = await world.evaluate("rove.element('e2').isConnected && rove.element('e2').textContent")
    assert line == "Report 0"


async def test_a_star_in_a_list_drawn_again_costs_tens_of_tokens(world: World) -> None:
    before, after, delta = await redrawn(world, mail(50), "mails[7].star = true, draw()")
    assert refs(before) == refs(after)
    assert delta.tokens < 60 and '~ button "Star" pressed' in delta.text and "Hal Moor 7" in delta.text


async def test_rows_below_a_removed_one_keep_their_refs(world: World) -> None:
    before, after, delta = await redrawn(world, mail(50), "mails.splice(7, 1), draw()")
    assert set(refs(after)) < set(refs(before))
    assert delta.tokens < 60 and '- listitem with "Hal Moor 7"' in delta.text


async def test_a_new_row_comes_first_and_the_others_keep_their_refs(world: World) -> None:
    change = "mails.unshift({id: 99, from: 'Zoe Park', subject: 'Lunch'}), draw()"
    before, after, delta = await redrawn(world, mail(50), change)
    assert set(refs(before)) < set(refs(after))
    assert delta.tokens < 100 and delta.text.splitlines()[1].startswith("+ listitem") and "Zoe Park" in delta.text


async def test_a_list_of_five_hundred_rows_is_compared(world: World) -> None:
    before, after, delta = await redrawn(world, mail(500), "mails[400].star = true, draw()")
    assert refs(before) == refs(after) and delta.tokens < 60


async def test_a_whole_page_drawn_again_keeps_its_refs(world: World) -> None:
    draw = "document.body.innerHTML = document.body.innerHTML"
    before, after, delta = await redrawn(world, "<main><h1>Form</h1><input aria-label=Name><button>Save</button>", draw)
    assert refs(before) == refs(after) and delta.kind == "same"


# Two pages each: what is drawn first and what is drawn in its place. The button must not be taken for the same one.
OTHER_THINGS: dict[str, tuple[str, str]] = {
    "another row": ("<p>Ann <button>Delete</button></p>", "<p>Bob <button>Delete</button></p>"),
    "another id": ("<p data-id=1>Ann <button>Delete</button></p>", "<p data-id=2>Ann <button>Delete</button></p>"),
    "another address": ("<a href=/1>Open</a>", "<a href=/2>Open</a>"),
    "another handler": ('<button onclick="f(1)">Delete</button>', '<button onclick="f(2)">Delete</button>'),
    "another role": ("<button>Go</button>", "<a href=/go>Go</a>"),
    "another value": ("<input aria-label=Name value=Ann>", "<input aria-label=Name value=Bob>"),
    "two alike": ("<p><button>Delete</button></p>" * 2, "<p><button>Delete</button></p>"),
    "one of three alike": ("<p>Item <button>Delete</button></p>" * 3, "<p>Item <button>Delete</button></p>" * 2),
    "another month": (
        "<b>February</b>" + "".join(f"<button>{day}</button>" for day in range(1, 29)),
        "<b>March</b>" + "".join(f"<button>{day}</button>" for day in range(1, 32)),
    ),
    "another question": (
        "<div>Delete the file A?</div><div><button>Cancel now</button><button>Delete forever</button></div>",
        "<div>Delete the file B?</div><div><button>Cancel now</button><button>Delete forever</button></div>",
    ),
    "another passenger": (
        "<div><h2>Ann</h2></div>"
        + "".join(f"<div>{name} number long<input></div>" for name in ("Card", "Pass", "Seat")),
        "<div><h2>Bob</h2></div>"
        + "".join(f"<div>{name} number long<input></div>" for name in ("Card", "Pass", "Seat")),
    ),
}


async def kept(world: World, first: str, second: str, around: str = "<div id=place></div>") -> set[str]:
    """Draw one thing and then another in its place; return the refs that both have."""
    await world.show(f"<main>{around}</main>")
    await world.page.evaluate(f"void (place.innerHTML = {json.dumps(first)})")
    before = await seen(world)
    await world.page.evaluate(f"void (place.innerHTML = {json.dumps(second)})")
    return before.keys() & (await seen(world)).keys()


async def test_a_ref_never_comes_to_mean_another_thing(world: World) -> None:
    for name, (first, second) in OTHER_THINGS.items():
        assert not await kept(world, first, second), name
        assert not await kept(world, f"<div>{first}</div>", f"<div>{second}</div>"), name


async def test_days_under_another_heading_are_other_days(world: World) -> None:
    days = "".join(f"<button>{day}</button>" for day in range(1, 29))
    await world.show(f"<main><h2 id=month>February</h2><div id=days>{days}</div></main>")
    before = await seen(world)
    await world.page.evaluate("month.textContent = 'March', days.innerHTML += ''")
    assert not before.keys() & (await seen(world)).keys()


async def test_the_same_things_keep_their_refs(world: World) -> None:
    same: list[Any] = [
        ("<p>Ann <button>Delete</button></p>", "<p>Ann <button class=hot>Delete</button></p>"),
        ("<p>A <button>x</button></p><p>B <button>x</button></p>",) * 2,
        ("<a href=/1>One</a><a href=/2>Two</a>", "<a href=/1>One</a><b>new</b><a href=/2>Two</a>"),
        ("<label><input type=checkbox>Milk</label>", "<label><input type=checkbox checked>Milk</label>"),
    ]
    for first, second in same:
        assert await kept(world, first, second), (first, second)


async def test_an_address_that_changed_makes_all_but_nothing_the_same(world: World) -> None:
    await world.show("<main id=place><button>Save</button></main>")
    before = await seen(world)
    await world.page.evaluate("location.hash = 'user/2', place.innerHTML += ''")
    assert not before.keys() & (await seen(world)).keys()


async def test_an_old_element_that_comes_back_gets_a_ref_of_its_own(world: World) -> None:
    await world.show("<main id=place><button>Save</button></main>")
    before = await seen(world)
    await world.page.evaluate("window.old = place.firstChild, place.innerHTML += ''")
    assert before == await seen(world)
    await world.page.evaluate("void place.append(old)")
    after = await seen(world)
    assert len(after) == 2 and before.keys() < after.keys()
