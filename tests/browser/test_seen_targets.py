"""Targets by role and name that match both what is seen and what is not."""

from __future__ import annotations

import pytest
from tests.site import Site

from rove import Session
from rove.errors import AmbiguousTarget, ElementNotReady

pytestmark = pytest.mark.one_session

# A list for choosing that stands in for a select, which is there but transparent, or shrunk to a pixel.
LISTS = """<select multiple style='STYLE'><option>Basil<option>Olives</select>
  <div role=listbox><div role=option onclick="said.textContent = 'pressed'">Basil</div>
    <div role=option onclick="said.textContent = 'pressed'">Olives</div></div><p id=said></p>"""
HIDDEN_STYLES = ["opacity: 0", "position: absolute; clip: rect(0 0 0 0); width: 1px; height: 1px; overflow: hidden"]


@pytest.mark.parametrize("style", HIDDEN_STYLES)
async def test_a_role_and_a_name_mean_the_one_element_that_is_seen(session: Session, site: Site, style: str) -> None:
    await session.navigate(site.page("/", LISTS.replace("STYLE", style)))
    await session.click('option "Olives"')
    assert (await session.evaluate("said.textContent")).result.value == "pressed"


async def test_several_seen_elements_are_ambiguous(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", LISTS.replace("STYLE", "")))
    with pytest.raises(AmbiguousTarget):
        await session.click('option "Olives"')


async def test_a_hidden_element_is_found_if_it_is_the_only_one(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<button style='position: absolute; left: -999px'>Go"))
    with pytest.raises(ElementNotReady):
        await session.using(timeout=3).click('button "Go"')


async def test_styled_checkboxes_are_as_good_as_plain_ones(session: Session, site: Site) -> None:
    page = "<label><input type=checkbox style='opacity: 0'>Milk</label><label><input type=checkbox>Milk</label>"
    await session.navigate(site.page("/", page))
    with pytest.raises(AmbiguousTarget):
        await session.check('checkbox "Milk"')
