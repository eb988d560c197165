"""Choices in the lists that custom controls open: with and without a native select behind them."""

from __future__ import annotations

from typing import Any

import pytest
from tests.site import Site

from rove import Session
from rove.actions.forms import FormField
from rove.errors import ElementNotReady, InvalidArguments

pytestmark = pytest.mark.one_session

STYLE = """<style>
  .gone { position: absolute; width: 1px; height: 1px; overflow: hidden; opacity: 0 }
  .list { position: absolute; z-index: 1; margin: 0; padding: 0; width: 300px; background: white; max-height: 200px;
    overflow: auto } .list [role=option], .list li { height: 30px }
  #box { min-height: 20px; width: 200px; border: 1px solid }</style>"""

# A widget over a hidden select, which copies the options when the page loads and never looks at the select again.
WIDGET = (
    STYLE
    + """<select id=s class=gone aria-label=Land><option>Norway<option>Sweden<option>Finland</select>
  <div><div id=box tabindex=0 BOX>Norway</div></div>
  <ul id=list class=list hidden></ul>
  <button onclick="done.textContent = 'pressed'">Go</button><p id=done></p><script>
    const log = [];
    s.onchange = () => log.push(s.value);
    const show = (open) => { list.hidden = !open; if (box.ariaExpanded) box.ariaExpanded = open };
    box.onclick = () => show(list.hidden);
    for (const { value } of s.options) {
      const item = document.createElement('li');
      item.textContent = value;
      if (box.role) item.role = 'option';
      item.onclick = () => {
        s.value = box.textContent = value; s.dispatchEvent(new Event('change', { bubbles: true })); CLOSE };
      list.append(item);
    }
    document.addEventListener('keydown', (event) => { if (event.key === 'Escape') show(false) });
  </script>"""
)
ARIA = "role=combobox aria-label=Land aria-expanded=false"


async def value(session: Session, expression: str) -> Any:
    return (await session.evaluate(expression)).result.value


@pytest.mark.parametrize(
    ("box", "close"),
    [
        (ARIA, "show(false)"),
        ("", ""),
        pytest.param(ARIA, "", marks=pytest.mark.slow),
        pytest.param("", "show(false)", marks=pytest.mark.slow),
    ],
)
async def test_a_choice_is_made_in_the_widget_of_a_hidden_select(
    session: Session, site: Site, box: str, close: str
) -> None:
    await session.navigate(site.page("/", WIDGET.replace("BOX", box).replace("CLOSE", close)))
    chosen = (await session.select("#s", ("Finland",))).result.options
    state = await value(session, "[s.value, box.textContent, log.join(), list.hidden]")
    assert (chosen, state) == (("Finland",), ["Finland", "Finland", "Finland", True])
    await session.click('button "Go"')
    assert await value(session, "done.textContent") == "pressed"


async def test_a_plain_button_beside_a_hidden_select_is_not_pressed(session: Session, site: Site) -> None:
    page = """<select id=s style='opacity: 0; width: 1px'><option>Small<option>Large</select>
      <button onclick="document.title = 'bought'">Buy Small</button>"""
    await session.navigate(site.page("/", page))
    with pytest.raises(ElementNotReady, match="did not follow"):
        await session.select("#s", ("Large",))
    assert await value(session, "[s.value, document.title]") == ["Small", ""]


# A list that can be searched, and that keeps the words of the last search when it is closed.
SEARCHED = (
    STYLE
    + """<div id=box role=combobox aria-label=Plant aria-expanded=false tabindex=0>Rose</div>
  <div id=panel hidden><input id=words><ul id=list role=listbox class=list></ul></div><script>
    const show = (open) => { panel.hidden = !open; box.ariaExpanded = open; FOCUS };
    const draw = () => list.replaceChildren(...['Rose', 'Fern', 'Iris']
      .filter((name) => name.toLowerCase().includes(words.value.toLowerCase())).map((name) => {
        const item = document.createElement('li');
        item.role = 'option'; item.textContent = name; item.ariaSelected = name === box.textContent;
        item.onclick = () => setTimeout(() => { box.textContent = name; show(false); draw() }, DELAY);
        return item;
      }));
    box.onclick = () => show(panel.hidden);
    words.oninput = draw;
    draw();
  </script>"""
)


