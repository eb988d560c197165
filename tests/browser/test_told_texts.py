"""Answers that do not mislead: what became of an act, where the tab is, what a target may mean."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from pathlib import Path

import pytest
from tests.faults.servers import serving
from tests.site import Site

from rove import Session, as_text, tools
from rove.errors import DialogOpen, RoveError
from rove.outcome import AnyOutcome
from rove.toolsets.outcome_text import error_text

pytestmark = pytest.mark.one_session


async def error_from(session: Session, name: str, **arguments: object) -> str:
    with pytest.raises(RoveError) as caught:
        await getattr(session, name)(**arguments)
    return error_text(caught.value)


FIELDS = """<input type=number aria-label=Reset value=1 oninput="this.value = 1">
<input type=number aria-label=Late value=1 oninput="setTimeout(() => this.value = 1, 50)">
<input aria-label=Short maxlength=3><input aria-label=Plain><input type=color aria-label=Colour>
<div contenteditable role=textbox aria-label=Rich></div>"""


async def test_a_value_that_the_page_did_not_keep_is_told(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", FIELDS))
    reset = as_text(await session.fill("[aria-label=Reset]", "3"))
    assert "(value not kept)" in reset
    assert 'holds "1", not "3"' in reset
    assert 'holds "1", not "4"' in as_text(await session.fill("[aria-label=Late]", "4"))
    form = [{"target": "[aria-label=Short]", "value": "abcd"}, {"target": "[aria-label=Plain]", "value": "a"}]
    assert 'holds "abc", not "abcd"' in as_text(await session.fill_form(form))


async def test_a_value_that_was_kept_is_not_told(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", FIELDS))
    for name, value in (("Plain", " a  b"), ("Plain", ""), ("Colour", "#FF0000"), ("Rich", "a\nb")):
        assert "not kept" not in as_text(await session.fill(f"[aria-label={name}]", value))


CHIPS = """<style>
  .chip { transition: background 50ms } .chip:hover { background: pink } .chip:focus { background: yellow }
  .chip.on { background: #06c; color: #fff } .card.on { border: 2px solid green } .star.on svg { opacity: 0.3 }
  .dark body { background: #111; color: #eee }
</style>
<p><button class=chip id=chip onclick="this.classList.toggle('on')">Vegan</button></p>
<p><button class=chip id=plain>Plain</button></p>
<p><button class=chip id=data onclick="this.dataset.seen = 1">Data</button></p>
<div class=card><p><b id=inner onclick="this.closest('.card').classList.toggle('on')">Card</b></p></div>
<p><button class=star aria-label=Star onclick="this.classList.add('on')"><svg><rect width=9 height=9 /></svg></button>
<p><button id=dark onclick="document.documentElement.className = 'dark'">Dark</button>"""


async def test_a_click_that_only_changes_a_look_tells_it(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", CHIPS))
    chosen = as_text(await session.click("#chip"))
    assert "(looks different) e" in chosen
    assert "background blue, text white" in chosen
    assert "Nothing changed" not in chosen
    assert "(looks different) around e" in as_text(await session.click("#inner"))
    assert ": opacity 0.3" in as_text(await session.click(".star"))
    assert "the page: background black" in as_text(await session.click("#dark"))


async def test_a_batch_tells_a_look_and_where_it_led(session: Session, site: Site) -> None:
    called = tools(session)
    await session.navigate(site.page("/", f"{CHIPS}<a href='{site.page('/there', '<p>text')}'>Go</a>"))
    chosen = await called.call("browser_batch", {"steps": [{"action": "click", "target": "#chip"}]})
    assert "background blue" in chosen.text
    assert "Nothing changed" not in chosen.text
    led = await called.call("browser_batch", {"steps": [{"action": "click", "target": "a"}], "snapshot": "none"})
    assert f"Now at {site.url('/there')}" in led.text


async def test_styles_of_hovering_and_of_the_focus_are_no_changed_look(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", CHIPS))
    for target in ("#plain", "#data", "#plain"):
        told = as_text(await session.click(target))
        assert "Nothing changed" in told
        assert "looks different" not in told


async def test_a_key_and_a_point_tell_a_look_too(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", CHIPS))
    assert "background blue" in as_text(await session.press("Enter", target="#chip"))
    assert "(looks different)" in as_text(await session.click("30,18"))


LISTS = "<ul><li class=x>First<li class=x>Second</ul><div class=y>a</div><p class=y>b"


async def test_several_matches_have_their_text(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", LISTS))
    told = await error_from(session, "click", target=".x")
    assert 'listitem "First" [e' in told
    assert 'listitem "Second" [e' in told
    assert '"a"' in await error_from(session, "click", target=".y")


async def test_a_near_name_is_offered_before_far_names_of_the_same_role(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<button>File</button><div onclick=1>Vegan</div><a href=#a>Next</a>"))
    told = await error_from(session, "click", target='button "Vegn"')
    assert 'clickable "Vegan" [e' in told
    assert "File" not in told
    assert 'link "Next" [e' in await error_from(session, "click", target='link "Nxt"')


DIALOGS = """<input aria-label=Text oninput="alert('in')">
<input aria-label=Focus onfocus="this.onfocus = null; alert('focus')">
<input type=date aria-label=Date onchange="alert('date')"><input aria-label=Other>
<select aria-label=Town onchange="alert('town')"><option>Oslo<option>Rome</select>
<div contenteditable role=textbox aria-label=Rich oninput="alert('rich')"></div>
<input type=file onchange="alert('file')">"""


async def test_an_act_that_opens_a_dialog_was_done(session: Session, site: Site, workspace_file: str) -> None:
    await session.navigate(site.page("/", DIALOGS))
    acts: list[tuple[Awaitable[AnyOutcome], str]] = [
        (session.fill("[aria-label=Text]", "a"), "Filled"),
        (session.fill("[aria-label=Date]", "2026-01-31"), "Filled"),
        (session.fill("[aria-label=Rich]", "a"), "Filled"),
        (session.select("[aria-label=Town]", ["Rome"]), "Selected Rome"),
        (session.type("b", target="[aria-label=Text]"), "Typed"),
        (session.upload("[type=file]", [workspace_file]), "Gave"),
    ]
    for act, said in acts:
        told = as_text(await act)
        assert said in told
        assert "(dialog open)" in told
        await session.dialog(True)


async def test_an_act_that_a_dialog_interrupts_must_not_be_repeated_unseen(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", DIALOGS))
    with pytest.raises(DialogOpen) as caught:
        await session.fill("[aria-label=Focus]", "a")
    assert "may be done" in caught.value.hint
    assert not caught.value.retryable
    await session.dialog(True)
    with pytest.raises(DialogOpen) as caught:
        await session.fill_form(
            [{"target": "[aria-label=Text]", "value": "x"}, {"target": "[aria-label=Other]", "value": "y"}]
        )
    assert "1 of 2 fields are filled in" in caught.value.message
    await session.dialog(True)
    with pytest.raises(DialogOpen) as caught:
        await session.evaluate("alert(1), 2")
    assert "then call again" not in caught.value.hint
    await session.dialog(True)


@pytest.fixture
def workspace_file(session: Session) -> str:
    folder = session.settings.workspace_folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "told-report.csv").write_text("a,b")
    return "told-report.csv"


async def test_a_missing_file_is_answered_with_the_workspace_and_the_nearest_name(
    session: Session, site: Site, workspace_file: str
) -> None:
    await session.navigate(site.page("/", "<input type=file>"))
    hidden = Path(session.settings.workspace_folder, "downloads", "0" * 32)
    hidden.mkdir(parents=True, exist_ok=True)
    (hidden / "told-raport.csv").write_text("not to be listed")
    told = await error_from(session, "upload", target="[type=file]", paths=["told-repot.csv"])
    assert str(session.settings.workspace_folder) in told
    assert workspace_file in told
    assert "told-raport" not in told


async def test_a_quiet_answer_says_where_the_tab_is(session: Session, site: Site) -> None:
    called = tools(session)
    address = site.page("/there", "<title>There</title><a href='#part'>Part</a><p>text")
    await session.navigate(site.page("/", f"<a href='{address}'>Go</a><button>Stay</button>"))
    stayed = await called.call("browser_click", {"target": "button", "snapshot": "none"})
    assert "Now at" not in stayed.text
    clicked = await called.call("browser_click", {"target": "a", "snapshot": "none"})
    assert f'Now at "There" {address}' in clicked.text
    within = await called.call("browser_click", {"target": "a", "snapshot": "none"})
    assert f'Now at "There" {address}#part' in within.text
    for name in ("back", "forward", "reload"):
        assert "Now at" in (await called.call(f"browser_{name}", {"snapshot": "none"})).text


async def test_a_download_that_has_started_is_told_by_name(session: Session, site: Site) -> None:
    is_over = asyncio.Event()

    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = "Content-Type: application/zip\r\nContent-Disposition: attachment; filename=told-slow.zip"
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: 3000\r\n{head}\r\n\r\n".encode() + b"x" * 2000)
        await writer.drain()
        await is_over.wait()
        writer.write(b"x" * 1000)
        writer.close()

    async with serving(slow) as place:
        await session.navigate(site.page("/", f"<a href='http://{place}/' download>Slow</a><p>text"))
        told = (await tools(session).call("browser_click", {"target": "a", "timeout": 2})).text
        is_over.set()
        assert "(download started) told-slow.zip" in told
        assert "browser_batch (action downloads) with `wait`" in told
        assert "told-slow" in as_text(await session.downloads(wait=True))
