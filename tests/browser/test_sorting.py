"""Drags that sort lists, in the ways in which the common libraries decide where an item goes."""

from __future__ import annotations

import pytest
from tests.site import Site

from rove import Session

# The whole run must stay short; `make test-all` runs these too.
pytestmark = pytest.mark.slow

STYLE = """<style>
  ul { list-style: none; margin: 0 0 20px; padding: 6px; border: 1px solid; min-height: 60px }
  li { user-select: none; height: 34px; width: 90px; margin: 4px; border: 1px solid }
  .across { display: flex } .across li { height: 60px }
</style>"""
# Inserts before or after the item under the pointer when it is dropped, by the half of the item that it is in.
DROP_IN_A_HALF = """
  let dragged;
  for (const item of document.querySelectorAll('li')) {
    item.draggable = true;
    item.ondragstart = () => { dragged = item };
  }
  for (const list of document.querySelectorAll('ul')) {
    list.ondragover = (event) => event.preventDefault();
    list.ondrop = (event) => {
      const item = event.target.closest('li');
      if (!item) return list.append(dragged);
      const box = item.getBoundingClientRect();
      const isAfter = isAcross ? event.clientX > box.left + box.width / 2 : event.clientY > box.top + box.height / 2;
      list.insertBefore(dragged, isAfter ? item.nextSibling : item);
    };
  }"""
# Moves the item while it is dragged, when the pointer passes the middle of another in the direction in which it moves.
PASS_THE_MIDDLE = """
  let dragged = null, last = 0;
  const along = (event) => isAcross ? event.clientX : event.clientY;
  addEventListener('pointerdown', (event) => { dragged = event.target.closest('li'); last = along(event) });
  addEventListener('pointermove', (event) => {
    if (!dragged) return;
    const way = Math.sign(along(event) - last);
    last = along(event);
    dragged.style.pointerEvents = 'none';
    const hit = document.elementFromPoint(event.clientX, event.clientY);
    const item = hit.closest('li'), list = hit.closest('ul');
    if (!item) return list && list !== dragged.parentNode && list.append(dragged);
    const box = item.getBoundingClientRect();
    const middle = isAcross ? box.left + box.width / 2 : box.top + box.height / 2;
    if (way > 0 && last > middle) item.after(dragged);
    if (way < 0 && last < middle) item.before(dragged);
  });
  addEventListener('pointerup', () => { if (dragged) dragged.style.pointerEvents = ''; dragged = null });"""
# Moves the item while it is dragged, and then ignores the pointer for a while.
LOOK_NOW_AND_THEN = """
  let dragged, isDeaf = false;
  const order = () => [...document.querySelectorAll('li')];
  for (const item of order()) {
    item.draggable = true;
    item.ondragstart = () => { dragged = item };
  }
  for (const list of document.querySelectorAll('ul')) list.ondragover = (event) => {
    event.preventDefault();
    const item = event.target.closest('li');
    if (isDeaf || item === dragged || (!item && list === dragged.parentNode)) return;
    isDeaf = true;
    setTimeout(() => { isDeaf = false }, 30);
    if (!item) list.append(dragged);
    else if (order().indexOf(dragged) < order().indexOf(item)) item.after(dragged);
    else item.before(dragged);
  };"""
# Moves the item while it is dragged. The others slide to their new places, and meanwhile are found where they were.
SLIDE = """
  let dragged;
  const order = () => [...document.querySelectorAll('li')];
  const slide = (item, from) => {
    const to = item.getBoundingClientRect();
    const shift = `translate(${from.left - to.left}px, ${from.top - to.top}px)`;
    if (item !== dragged) item.animate([{ transform: shift }, { transform: 'none' }], 200);
  };
  for (const item of order()) {
    item.draggable = true;
    item.ondragstart = () => { dragged = item };
  }
  for (const list of document.querySelectorAll('ul')) list.ondragenter = list.ondragover = (event) => {
    event.preventDefault();
    const item = event.target.closest('li');
    if (item === dragged || (!item && list === dragged.parentNode)) return;
    const before = order().map((each) => [each, each.getBoundingClientRect()]);
    if (!item) list.append(dragged);
    else if (order().indexOf(dragged) < order().indexOf(item)) item.after(dragged);
    else item.before(dragged);
    for (const [each, box] of before) slide(each, box);
  };"""
WAYS = {"half": DROP_IN_A_HALF, "middle": PASS_THE_MIDDLE, "deaf": LOOK_NOW_AND_THEN, "slide": SLIDE}


def page(way: str, is_across: bool) -> str:
    kind = "across" if is_across else ""
    lists = [
        f"<ul id=list{number} class='{kind}'>{''.join(f'<li id={letter}>{letter}' for letter in letters)}</ul>"
        for number, letters in enumerate(("abcde", "xyz", ""), 1)
    ]
    return f"{STYLE}{''.join(lists)}<script>const isAcross = {str(is_across).lower()};{WAYS[way]}</script>"


async def order(session: Session, number: int = 1) -> str:
    letters = f"[...document.querySelectorAll('#list{number} li')].map(item => item.id).join('')"
    return str((await session.evaluate(letters)).result.value)


@pytest.mark.parametrize("is_across", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("way", WAYS)
async def test_an_item_takes_the_place_of_the_one_that_it_is_dragged_onto(
    session: Session, site: Site, way: str, is_across: bool
) -> None:
    url = site.page("/", page(way, is_across))
    for source, target, expected in (
        ("a", "c", "bcade"),
        ("e", "b", "aebcd"),
        ("c", "d", "abdce"),
        ("b", "a", "bacde"),
    ):
        await session.using(quiet=True).navigate(url)
        await session.using(quiet=True).drag(f"#{source}", f"#{target}")
        assert await order(session) == expected, (source, target)


@pytest.mark.parametrize("is_across", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("way", WAYS)
async def test_an_item_is_dragged_into_another_list(session: Session, site: Site, way: str, is_across: bool) -> None:
    await session.using(quiet=True).navigate(site.page("/", page(way, is_across)))
    await session.using(quiet=True).drag("#a", "#list3")
    assert await order(session, 3) == "a"
    await session.using(quiet=True).drag("#b", "#y")
    assert await order(session, 2) in ("xbyz", "xybz")
    assert await order(session) == "cde"


async def test_a_drag_finds_its_target_after_the_page_has_made_room(session: Session, site: Site) -> None:
    page = """<div id=card style='width: 90px; height: 30px; background: silver'>Card</div>
      <div id=room></div><div id=bin style='margin-top: 150px; width: 200px; height: 40px; background: tan'>Bin</div>
      <script>
        let isDown = false;
        card.onpointerdown = () => { isDown = true };
        onpointermove = (event) => {
          if (isDown && event.clientY > 60) requestAnimationFrame(() => { room.style.height = '120px' });
        };
        onpointerup = (event) => { document.title = document.elementFromPoint(event.clientX, event.clientY).id };
      </script>"""
    await session.navigate(site.page("/", page))
    assert (await session.drag("#card", "#bin")).title == "bin"
