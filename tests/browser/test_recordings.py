"""Recordings: made while something is done, and run again on the same page or on one that was redesigned."""

from __future__ import annotations

import json
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest
from tests.site import Site

from rove import Session
from rove.errors import AmbiguousTarget, ElementNotFound, ExpectationFailed, InvalidArguments, RoveError

pytestmark = pytest.mark.one_session

SHOP = """<title>Shop</title><header><nav aria-label=Main><a href=/shop>Home</a> <a href=/about>About us</a></nav>
</header><main><h1>Order tea</h1><form id=order aria-label=Order onsubmit="event.preventDefault();
  done.textContent = `Ordered: ${who.value}, ${kind.value}, ${gift.checked}`">
<label>Your name <input id=who name=who></label><label>Tea <select id=kind><option>Assam<option>Sencha</select></label>
<label><input type=checkbox id=gift> As a gift</label><button id=send>Place order</button></form><p id=done></p>
<h2>Basket</h2><table><tr><td>Green tea<td><button onclick="done.textContent='removed green'">Remove</button>
<tr><td>Black tea<td><button onclick="done.textContent='removed black'">Remove</button></table></main>"""

# Other ids and classes, another order, other words for most things, and other elements around them.
REDESIGN = """<title>Shop</title><div class=app><main><section><div class=card><h2>Your basket</h2><ul>
<li><span>Black tea</span> <button class=x onclick="done.textContent='removed black'">Remove</button></li>
<li><span>White tea</span> <button class=x onclick="done.textContent='removed white'">Remove</button></li>
<li><span>Green tea</span> <button class=x onclick="done.textContent='removed green'">Remove</button></li></ul></div>
</section><section><h1>Order your tea</h1><div role=form aria-label=Order><div class=row><span id=l1>Tea</span>
<select aria-labelledby=l1 class=s><option>Assam<option>Sencha</select></div>
<div class=row><label>Name <input class=n name=customer></label></div>
<div class=row><label><input type=checkbox class=g> Wrap as a gift</label></div>
<button class=cta onclick="done.textContent = `Ordered: ${document.querySelector('.n').value}, ` +
  `${document.querySelector('.s').value}, ${document.querySelector('.g').checked}`">Place your order</button>
<button class=alt>Save for later</button></div><p id=done></p></section></main>
<footer><a href=/about>About us</a> <a href=/shop>Home</a></footer></div>"""


async def record_order(session: Session, site: Site, name: str = "order") -> None:
    """Record the order of a tea by a person called Ada."""
    await session.navigate(site.page("/shop", SHOP))
    async with session.recording(name, who="Ada"):
        await session.fill('textbox "Your name"', "Ada")
        await session.select("#kind", ["Sencha"])
        await session.check('checkbox "As a gift"')
        await session.click('button "Place order"')
        await session.expect(text="Ordered: Ada, Sencha, true", seconds=1)


async def error_of(work: Awaitable[Any]) -> RoveError:
    with pytest.raises(RoveError) as caught:
        await work
    return caught.value


async def done(session: Session) -> str:
    """Return what the page says was done."""
    text: str = (await session.evaluate("document.querySelector('#done').textContent")).result.value
    return text


