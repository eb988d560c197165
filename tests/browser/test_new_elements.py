"""Acts on what has just appeared: they wait until it reacts."""

from __future__ import annotations

from typing import Any

import pytest
from tests.site import Site

from rove import Session

pytestmark = pytest.mark.one_session


async def value(session: Session, expression: str) -> Any:
    return (await session.using(quiet=True).evaluate(expression)).result.value


@pytest.mark.parametrize("tag", ["div", *(pytest.param(tag, marks=pytest.mark.slow) for tag in ("button", "a"))])
async def test_a_press_waits_for_the_listener_of_an_element_that_has_just_appeared(
    session: Session, site: Site, tag: str
) -> None:
    page = f"""<button id=show>Open</button><p id=pressed>0</p><script>
      show.onclick = () => {{
        document.getElementById('late')?.remove();
        const late = document.createElement('{tag}');
        late.id = 'late';
        late.textContent = 'Late';
        document.body.append(late);
        setTimeout(() => late.addEventListener('click', () => pressed.textContent -= -1), 120);
      }}</script>"""
    await session.navigate(site.page("/", page))
    quiet = session.using(quiet=True)
    for _ in range(5):
        await quiet.evaluate("show.onclick()")
        await quiet.click("#late")
    assert await value(session, "pressed.textContent") == "5"


async def test_an_element_whose_ancestor_listens_is_pressed_at_once(session: Session, site: Site) -> None:
    page = (
        """<main id=root></main><script>root.onclick = (event) => { event.target.textContent = Date.now() }</script>"""
    )
    await session.navigate(site.page("/", page))
    began = await value(session, "root.innerHTML = '<div id=new>New</div>', Date.now()")
    await session.using(quiet=True).click("#new")
    pressed = await value(session, "Number(document.getElementById('new').textContent)")
    assert pressed >= began


async def test_escape_closes_a_dialog_that_is_still_opening(session: Session, site: Site) -> None:
    """As dialogs of widely used kits do, it ignores keys until its transition is over."""
    page = """<style>#box { opacity: 0; transition: opacity 400ms } #box.shown { opacity: 1 }</style>
      <button id=show>Open</button><div id=box role=dialog aria-modal=true hidden tabindex=-1>Terms</div><script>
      let isOpening = false;
      show.onclick = () => {
        box.hidden = false; isOpening = true; box.offsetWidth; box.className = 'shown'; box.focus();
        box.ontransitionend = () => { isOpening = false };
      };
      addEventListener('keydown', (event) => { if (event.key === 'Escape' && !isOpening) box.hidden = true });
      </script>"""
    await session.navigate(site.page("/", page))
    await session.using(quiet=True).evaluate("show.onclick()")
    await session.using(quiet=True).press("Escape")
    assert await value(session, "box.hidden") is True
