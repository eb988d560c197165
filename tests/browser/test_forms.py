"""Forms: fill, select and check."""

from __future__ import annotations

from typing import Any

import pytest
from tests.site import Site

from rove import Session
from rove.actions.forms import Check, Fill, FormField
from rove.errors import ElementNotReady, InvalidArguments

pytestmark = pytest.mark.one_session


async def value(session: Session, expression: str) -> Any:
    return (await session.evaluate(expression)).result.value


async def test_fill_replaces_the_value_and_fires_input_and_change(session: Session, site: Site) -> None:
    page = (
        "<label>Name <input id=n value=Old></label><script>var seen = []; n.oninput = () => seen.push(n.value)</script>"
    )
    await session.navigate(site.page("/", page))
    outcome = await session.fill('textbox "Name"', "Ada Łovelace 🫖")
    assert outcome.result.value == "Ada Łovelace 🫖"
    assert await value(session, "n.value") == "Ada Łovelace 🫖"
    assert await value(session, "seen.at(-1)") == "Ada Łovelace 🫖"


async def test_fill_with_nothing_clears_the_field(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<input id=n value=Old>"))
    assert (await session.fill("#n", "")).result.value == ""


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("<input id=f type=date>", "2026-01-31"),
        ("<input id=f type=time>", "13:45"),
        ("<input id=f type=datetime-local>", "2026-01-31T13:45"),
        ("<input id=f type=month>", "2026-01"),
        ("<input id=f type=week>", "2026-W05"),
        ("<input id=f type=color>", "#ff8800"),
        ("<input id=f type=range max=100>", "40"),
        ("<input id=f type=number>", "12.5"),
        ("<input id=f type=email>", "ada@example.com"),
        ("<textarea id=f>Old</textarea>", "two\nlines"),
    ],
)
async def test_fill_works_on_every_type_of_field(session: Session, site: Site, field: str, given: str) -> None:
    page = f"{field}<script>var told = 0; f.addEventListener('input', () => told++)</script>"
    await session.navigate(site.page("/", page))
    assert (await session.fill("#f", given)).result.value == given
    assert await value(session, "told") >= 1


