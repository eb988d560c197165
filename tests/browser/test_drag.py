"""Dragging: pointer events, drag and drop, points on the way, and what holds or ends a drag."""

from __future__ import annotations

import pytest
from tests.site import Site

from rove import Session
from rove.errors import (
    ElementGone,
)

pytestmark = pytest.mark.one_session


async def test_drag_with_pointer_events_moves_the_element(session: Session, site: Site) -> None:
    page = """
    <style>div { width: 80px; height: 80px; position: absolute; top: 50px }</style>
    <div id=box style='left: 20px; background: red'></div><div id=goal style='left: 400px; background: blue'></div>
    <script>
      let held = false;
      box.onpointerdown = () => { held = true };
      document.onpointermove = (event) => { if (held) box.style.left = event.clientX - 40 + 'px' };
      document.onpointerup = () => { held = false };
    </script>"""
    await session.navigate(site.page("/", page))
    await session.drag("#box", "#goal")
    assert (await session.evaluate("box.style.left")).result.value == "400px"


async def test_drag_and_drop_transfers_its_data(session: Session, site: Site) -> None:
    page = """
    <div id=card draggable=true style='width: 80px; height: 40px'>Card</div>
    <div id=bin style='width: 200px; height: 200px; margin-top: 100px; background: #ddd'>Bin</div>
    <script>
      card.ondragstart = (event) => event.dataTransfer.setData('text/plain', 'the card');
      bin.ondragover = (event) => event.preventDefault();
      bin.ondrop = (event) => { bin.textContent = 'Got ' + event.dataTransfer.getData('text/plain') };
    </script>"""
    await session.navigate(site.page("/", page))
    outcome = await session.drag("#card", "#bin")
    assert "Got the card" in outcome.changes.text


async def test_drag_reaches_a_target_below_the_fold(session: Session, site: Site) -> None:
    page = """
    <div id=card draggable=true style='width: 80px; height: 40px'>Card</div>
    <div id=bin style='width: 200px; height: 100px; margin-top: 600px; background: #ddd'>Bin</div>
    <div style='height: 2000px'></div>
    <script>
      card.ondragstart = (event) => event.dataTransfer.setData('text/plain', 'the card');
      bin.ondragover = (event) => event.preventDefault();
      bin.ondrop = (event) => { bin.textContent = 'Got ' + event.dataTransfer.getData('text/plain') };
    </script>"""
    await session.navigate(site.page("/", page))
    outcome = await session.drag("#card", "#bin")
    assert "Got the card" in outcome.changes.text


PATH = """<body style='margin: 0'><div id=pad style='width: 400px; height: 400px; touch-action: none'></div><script>
  path = []; held = 0;
  pad.onpointerdown = () => { held = performance.now() };
  pad.onpointermove = (event) => { if (held) path.push([event.clientX, event.clientY]) };
  pad.onpointerup = () => { stayed = performance.now() - held; held = 0 };
</script>"""


async def test_drag_goes_through_points_on_the_way(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", PATH))
    await session.drag("50,50", "350,350", through=("350,50", "50,350"))
    path = (await session.evaluate("path")).result.value
    corners = [path.index(corner) for corner in ([350, 50], [50, 350], [350, 350])]
    assert corners == sorted(corners)
    assert len(path) > 30


async def test_drag_goes_through_elements_on_the_way(session: Session, site: Site) -> None:
    page = """<style>b { display: block; width: 40px; height: 40px; margin: 30px }</style>
    <b id=one>1</b><b id=two>2</b><b id=three>3</b><script>
      seen = []; onpointerover = (event) => { if (event.buttons && event.target.id) seen.push(event.target.id) };
    </script>"""
    await session.navigate(site.page("/", page))
    await session.drag("#one", "#one", through=("#three", "#two"))
    assert (await session.evaluate("seen.join()")).result.value == "two,three,two,one"


async def test_drag_holds_before_it_drops(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", PATH))
    await session.drag("50,50", "350,350", hold=0.3)
    assert (await session.evaluate("stayed")).result.value >= 600


async def test_a_drag_that_holds_over_a_target_keeps_firing_dragover(session: Session, site: Site) -> None:
    page = """<p id=card draggable=true style='width: 80px'>Card</p><p id=bin style='height: 90px'>Bin</p><script>
      first = last = 0; card.ondragstart = (event) => event.dataTransfer.setData('text/plain', 'x');
      bin.ondragover = (event) => { event.preventDefault(); last = performance.now(); first ||= last };
      bin.ondrop = () => { stayed = last - first };
    </script>"""
    await session.navigate(site.page("/", page))
    await session.drag("#card", "#bin", hold=0.5)
    assert (await session.evaluate("stayed")).result.value >= 300


async def test_a_drag_whose_target_is_removed_releases_the_button(session: Session, site: Site) -> None:
    page = """<p id=card style='user-select: none'>Card</p><p id=bin>Bin</p><script>
      held = false; card.onpointerdown = () => { held = true; bin.remove() }; onpointerup = () => { held = false };
    </script>"""
    await session.navigate(site.page("/", page))
    (match,) = (await session.find(text="Bin")).result.matches
    assert match.ref is not None
    with pytest.raises(ElementGone):
        await session.drag("#card", match.ref)
    assert (await session.evaluate("held")).result.value is False
