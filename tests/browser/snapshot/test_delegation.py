"""Containers that listen for what is inside them: React, Solid, Svelte, jQuery and plain listeners."""

from __future__ import annotations

import pytest
from tests.site import Site

from rove import Session

pytestmark = pytest.mark.one_session

TEXTS = (
    "<h1>Challenges</h1><div id=a class=box>Right-click me</div><div id=b class=toggle>Show password</div><p>Words.</p>"
)
# Listens for as many kinds of events as React does at its root.
ROOT = "for (let n = 0; n < 40; n += 1) root.addEventListener(n ? 'kind' + n : 'click', () => {});"
SELECTORS = "{events: {click: [{selector: '.box'}], dblclick: [{selector: '.toggle'}]}}"


async def snapshot_of(session: Session, site: Site, body: str, script: str) -> str:
    await session.navigate(site.page("/", f"{body}<script>{script}</script>"))
    return (await session.snapshot()).result.text


@pytest.mark.parametrize(
    "script",
    [
        f"{ROOT} a.__reactProps$x = {{onContextMenu() {{}}}}; b.__reactProps$x = {{onClick() {{}}}};",
        "document.addEventListener('click', () => {}); a.$$click = () => {}; b.$$mousedown = [() => {}, 1];",
        "root.addEventListener('click', () => {}); a[Symbol('events')] = b[Symbol('events')] = {click() {}};",
        f"root.addEventListener('click', () => {{}}); root.jQuery37 = {SELECTORS};",
        f"document.addEventListener('click', () => {{}}); document.jQuery37 = {SELECTORS};",
        "for (const it of [root, a, b]) it.addEventListener('click', () => {});",
        "root.addEventListener('click', () => {}); a.style.cursor = b.style.cursor = 'pointer';",
    ],
    ids=["React", "Solid", "Svelte", "jQuery", "jQuery on the document", "own listeners", "cursors"],
)
async def test_elements_whose_handlers_are_known_are_the_controls(session: Session, site: Site, script: str) -> None:
    seen = await snapshot_of(session, site, f"<div id=root>{TEXTS}</div>", script)
    lines = [line.split(" [e")[0] for line in seen.splitlines()]
    assert lines == [
        'heading "Challenges" level=1',
        'clickable "Right-click me"',
        'clickable "Show password"',
        '"Words."',
    ]


@pytest.mark.parametrize("listener", ["document", "document.body", "root"])
async def test_if_nothing_tells_what_is_pressed_all_texts_of_a_small_container_have_refs(
    session: Session, site: Site, listener: str
) -> None:
    seen = await snapshot_of(
        session, site, f"<div id=root>{TEXTS}</div>", f"{listener}.addEventListener('click', () => {{}})"
    )
    assert all("[e" in line for line in seen.splitlines())
    assert 'clickable "Right-click me" [e' in seen and 'heading "Challenges" level=1 [e' in seen


async def test_texts_in_the_items_of_a_listening_list_have_refs(session: Session, site: Site) -> None:
    items = "<li><span>Milk</span><span class=x>x</span></li><li><span>Bread</span><span class=x>x</span></li>"
    seen = await snapshot_of(session, site, f"<ul id=list>{items}</ul>", "list.addEventListener('click', () => {})")
    assert 'clickable "Milk" [e' in seen and 'clickable "Bread" [e' in seen and seen.count('clickable "x" [e') == 2


async def test_the_cells_of_a_listening_table_have_refs(session: Session, site: Site) -> None:
    board = "<table id=board>" + "<tr><td></td><td>X</td><td></td></tr>" * 3 + "</table>"
    seen = await snapshot_of(session, site, board, "board.addEventListener('click', () => {})")
    assert seen.count("cell") == 9


@pytest.mark.parametrize("tags", [("ul", "li"), ("table", "tr")])
async def test_the_items_of_a_long_listening_list_have_refs(
    session: Session, site: Site, tags: tuple[str, str]
) -> None:
    outer, item = tags
    inner = "<td>Row {0}</td><td>Paid</td>" if item == "tr" else "Row {0}"
    items = "".join(f"<{item}>{inner.format(number)}</{item}>" for number in range(60))
    seen = await snapshot_of(session, site, f"<{outer} id=l>{items}</{outer}>", "l.addEventListener('click', () => {})")
    assert seen.count("item [e" if item == "li" else "row [e") == 60


async def test_a_card_with_a_pointer_cursor_is_one_control(session: Session, site: Site) -> None:
    card = "<div id=card style='cursor: pointer'><h3>Card</h3><p>Words</p></div>"
    seen = await snapshot_of(session, site, card, "card.addEventListener('click', () => {})")
    assert seen.startswith('clickable "Card Words" [e')


@pytest.mark.parametrize("modal", ["tabindex=0", "id=m"])
async def test_buttons_made_of_divs_are_not_folded_into_their_dialog(session: Session, site: Site, modal: str) -> None:
    button = "<div style='cursor: pointer'>{}</div>"
    body = f"<div {modal}><div>Close your account?</div>{button.format('Keep it')}{button.format('Close it')}</div>"
    seen = await snapshot_of(session, site, body, "document.querySelector('#m')?.addEventListener('click', () => {})")
    assert 'clickable "Keep it" [e' in seen and 'clickable "Close it" [e' in seen
    assert "account? Keep" not in seen


async def test_a_container_that_was_empty_at_first_is_not_a_control_later(session: Session, site: Site) -> None:
    script = (
        "root.addEventListener('click', () => {}); add = () => { root.innerHTML = '<button>Buy</button><p>Words</p>' }"
    )
    await snapshot_of(session, site, "<div id=root></div>", script)
    await session.evaluate("add()")
    seen = (await session.snapshot()).result.text
    assert "clickable" not in seen and 'button "Buy"' in seen


async def test_listeners_in_shadow_roots_are_found(session: Session, site: Site) -> None:
    script = "const root = host.attachShadow({mode: 'open'}); root.innerHTML = '<div>Press me</div><div>Not me</div>';"
    script += "root.firstChild.addEventListener('click', () => {})"
    seen = await snapshot_of(session, site, "<div id=host></div>", script)
    assert 'clickable "Press me" [e' in seen and '"Not me"' in seen.splitlines()


async def test_an_element_that_has_just_begun_to_listen_is_in_the_next_snapshot(session: Session, site: Site) -> None:
    await snapshot_of(session, site, "<p id=late>Later</p>", "")
    for kind in ("click", "mousedown"):
        await session.evaluate(f"late.replaceWith(late.cloneNode(true)); late.addEventListener('{kind}', () => {{}})")
        assert 'clickable "Later" [e' in (await session.snapshot()).result.text


async def test_every_element_of_a_long_page_that_listens_has_a_ref(session: Session, site: Site) -> None:
    rows = "".join(f"<div class=r>Row {number}</div><p>Words</p>" for number in range(250))
    script = "for (const it of document.querySelectorAll('.r')) it.addEventListener('click', () => {})"
    await session.navigate(site.page("/", f"{rows}<script>{script}</script>"))
    seen = (await session.snapshot(budget=50_000)).result.text
    assert seen.count('clickable "Row') == 250