@pytest.mark.parametrize(
    ("delay", "focus"), [pytest.param(0, "if (open) words.focus()", marks=pytest.mark.slow), (700, "")]
)
async def test_a_choice_is_found_though_the_list_keeps_an_earlier_search(
    session: Session, site: Site, delay: int, focus: str
) -> None:
    await session.navigate(site.page("/", SEARCHED.replace("DELAY", str(delay)).replace("FOCUS", focus)))
    await value(session, "words.value = 'ir', draw()")
    outcome = await session.select('combobox "Plant"', ("Fern",))
    assert await value(session, "[box.textContent, panel.hidden]") == ["Fern", True]
    assert "Fern" in outcome.changes.text
    with pytest.raises(InvalidArguments, match="Its options: Rose, Fern, Iris"):
        await session.select('combobox "Plant"', ("Oak",))


@pytest.mark.parametrize(
    ("page", "target", "label"),
    [
        (SEARCHED.replace("DELAY", "0").replace("FOCUS", ""), 'combobox "Plant"', "Rose"),
        (
            SEARCHED.replace("DELAY", "0").replace("FOCUS", "").replace("item.ariaSelected", "item.state"),
            "#box",
            "Rose",
        ),
        (WIDGET.replace("BOX", ARIA).replace("CLOSE", "show(false)"), "#s", "Norway"),
        ("<select id=s><option>Norway<option>Sweden</select>", "#s", "Norway"),
    ],
)
async def test_an_option_that_was_chosen_before_is_said_to_be(
    session: Session, site: Site, page: str, target: str, label: str
) -> None:
    await session.navigate(site.page("/", page))
    result = (await session.select(target, (label,))).result
    assert (str(result), result.was_changed) == (f"{label} was selected already.", False)


# Shows what is chosen as tags, and offers the rest; Backspace removes the last tag.
TAGS = (
    STYLE
    + """<select id=s class=gone multiple><option selected>Red<option selected>Green<option>Blue</select>
  <div><div id=tags></div><input id=box role=combobox aria-expanded=false aria-label=Colours></div>
  <ul id=list role=listbox class=list hidden></ul><script>
    const draw = () => {
      tags.textContent = [...s.selectedOptions].map((option) => option.value).join(' ');
      list.replaceChildren(...[...s.options].filter((option) => !option.selected).map((option) => {
        const item = document.createElement('li');
        item.role = 'option';
        item.textContent = option.value;
        item.onclick = () => { option.selected = true; draw() };
        return item;
      }));
    };
    const show = (open) => { list.hidden = !open; box.ariaExpanded = open };
    box.onfocus = () => show(true);
    box.onkeydown = (event) => {
      if (event.key === 'Escape') show(false);
      const last = [...s.selectedOptions].at(-1);
      if (event.key === 'Backspace' && last) { last.selected = false; draw() }
    };
    list.onmousedown = (event) => event.preventDefault();
    draw();
  </script>"""
)


