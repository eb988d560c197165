"""Dialogs and other layers over the page: they come first, and one line says that the rest is covered."""

from __future__ import annotations

import pytest
from tests.browser.snapshot.conftest import World

from rove.snapshot import difference, render

ITEMS = "".join(f"<li>Item {number} <button>Buy</button></li>" for number in range(20))
PAGE = f"<main id=page><h1>Shop</h1><a href=/cart>Cart</a><ul>{ITEMS}</ul><p>The end</p></main>"
FIXED = "position: fixed; inset: 0"
BACKDROP = f"<div id=back hidden style='{FIXED}; background: rgb(0 0 0 / 50%)'></div>"
BOX = "position: fixed; top: 90px; left: 300px; width: 400px; background: white"
CONTENT = "<h2 id=t>Delete it?</h2><button>Yes</button>"

LAYERS: dict[str, tuple[str, str, str]] = {
    "a modal dialog": (f"<dialog id=d aria-labelledby=t>{CONTENT}</dialog>", "d.showModal()", "d.close()"),
    "a dialog beside its backdrop": (
        f"{BACKDROP}<div id=d role=dialog aria-modal=true aria-labelledby=t hidden style='{BOX}'>{CONTENT}</div>",
        "back.hidden = d.hidden = false",
        "back.hidden = d.hidden = true",
    ),
    "a dialog in its backdrop": (
        f"<div id=d hidden style='{FIXED}; background: #0008'><div role=dialog aria-labelledby=t>{CONTENT}</div></div>",
        "d.hidden = false",
        "d.hidden = true",
    ),
    "a dialog that hides the page from screen readers": (
        f"<div id=d hidden style='{FIXED}'><div role=alertdialog aria-labelledby=t>{CONTENT}</div></div>",
        "d.hidden = false, page.ariaHidden = 'true', document.body.style.overflow = 'hidden'",
        "d.hidden = true, page.removeAttribute('aria-hidden'), document.body.style.overflow = ''",
    ),
}


@pytest.mark.parametrize("name", LAYERS)
async def test_a_dialog_that_opens_is_told_with_its_content_and_not_the_page_again(world: World, name: str) -> None:
    layer, opening, closing = LAYERS[name]
    await world.show(PAGE + layer)
    closed = await world.snapshot()
    await world.page.evaluate(f"void ({opening})")
    opened = await world.snapshot()
    lines = difference(closed, opened).text.splitlines()
    assert lines[0].startswith("dialog opened: ") and 'dialog "Delete it?"' in lines[0]
    assert 'button "Yes"' in lines[2] and lines[3].startswith("all else is covered by ") and len(lines) == 4
    await world.page.evaluate(f"void ({closing})")
    lines = difference(opened, await world.snapshot()).text.splitlines()
    assert lines[0].startswith("dialog closed: ") and lines[1:] == ["the rest of the page is no longer covered"]


@pytest.mark.parametrize("name", LAYERS)
async def test_one_line_says_that_all_else_is_covered(world: World, name: str) -> None:
    layer, opening, _ = LAYERS[name]
    await world.show(PAGE + layer)
    await world.page.evaluate(f"void ({opening})")
    text = await world.text()
    assert "all else is covered by" in text and 'dialog "Delete it?"' in text.splitlines()[0]
    assert text.count("covered") == 1 and "(aria-hidden)" not in text and "off-screen" not in text
    assert text.count('button "Buy"') == 20


async def test_a_long_list_behind_a_dialog_is_still_cut_between_its_items(world: World) -> None:
    boxes = "".join(f"<p>Part {number} <button>Go</button></p>" for number in range(30))
    dialog = f"<div style='{FIXED}; background: #0008'><div role=dialog aria-label=Ask><button>OK</button></div></div>"
    await world.show(boxes + dialog + "<p>Last <button>Go</button></p>")
    text = render(await world.snapshot(), 120).text
    assert text.startswith('dialog "Ask"') and "more [expand" in text and "all else is covered" in text


async def test_a_message_above_a_layer_is_not_behind_it(world: World) -> None:
    toast = "<div style='position: fixed; top: 0; right: 0; z-index: 9'><button>Undo</button></div>"
    await world.show(f"{PAGE}<div style='{FIXED}; background: white'><h2>Terms</h2><button>Agree</button></div>{toast}")
    lines = (await world.text()).splitlines()
    cover = next(place for place, line in enumerate(lines) if line.startswith("all else is covered by a layer"))
    above = " ".join(lines[:cover])
    assert 'button "Undo"' in above and 'button "Agree"' in above and 'heading "Shop"' not in above


UNCOVERED = {
    "an app in a fixed box": f"<div style='{FIXED}; overflow: auto'>{PAGE}</div>",
    "a picture behind the page": f"<div style='{FIXED}; z-index: -1; background: #eef'></div>{PAGE}",
    "a layer that lets presses through": f"{PAGE}<div style='{FIXED}; pointer-events: none'><p>Confetti</p></div>",
    "a first screen": f"<div style='position: absolute; inset: 0; height: 100vh'><h1>Hi</h1></div>"
    f"<div style='margin-top: 101vh'>{PAGE}</div>",
    "a fixed header": f"<header style='position: fixed; top: 0; width: 100%'><a href=/>Home</a></header>{PAGE}",
    "a box": f"{PAGE}<div role=dialog aria-label=Chat style='{BOX}'>{CONTENT}</div>",
}


@pytest.mark.parametrize("name", UNCOVERED)
async def test_a_page_that_can_be_used_is_not_said_to_be_covered(world: World, name: str) -> None:
    await world.show(UNCOVERED[name])
    assert "all else is covered" not in await world.text()
