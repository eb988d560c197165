"""A page that replaces or empties its own document cannot stop rove from reading it or acting on it."""

from __future__ import annotations

import pytest
from tests.site import Site

from rove import Session
from rove.actions.input import Click
from rove.errors import ElementNotFound

pytestmark = pytest.mark.one_session

CONTROLS = "<button id=b onclick=this.textContent=1>B</button><input id=i><select id=s><option>x<option>y</select>"
WRITTEN = {
    "open": f"document.open(); document.write('{CONTROLS}'); document.close()",
    "left open": f"document.open(); document.write('{CONTROLS}')",
    "another root": f"const r = document.createElement('html'); r.innerHTML = '<body>{CONTROLS}';"
    "document.replaceChild(r, document.documentElement)",
    "a root of another kind": f"const r = document.createElement('div'); r.innerHTML = '{CONTROLS}';"
    "document.replaceChild(r, document.documentElement)",
    "no body": f"const r = document.createElement('div'); r.innerHTML = '{CONTROLS}';"
    "document.body.remove(); document.documentElement.append(r)",
}
EMPTIED = {
    "open": "document.open()",
    "removed": "document.documentElement.remove()",
    "only a comment": "document.replaceChildren(document.createComment('x'))",
}


@pytest.mark.parametrize("name", WRITTEN)
async def test_a_replaced_document_is_acted_on_as_any_other(session: Session, site: Site, name: str) -> None:
    await session.navigate(site.page("/", f'<button id=go onclick="{WRITTEN[name]}">Go</button>'))
    await session.click("#go")
    await session.click('button "B"')
    await session.fill("#i", "one")
    await session.type(" two", "#i")
    await session.select("#s", ("y",))
    await session.hover("#b")
    values = await session.evaluate("[b.textContent, i.value, s.value]")
    assert values.result.value == ["1", "one two", "y"]
    assert 'button "1"' in (await session.snapshot()).result.text


@pytest.mark.parametrize("frame", [False, True])
@pytest.mark.parametrize("name", EMPTIED)
async def test_a_document_without_any_element_is_only_empty(
    session: Session, site: Site, name: str, frame: bool
) -> None:
    inner = site.page("/inner", f'<button id=go onclick="{EMPTIED[name]}">Go</button>')
    await session.navigate(site.page("/", f"<iframe src='{inner}'></iframe>") if frame else inner)
    await session.click("#go")
    with pytest.raises(ElementNotFound):
        await session.run(Click('button "B"'), timeout=2)
    assert (await session.find("B")).result.total == 0
    await session.snapshot()
    await session.scroll(direction="down")
    await session.extract()