def file_of(home: Path, name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((home / "recordings" / f"{name}.json").read_text())
    return data


async def test_a_recording_begins_with_the_page_and_runs_again_with_another_value(
    session: Session, site: Site, home: Path
) -> None:
    await record_order(session, site)
    recorded = file_of(home, "order")
    assert [step["action"] for step in recorded["steps"]] == ["navigate", "fill", "select", "check", "click", "expect"]
    assert recorded["steps"][1]["arguments"] == {"target": 'textbox "Your name"', "value": "${who}"}
    assert recorded["steps"][2]["arguments"]["target"] == 'combobox "Tea"'
    assert recorded["parameters"] == {"who": "Ada"}
    outcome = await session.replay("order", set=["who=Grace"])
    assert [step.is_healed for step in outcome.result.steps] == [False] * 6
    assert await done(session) == "Ordered: Grace, Sencha, true"


async def test_a_recording_runs_again_after_a_redesign_and_says_what_it_healed(
    session: Session, site: Site, home: Path
) -> None:
    await record_order(session, site)
    site.page("/shop", REDESIGN)
    result = (await session.replay("order", update=True)).result
    assert await done(session) == "Ordered: Ada, Sencha, true"
    healed = {step.action: step.elements[0].line for step in result.steps if step.is_healed}
    assert {verb: line.split(" [")[0].split(" value")[0] for verb, line in healed.items()} == {
        "fill": 'textbox "Name"',
        "check": 'checkbox "Wrap as a gift"',
        "click": 'button "Place your order"',
    }
    assert file_of(home, "order")["steps"][4]["arguments"]["target"] == 'button "Place your order"'
    assert (await session.replay("order")).result.healed == 0


async def test_equal_buttons_are_told_apart_by_their_rows(session: Session, site: Site) -> None:
    await session.navigate(site.page("/shop", SHOP))
    async with session.recording("remove"):
        await session.click("tr:nth-of-type(1) button")
    site.page("/shop", REDESIGN)
    assert (await session.replay("remove")).result.healed == 0
    assert await done(session) == "removed green"


async def test_icons_without_a_name_are_told_apart_by_what_they_show_and_by_their_rows(
    session: Session, site: Site
) -> None:
    icons = {"edit": "M4 20h4L20 8z", "delete": "M3 6h18M8 6V4h8v2"}
    buttons = {
        verb: f"<button onclick=\"done.textContent='{verb} ROW'\"><svg width=20><path d='{path}'/></svg></button>"
        for verb, path in icons.items()
    }
    was = [f"<tr><td>{row}<td>{buttons['edit']}{buttons['delete']}".replace("ROW", row) for row in ("Ada", "Bob")]
    now = [f"<div><b>{row}</b><p>{buttons['delete']}<i>{buttons['edit']}</i></p></div>".replace("ROW", row)
           for row in ("Bob", "Cy", "Ada")]  # fmt: skip
    await session.navigate(site.page("/icons", f"<h1>People</h1><table>{''.join(was)}</table><p id=done></p>"))
    async with session.recording("icons"):
        await session.click("tr:nth-of-type(1) button:nth-of-type(2)")
    site.page("/icons", f"<h1>People</h1>{''.join(now)}<p id=done></p>")
    await session.replay("icons")
    assert await done(session) == "delete Ada"
    site.page("/icons", f"<h1>People</h1>{now[0]}{now[1]}<p id=done></p>")
    assert isinstance(await error_of(session.replay("icons")), AmbiguousTarget)
    assert await done(session) == ""


async def test_a_replay_stops_where_the_row_is_gone_and_names_what_is_left(session: Session, site: Site) -> None:
    await session.navigate(site.page("/shop", SHOP))
    async with session.recording("remove"):
        await session.click("tr:nth-of-type(1) button")
    site.page("/shop", SHOP.replace("Green tea", "Herbal infusion").replace("removed green", "removed herbal"))
    error = await error_of(session.replay("remove"))
    assert isinstance(error, AmbiguousTarget)
    assert "Step 2 of 2, click" in error.message and "Herbal infusion" in error.message
    assert await done(session) == ""


@pytest.mark.slow
async def test_a_replay_stops_where_two_elements_would_do(session: Session, site: Site) -> None:
    await record_order(session, site)
    twice = SHOP.replace(
        "<button id=send>Place order</button>", "<button>Place an order</button> <button>Place orders</button>"
    )
    site.page("/shop", twice)
    error = await error_of(session.replay("order"))
    assert isinstance(error, AmbiguousTarget)
    assert 'button "Place an order"' in error.message and 'button "Place orders"' in error.message


async def test_what_stands_in_its_place_is_not_taken_for_it(session: Session, site: Site) -> None:
    await record_order(session, site)
    site.page("/shop", SHOP.replace("Place order", "Delete all").replace("id=send", "id=gone"))
    error = await error_of(session.replay("order"))
    assert isinstance(error, ElementNotFound)
    assert "Step 5 of 6, click" in error.message and 'button "Delete all"' in error.message


@pytest.mark.slow
async def test_a_replay_fails_where_an_assertion_does(session: Session, site: Site) -> None:
    await record_order(session, site)
    site.page("/shop", SHOP.replace("Ordered:", "Refused:"))
    error = await error_of(session.replay("order"))
    assert isinstance(error, ExpectationFailed)
    assert len(error.outcome.result.steps) == 5


@pytest.mark.slow
async def test_a_parameter_that_is_not_known_is_refused_before_anything_runs(session: Session, site: Site) -> None:
    await record_order(session, site)
    assert isinstance(await error_of(session.replay("order", set=["nobody=1"])), InvalidArguments)
    assert isinstance(await error_of(session.replay("missing")), InvalidArguments)


@pytest.mark.slow
async def test_popups_and_frames_are_found_again(session: Session, site: Site) -> None:
    site.page("/inner", "<button onclick=\"this.textContent='Pressed'\">Press</button>")
    site.page("/second", "<h1>Second</h1><button onclick=\"document.title='ok'\">Go on</button>")
    await session.navigate(
        site.page("/first", "<iframe src=/inner title=Inner></iframe><a href=/second target=_blank>Open it</a>")
    )
    async with session.recording("tabs"):
        await session.click('button "Press"')
        await session.click('link "Open it"')
        tabs = (await session.tabs()).result.tabs
        await session.using(tab=tabs[-1].id).click('button "Go on"')
    await session.tabs("close", tab=tabs[-1].id)
    result = (await session.replay("tabs")).result
    assert [step.action for step in result.steps][-2:] == ["tabs", "click"]
    front = (await session.tabs()).result.tabs[-1]
    assert front.title == "ok"
