"""Acts on elements that lie behind an open dialog."""

from __future__ import annotations

import time

import pytest
from tests.site import Site

from rove import Session
from rove.errors import ElementNotReady

pytestmark = pytest.mark.one_session

# Seconds; what is covered by something else is waited for five.
SOON = 3.0
BACKDROP = "style='position: fixed; inset: 0; background: #0008'"
PANEL = "style='position: fixed; top: 40%; left: 40%; background: white; z-index: 2'"
PAGE = "<button id=b onclick=\"out.textContent = 'pressed'\">Pay</button><p id=out></p>"
DIALOGS = {
    "native": "<dialog id=d aria-label='Delete it?'>Sure?</dialog><script>d.showModal()</script>",
    "backdrop beside it": f"<div {BACKDROP}></div><div {PANEL} role=dialog aria-label='Delete it?'>Sure?</div>",
    "backdrop around it": f"<div {BACKDROP}><div role=alertdialog aria-label='Delete it?'>Sure?</div></div>",
    "dialog as backdrop": f"<div {BACKDROP} role=dialog aria-modal=true aria-label='Delete it?'>Sure?</div>",
}


@pytest.mark.parametrize("name", DIALOGS)
async def test_a_press_behind_a_dialog_is_refused_soon_and_names_the_dialog(
    session: Session, site: Site, name: str
) -> None:
    await session.navigate(site.page("/", PAGE + DIALOGS[name]))
    began = time.monotonic()
    with pytest.raises(ElementNotReady, match=r'is behind (alert)?dialog "Delete it\?"') as caught:
        await session.click("#b")
    assert time.monotonic() - began < SOON
    assert "Close the dialog" in caught.value.hint


async def test_a_press_waits_for_a_dialog_that_is_closing(session: Session, site: Site) -> None:
    closing = f"""<div {BACKDROP} id=d role=dialog aria-label=Wait>Saved</div><script>
      d.animate([{{ opacity: 1 }}, {{ opacity: 0.1 }}], 2500).onfinish = () => d.remove()</script>"""
    await session.using(quiet=True).navigate(site.page("/", PAGE + closing))
    await session.click("#b")
    assert (await session.evaluate("out.textContent")).result.value == "pressed"


async def test_a_cover_that_is_no_dialog_is_named_as_it_is(session: Session, site: Site) -> None:
    cover = f"<div {BACKDROP}>Loading</div><div role=dialog hidden>Later</div>"
    await session.navigate(site.page("/", PAGE + cover))
    with pytest.raises(ElementNotReady, match="is covered by"):
        await session.click("#b")
