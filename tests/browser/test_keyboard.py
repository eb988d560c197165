"""The keyboard: real key events."""

from __future__ import annotations

from typing import Any

import pytest
from tests.site import Site

from rove import Session
from rove.errors import ElementNotFound, InvalidArguments

pytestmark = pytest.mark.one_session

RECORDER = """<script>
  window.keys = [];
  addEventListener('keydown', (event) => keys.push(
    ['ctrl', 'alt', 'meta', 'shift'].filter((name) => event[name + 'Key']).concat(event.key).join('+')), true);
</script>"""


async def value(session: Session, expression: str) -> Any:
    return (await session.evaluate(expression)).result.value


async def test_type_presses_a_key_per_character_at_the_end_of_the_text(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", f"{RECORDER}<input id=n value=ab>"))
    outcome = await session.type("cd", "#n")
    assert outcome.result.characters == 2
    assert await value(session, "n.value") in ("abcd", "cdab")
    assert await value(session, "keys") == ["c", "d"]


async def test_type_appends_to_the_text(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<input id=n value=ab>"))
    await session.type("cd", "#n")
    assert await value(session, "n.value") == "abcd"


async def test_type_without_a_target_goes_where_the_focus_is(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<input id=a><input id=b autofocus>"))
    await session.click("#b")
    await session.type("here")
    assert await value(session, "[a.value, b.value]") == ["", "here"]


# On a page that takes a while for each key, keys wait in the browser, and text that is inserted would overtake them.
SLOW_KEYS = (
    "<script>onkeydown = () => { for (const end = performance.now() + 20; performance.now() < end; ); }</script>"
)


@pytest.mark.parametrize(
    "field",
    [
        "<input id=n>",
        pytest.param("<textarea id=n></textarea>", marks=pytest.mark.slow),
        "<div id=n contenteditable></div>",
    ],
)
async def test_type_keeps_the_order_of_characters_that_are_on_no_us_keyboard(
    session: Session, site: Site, field: str
) -> None:
    await session.navigate(site.page("/", field + SLOW_KEYS))
    await session.type("Jürgen Äß€ 漢 👩‍🚀.", "#n")
    assert await value(session, "n.value ?? n.textContent") == "Jürgen Äß€ 漢 👩‍🚀."
    if "textarea" in field:
        await session.type("\tü\n" + "ö" * 60, "#n")
        assert await value(session, "n.value") == "Jürgen Äß€ 漢 👩‍🚀.\tü\n" + "ö" * 60


# Text editors that draw their text take it from an EditContext.
@pytest.mark.parametrize(
    "setup",
    [
        "document.activeElement.blur()",
        pytest.param("c.focus()", marks=pytest.mark.slow),
        pytest.param(
            "c.editContext = new EditContext(), c.focus()",
            marks=pytest.mark.engines("chromium", reason="Chromium alone has EditContext"),
        ),
    ],
)
async def test_type_reaches_a_canvas_and_a_page_without_fields(session: Session, site: Site, setup: str) -> None:
    page = f"""{RECORDER}<canvas id=c role=img aria-label=Board tabindex=0></canvas><div contenteditable>note</div>
      <script>window.texts = ''; const listen = () =>
        c.editContext?.addEventListener('textupdate', (event) => {{ texts += event.text }})</script>"""
    await session.navigate(site.page("/", page))
    await session.click("[contenteditable]")
    await value(session, f"{setup}, listen()")
    assert (await session.type(" Müller")).result.characters == 7
    # Some engines press the key Shift for what needs it, as a person does.
    written = "keys.filter((key) => !key.endsWith('Shift')).map((key) => key.replace('shift+', '')).join('')"
    keys = await value(session, written)
    assert (keys, await value(session, "texts")) == (" Müller", " Müller" if "EditContext" in setup else "")


async def test_type_and_submit_sends_the_form(session: Session, site: Site) -> None:
    site.page("/search", "<h1>Results</h1>")
    await session.navigate(site.page("/", "<form action=/search><input id=q name=q></form>"))
    outcome = await session.type("green tea", "#q", submit=True)
    assert outcome.url == site.url("/search?q=green+tea")
    assert "Results" in outcome.changes.text


async def test_type_into_something_missing_is_not_found(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<input>"))
    with pytest.raises(ElementNotFound):
        await session.type("x", "#missing")


KEYS = [
    ("Enter", ["Enter"]),
    ("ArrowDown", ["ArrowDown"]),
    ("a", ["a"]),
    ("Escape", ["Escape"]),
    ("esc", ["Escape"]),
    ("F2", ["F2"]),
    ("ctrl+k", ["ctrl+Control", "ctrl+k"]),
    ("Control+Shift+P", ["ctrl+Control", "ctrl+shift+Shift", "ctrl+shift+P"]),
    ("+", ["shift++"]),
    (" ", [" "]),
    ("Space", [" "]),
    ("é", ["é"]),
    ("Control+ü", ["ctrl+Control", "ctrl+ü"]),
]


async def test_press_sends_the_key_that_it_names(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", f"{RECORDER}<input id=n>"))
    for key, seen in KEYS:
        await session.press(key, "#n")
        pressed = await value(session, "keys.splice(0)")
        # Some engines press the key Shift for what needs it, as a person does.
        assert seen in (pressed, [each for each in pressed if each != "shift+Shift"]), key


async def test_press_select_all_and_delete_empties_a_field(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<input id=n value=words>"))
    await session.press("Control+A", "#n")
    await session.press("Delete")
    assert await value(session, "n.value") == ""


async def test_tab_moves_the_focus(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<input id=a><input id=b>"))
    await session.press("Tab", "#a")
    assert await value(session, "document.activeElement.id") == "b"


async def test_a_key_that_does_not_exist_is_refused(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<input>"))
    with pytest.raises(InvalidArguments) as caught:
        await session.press("Hyper")
    assert "`key`" in caught.value.message


async def test_a_character_that_takes_shift_comes_with_it(session: Session, site: Site) -> None:
    note = "event.key === 'Shift' || held.push(event.key + event.shiftKey)"
    page = f"<input id=n><script>held = []; n.onkeydown = (event) => {note}</script>"
    await session.navigate(site.page("/", page))
    await session.type("aB1!", "#n")
    await session.press("?")
    await session.press("Control+A")
    assert (await session.evaluate("n.value")).result.value == "aB1!?"
    held = (await session.evaluate("held")).result.value
    assert held[:5] == ["afalse", "Btrue", "1false", "!true", "?true"]
    assert held[-1].endswith("false")