async def test_fill_an_editable_element(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<div id=d contenteditable>Old words</div>"))
    await session.fill("#d", "New words")
    assert await value(session, "d.innerText.trim()") == "New words"


async def test_fill_is_noticed_by_frameworks_that_override_the_value_setter(session: Session, site: Site) -> None:
    page = """<input id=n><script>
      const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
      var known = '';
      Object.defineProperty(n, 'value', { get() { return own.get.call(n) }, set(v) { known = v; own.set.call(n, v) } });
      n.addEventListener('input', () => { if (own.get.call(n) !== known) window.changed = own.get.call(n) });
    </script>"""
    await session.navigate(site.page("/", page))
    await session.fill("#n", "typed")
    assert await value(session, "window.changed") == "typed"


@pytest.mark.parametrize(
    "field",
    [
        "<input id=f disabled>",
        "<input id=f readonly>",
        "<fieldset disabled><input id=f></fieldset>",
        "<input id=f type=checkbox>",
        "<input id=f type=file>",
        "<h1 id=f>Title</h1>",
    ],
)
async def test_fill_says_when_something_cannot_be_filled_in(session: Session, site: Site, field: str) -> None:
    await session.navigate(site.page("/", field))
    with pytest.raises(ElementNotReady):
        await session.using(timeout=1).fill("#f", "x")


@pytest.mark.parametrize("state", ["disabled", "readonly", "hidden"])
async def test_fill_waits_until_a_field_can_be_filled_in(session: Session, site: Site, state: str) -> None:
    later = "<script>setTimeout(() => f.removeAttribute(f.className), 400)</script>"
    await session.navigate(site.page("/", f"<input id=f class={state} {state}>{later}"))
    assert (await session.fill("#f", "patience")).result.value == "patience"


async def test_fill_is_seen_by_the_page_as_typing_is(session: Session, site: Site) -> None:
    page = (
        "<input id=f maxlength=5><p id=heard></p><script>"
        "for (const kind of ['beforeinput', 'input', 'change']) f.addEventListener(kind, (event) => "
        "heard.append(kind, ' ', event.inputType ?? '', ' ', f.value, ';'))</script>"
    )
    await session.navigate(site.page("/", page))
    await session.fill("#f", "too long")
    await session.press("Tab")
    heard = (await session.extract("#heard")).result.content
    assert heard == ("beforeinput insertText ;input insertText too l;change too l;",)


async def test_fill_reports_the_value_that_the_field_has_in_the_end(session: Session, site: Site) -> None:
    """For example in a field that accepts only digits."""
    page = "<input id=f><script>f.addEventListener('beforeinput', (e) => /^\\d*$/.test(e.data) || e.preventDefault())"
    await session.navigate(site.page("/", f"{page}</script>"))
    assert (await session.fill("#f", "12a")).result.value == ""
    assert (await session.fill("#f", "12")).result.value == "12"


async def test_a_text_of_thousands_of_lines_is_filled_in(session: Session, site: Site) -> None:
    page = "<textarea id=f></textarea><p id=n></p><script>f.oninput = () => n.textContent = f.value.length</script>"
    await session.navigate(site.page("/", page))
    text = "\n".join(f"line {number}" for number in range(5000))
    assert (await session.fill("#f", text)).result.value == text
    assert (await session.extract("#n")).result.content == (str(len(text)),)


@pytest.mark.parametrize(
    ("field", "ready"),
    [
        ("<input id=f disabled>", "f.disabled = false"),
        ("<input id=f readonly>", "f.readOnly = false"),
        ("<input id=f style='display: none'>", "f.style.display = ''"),
        ("<textarea id=f style='visibility: hidden'></textarea>", "f.style.visibility = ''"),
    ],
)
async def test_fill_waits_until_a_field_can_be_written_in(session: Session, site: Site, field: str, ready: str) -> None:
    page = f"{field}<input id=other><script>setTimeout(() => {{ {ready} }}, 200); other.focus()</script>"
    await session.navigate(site.page("/", page))
    await session.fill("#f", "first")
    assert await value(session, "[f.value, other.value]") == ["first", ""]


async def test_type_waits_until_a_field_can_be_written_in(session: Session, site: Site) -> None:
    page = (
        "<input id=f disabled><input id=other><script>setTimeout(() => f.disabled = false, 200); other.focus()</script>"
    )
    await session.navigate(site.page("/", page))
    await session.type("typed", "#f")
    assert await value(session, "[f.value, other.value]") == ["typed", ""]


async def test_text_for_one_field_is_not_typed_into_another(session: Session, site: Site) -> None:
    page = "<input id=f aria-label=Search onfocus='other.focus()'><input id=other aria-label=Overlay>"
    await session.navigate(site.page("/", page))
    with pytest.raises(ElementNotReady) as filling:
        await session.fill("#f", "x")
    with pytest.raises(ElementNotReady) as typing:
        await session.type("x", "#f")
    assert "Overlay" in filling.value.message
    assert "Overlay" in typing.value.message
    assert await value(session, "other.value") == ""


async def test_select_waits_until_the_select_is_enabled(session: Session, site: Site) -> None:
    page = "<select id=s disabled><option>A<option>B</select><script>setTimeout(() => s.disabled = false, 200)</script>"
    await session.navigate(site.page("/", page))
    await session.select("#s", ("B",))
    assert await value(session, "s.value") == "B"


async def test_select_waits_for_an_option_that_is_added_later(session: Session, site: Site) -> None:
    page = "<select id=s><option>Loading</select><script>setTimeout(() => s.add(new Option('B')), 200)</script>"
    await session.navigate(site.page("/", page))
    await session.select("#s", ("B",))
    assert await value(session, "s.value") == "B"


@pytest.mark.parametrize("policy", ["", '<meta http-equiv=content-security-policy content="{}">'])
async def test_a_text_of_many_lines_is_filled_in_at_once(session: Session, site: Site, policy: str) -> None:
    page = policy.format("require-trusted-types-for 'script'; trusted-types none") + (
        "<textarea id=t>old</textarea><script>heard = []; t.oninput = (event) => heard.push(event.isTrusted)</script>"
    )
    await session.navigate(site.page("/", page))
    lines = "\n".join(["", *(f"line {number} <b> &amp; more" for number in range(2000)), ""])
    await session.run(Fill("#t", lines), timeout=5)
    assert await value(session, "t.value") == lines
    assert await value(session, "heard.length > 0") is True


async def test_a_text_of_many_lines_can_be_undone(session: Session, site: Site) -> None:
    page = "<textarea id=t></textarea><script>heard = []; t.oninput = (event) => heard.push(event.isTrusted)</script>"
    await session.navigate(site.page("/", page))
    await session.fill("#t", "a line\n" * 500 + "the last")
    assert await value(session, "heard") == [True]
    await session.press("Control+Z")
    assert await value(session, "t.value") == ""


async def test_fill_with_an_invalid_date_is_refused(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<input id=f type=date>"))
    with pytest.raises(ElementNotReady):
        await session.fill("#f", "tomorrow")


async def test_fill_form_fills_every_kind_in_one_call(session: Session, site: Site) -> None:
    page = (
        "<label>Name <input id=n></label><label>Tea <select id=s><option>Assam<option>Sencha</select></label>"
        "<label><input type=checkbox id=c> Milk</label>"
    )
    await session.navigate(site.page("/", page))
    outcome = await session.fill_form(
        (FormField('textbox "Name"', "Bea"), FormField('combobox "Tea"', "Sencha"), FormField("#c", True))
    )
    assert len(outcome.result.fields) == 3
    assert await value(session, "[n.value, s.value, c.checked]") == ["Bea", "Sencha", True]


async def test_select_by_label_and_by_value(session: Session, site: Site) -> None:
    page = "<select id=s><option value=a>Assam</option><option value=s>Sencha</option></select>"
    await session.navigate(
        site.page("/", f"{page}<p id=p></p><script>s.onchange = () => p.textContent = s.value</script>")
    )
    assert (await session.select("#s", ("Sencha",))).result.options == ("Sencha",)
    assert await value(session, "p.textContent") == "s"
    assert (await session.select("#s", ("a",))).result.options == ("Assam",)
    assert await value(session, "p.textContent") == "a"


async def test_select_several(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<select id=s multiple><option>A<option>B<option>C</select>"))
    await session.select("#s", ("A", "C"))
    assert await value(session, "[...s.selectedOptions].map(o => o.value)") == ["A", "C"]


async def test_an_unknown_option_is_refused_with_a_list_of_the_known_ones(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<select id=s><option>Assam<option>Sencha</select>"))
    with pytest.raises(InvalidArguments) as caught:
        await session.select("#s", ("Coffee",))
    assert "Sencha" in caught.value.message


async def test_two_options_of_a_single_select_are_refused(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<select id=s><option>A<option>B</select>"))
    with pytest.raises(ElementNotReady):
        await session.select("#s", ("A", "B"))


@pytest.mark.parametrize(
    "box",
    [
        "<input id=b type=checkbox>",
        "<label id=b><input type=checkbox> Yes</label>",
        "<button id=b role=switch aria-checked=false "
        "onclick=\"this.setAttribute('aria-checked', this.getAttribute('aria-checked') !== 'true')\">S</button>",
    ],
)
async def test_check_ticks_once_and_unticks(session: Session, site: Site, box: str) -> None:
    await session.navigate(site.page("/", box))
    assert (await session.check("#b")).result.was_pressed
    assert not (await session.check("#b")).result.was_pressed
    assert (await session.check("#b", checked=False)).result.was_pressed


async def test_a_radio_button_cannot_be_unticked(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<input type=radio id=r checked>"))
    with pytest.raises(ElementNotReady):
        await session.check("#r", checked=False)


async def test_check_on_something_else_says_so(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p id=p>Not a box</p>"))
    with pytest.raises(ElementNotReady):
        await session.run(Check("#p"), timeout=2)


async def test_the_value_of_a_password_field_is_not_reported(session: Session, site: Site) -> None:
    outcome = await session.navigate(site.page("/", "<input type=password aria-label=Secret value=hunter2>"))
    assert "(7 hidden characters)" in outcome.changes.text
    cleared = await session.fill("input", "")
    assert cleared.result.value is None
    assert "hunter2" not in outcome.changes.text + cleared.changes.text
    assert await value(session, "document.querySelector('input').value") == ""


@pytest.mark.parametrize(
    ("field", "value"),
    [("type=number value=5", "abc"), ("type=date value=2026-01-02", "tomorrow"), ("type=range value=5", "many")],
)
async def test_a_value_that_a_field_does_not_take_is_refused_and_the_old_one_stays(
    session: Session, site: Site, field: str, value: str
) -> None:
    await session.navigate(site.page("/", f"<input id=f aria-label=F {field}>"))
    before = (await session.evaluate("f.value")).result.value
    with pytest.raises(ElementNotReady, match="does not take"):
        await session.fill("#f", value)
    assert (await session.evaluate("f.value")).result.value == before


async def test_a_text_field_cannot_be_checked(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<input id=f aria-label=F>"))
    with pytest.raises(ElementNotReady, match="not a checkbox"):
        await session.check("#f")
