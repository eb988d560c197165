"""Selects that a widget of the page stands in for."""

from __future__ import annotations

import pytest
from tests.site import Site

from rove import Session
from rove.errors import ElementNotReady

pytestmark = pytest.mark.one_session

# The widget opens its list when the select, or its own box, has the focus, and closes it when the focus leaves.
PAGE = """<style>.gone { position: absolute; width: 1px; height: 1px; overflow: hidden; opacity: 0 }</style>
  <select id=s class=gone aria-label=Land><option>Norway<option>Sweden</select>
  <div id=box tabindex=0 role=combobox aria-expanded=false aria-label=Land>Norway</div>
  <ul id=list role=listbox hidden style='position: absolute; z-index: 1; margin: 0; height: 200px; width: 300px;
    background: white'><li role=option>Norway<li role=option>Sweden</ul>
  <button onclick="done.textContent = 'pressed'">Go</button><p id=done></p><script>
    const show = (open) => { list.hidden = !open; box.setAttribute('aria-expanded', open) };
    box.onfocus = () => show(true);
    box.onblur = () => show(false);
    s.EVENT = () => box.focus();
    s.onchange = (event) => { box.textContent = s.value; if ('EVENT' === 'onchange') box.focus() };
  </script>"""


@pytest.mark.parametrize("event", ["onfocus", pytest.param("onchange", marks=pytest.mark.slow)])
async def test_a_choice_leaves_no_list_open_over_the_page(session: Session, site: Site, event: str) -> None:
    await session.navigate(site.page("/", PAGE.replace("EVENT", event)))
    await session.select("#s", ("Sweden",))
    assert (await session.evaluate("[s.value, box.textContent, list.hidden]")).result.value == [
        "Sweden",
        "Sweden",
        True,
    ]
    await session.click('button "Go"')
    assert (await session.evaluate("done.textContent")).result.value == "pressed"


# The widget copies the options when the page loads, and never looks at the select again.
DEAF = """<style>select { position: absolute; opacity: 0; width: 1px; height: 1px } #box { min-height: 20px }</style>
  <label for=s>Land</label><select id=s MULTIPLE><option>Norway<option>Sweden</select>
  <div><div id=box tabindex=0 role=combobox aria-label=Land aria-expanded=false>Norway</div></div>
  <script>
    const log = [];
    s.onchange = () => log.push(s.value);
    if (s.multiple) box.textContent = '';
  </script>"""


@pytest.mark.parametrize("multiple", [pytest.param("", marks=pytest.mark.slow), "multiple"])
async def test_a_choice_that_the_widget_does_not_show_is_taken_back(
    session: Session, site: Site, multiple: str
) -> None:
    await session.navigate(site.page("/", DEAF.replace("MULTIPLE", multiple)))
    before = (await session.evaluate("s.value")).result.value
    with pytest.raises(ElementNotReady, match=r'combobox "Land" \[e\d+\]'):
        await session.select("#s", ("Sweden",))
    assert (await session.evaluate("[s.value, log.join()]")).result.value == [before, f"Sweden,{before}"]


async def test_a_choice_in_a_select_without_a_widget_is_kept(session: Session, site: Site) -> None:
    page = "<select id=s style='opacity: 0'><option>Norway<option>Sweden</select><p>Lands of the north</p><button>Go"
    await session.navigate(site.page("/", page))
    await session.select("#s", ("Sweden",))
    assert (await session.evaluate("s.value")).result.value == "Sweden"