async def test_several_options_replace_those_that_were_chosen(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", TAGS))
    await session.select("#s", ("Blue", "Red"))
    state = await value(session, "[tags.textContent, [...s.selectedOptions].map((o) => o.value).join(), list.hidden]")
    assert state == ["Red Blue", "Red,Blue", True]


# A combobox without a select. OPEN is the event that opens its list; EXTRA stands in the list.
COMBOBOX = (
    STYLE
    + """<label for=box>Town</label><div>
  <div id=box tabindex=0 role=combobox aria-label=Town aria-expanded=false aria-controls=list>None</div></div>
  <div id=list role=listbox class=list hidden>
    <div role=option>Oslo</div><div role=option data-value=no-2>Bergen <small>rainy</small></div>EXTRA</div>
  <button>Go</button><script>
    const show = (open) => { list.hidden = !open; box.ariaExpanded = open };
    box.addEventListener('OPEN', (event) => { if (!event.key || event.key === 'ArrowDown') show(true) });
    for (const item of list.querySelectorAll('[role=option]'))
      item.onclick = () => { box.textContent = item.firstChild.data.trim(); show(false) };
    addEventListener('keydown', (event) => { if (event.key === 'Escape') show(false) });
  </script>"""
)


@pytest.mark.parametrize(
    ("event", "want"),
    [
        ("click", "Bergen rainy"),
        ("mousedown", "bergen rainy"),
        ("keydown", "no-2"),
        *(
            pytest.param(event, want, marks=pytest.mark.slow)
            for event, want in (
                ("click", "bergen rainy"),
                ("click", "no-2"),
                ("mousedown", "Bergen rainy"),
                ("mousedown", "no-2"),
                ("keydown", "Bergen rainy"),
                ("keydown", "bergen rainy"),
            )
        ),
    ],
)
async def test_a_combobox_without_a_select_is_chosen_in(session: Session, site: Site, event: str, want: str) -> None:
    await session.navigate(site.page("/", COMBOBOX.replace("OPEN", event).replace("EXTRA", "")))
    chosen = (await session.select('combobox "Town"', (want,))).result.options
    assert (chosen, await value(session, "[box.textContent, list.hidden]")) == (("Bergen rainy",), ["Bergen", True])


async def test_an_unknown_option_is_refused_with_those_of_the_list_which_is_closed(
    session: Session, site: Site
) -> None:
    await session.navigate(site.page("/", COMBOBOX.replace("OPEN", "click").replace("EXTRA", "")))
    with pytest.raises(InvalidArguments, match=r'no option .Rome. in combobox "Town". Its options: Oslo, Bergen rainy'):
        await session.select('combobox "Town"', ("Rome",))
    assert await value(session, "[box.textContent, list.hidden]") == ["None", True]


async def test_a_button_in_a_list_is_no_option(session: Session, site: Site) -> None:
    extra = "<button onclick=\"document.title = 'deleted'\">Delete all</button>"
    await session.navigate(site.page("/", COMBOBOX.replace("OPEN", "click").replace("EXTRA", extra)))
    with pytest.raises(InvalidArguments):
        await session.select('combobox "Town"', ("Delete all",))
    assert await value(session, "document.title") == ""


async def test_a_list_that_stays_open_in_a_dialog_is_closed_without_the_dialog(session: Session, site: Site) -> None:
    page = COMBOBOX.replace("OPEN", "focus").replace("EXTRA", "").replace("; show(false) };", " };")
    script = "d.showModal(); list.onmousedown = (event) => event.preventDefault(); box.onblur = () => show(false)"
    page = f"<dialog id=d>{page}</dialog><script>{script}</script>"
    await session.navigate(site.page("/", page))
    await session.select('combobox "Town"', ("Oslo",))
    assert await value(session, "[box.textContent, list.hidden, d.open]") == ["Oslo", True, True]


# Draws the rows that are in view.
LONG = (
    STYLE
    + """<div id=box tabindex=0 role=combobox aria-label=Row aria-expanded=false>None</div>
  <div id=list class=list hidden><div id=all style='height: 15000px; position: relative'></div></div><script>
    const draw = () => all.replaceChildren(...Array.from({ length: 9 }, (_, place) => {
      const number = Math.floor(list.scrollTop / 30) + place;
      const row = document.createElement('div');
      row.role = 'option';
      row.textContent = `Row ${number}`;
      row.style = `position: absolute; width: 100%; top: ${number * 30}px`;
      row.onclick = () => { box.textContent = row.textContent; list.hidden = true };
      return row;
    }));
    list.onscroll = draw;
    box.onclick = () => { list.hidden = false; draw() };
  </script>"""
)


async def test_an_option_far_down_a_list_that_is_drawn_in_part_is_found(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", LONG))
    await session.select('combobox "Row"', ("Row 123",))
    assert await value(session, "box.textContent") == "Row 123"


# Offers what a server finds for the typed words, after a pause.
SEARCH = (
    STYLE
    + """<div><input id=box role=combobox aria-label=Bird aria-expanded=false></div>
  <div id=list role=listbox class=list></div><p id=chosen></p><script>
    let timer;
    const find = () => list.replaceChildren(...['Heron', 'Hawk'].filter((each) => each === box.value).map((each) => {
      const item = document.createElement('div');
      item.role = 'option';
      item.textContent = each;
      item.onclick = () => { chosen.textContent = each; list.replaceChildren() };
      return item;
    }));
    box.oninput = () => { clearTimeout(timer); timer = setTimeout(find, 400) };
  </script>"""
)


async def test_an_option_that_is_found_by_typing_is_searched_for(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", SEARCH))
    await session.select('combobox "Bird"', ("Hawk",))
    assert await value(session, "chosen.textContent") == "Hawk"
    with pytest.raises(ElementNotReady):
        await session.select('combobox "Bird"', ("Robin",))
    assert await value(session, "[chosen.textContent, box.value]") == ["Hawk", ""]


LISTBOX = """<ul id=list role=listbox aria-label=Days aria-multiselectable=true>
    <li role=option aria-selected=true>Monday<li role=option aria-selected=false>Tuesday
    <li role=option aria-selected=false>Friday</ul>
  <ul role=listbox aria-label=Nights><li role=option>Friday</ul><script>
    for (const day of list.children) day.onclick = () => { day.ariaSelected = day.ariaSelected !== 'true' };
  </script>"""


async def test_a_listbox_on_the_page_gets_exactly_the_options(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", LISTBOX))
    await session.select('listbox "Days"', ("Tuesday", "Friday"))
    chosen = "[...list.children].filter((day) => day.ariaSelected === 'true').map((day) => day.innerText).join()"
    assert await value(session, chosen) == "Tuesday,Friday"


MENU = """<button id=sort aria-haspopup=menu onclick="m.hidden = false">Sort</button>
  <div id=m role=menu hidden><div role=ITEM onclick="sort.textContent = 'By name'; m.hidden = true">By name</div></div>
  <script>addEventListener('keydown', (event) => { if (event.key === 'Escape') m.hidden = true })</script>"""


async def test_a_menu_item_is_chosen_only_if_it_is_a_choice(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", MENU.replace("ITEM", "menuitemradio")))
    await session.select("#sort", ("By name",))
    assert await value(session, "sort.textContent") == "By name"
    await session.navigate(site.page("/", MENU.replace("ITEM", "menuitem")))
    with pytest.raises(ElementNotReady, match="no list with the option"):
        await session.select("#sort", ("By name",))
    assert await value(session, "sort.textContent") == "Sort"


@pytest.mark.parametrize(
    ("page", "hint"),
    [
        ("<div id=t onclick=1>Open</div>", "session.click()"),
        ("<input id=t>", "session.fill()"),
        ("<input id=t type=checkbox>", "session.check()"),
    ],
)
async def test_what_is_no_control_to_choose_with_is_refused_with_what_to_use(
    session: Session, site: Site, page: str, hint: str
) -> None:
    await session.navigate(site.page("/", page))
    with pytest.raises(ElementNotReady, match="is not a select, a combobox or a listbox") as caught:
        await session.select("#t", ("A",))
    assert hint in caught.value.hint


async def test_fill_names_select_for_a_combobox_and_a_form_chooses_in_it(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", COMBOBOX.replace("OPEN", "click").replace("EXTRA", "")))
    with pytest.raises(ElementNotReady) as caught:
        await session.fill('combobox "Town"', "Oslo")
    assert "session.select()" in caught.value.hint
    await session.fill_form((FormField('combobox "Town"', "Oslo"),))
    assert await value(session, "box.textContent") == "Oslo"
