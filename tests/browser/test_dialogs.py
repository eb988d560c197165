"""Alerts, confirms and prompts."""

from __future__ import annotations

import time

import pytest
from tests.site import Site

from rove import Session
from rove.actions.input import Dialog
from rove.actions.navigation import Navigate
from rove.errors import DialogOpen, NotOpen

pytestmark = pytest.mark.one_session


async def test_an_alert_on_a_click_is_reported_at_once(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<button onclick=\"alert('Careful')\">Go</button>"))
    began = time.monotonic()
    outcome = await session.click("button")
    assert time.monotonic() - began < 5
    assert [event.kind for event in outcome.events] == ["dialog open"]
    assert "Careful" in outcome.events[0].text


async def test_calls_refuse_while_a_dialog_is_open_and_work_after_the_answer(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<button onclick=\"alert('Careful')\">Go</button><p>Text</p>"))
    await session.click("button")
    for call in (session.snapshot, session.screenshot, session.extract):
        with pytest.raises(DialogOpen):
            await call()
    answered = await session.dialog(accept=True)
    assert (answered.result.kind, answered.result.message) == ("alert", "Careful")
    assert (await session.extract("p")).result.content == ("Text",)


@pytest.mark.parametrize("accept", [True, False])
async def test_a_confirm_is_accepted_or_dismissed(session: Session, site: Site, accept: bool) -> None:
    page = "<button onclick=\"out.textContent = confirm('Sure?') ? 'yes' : 'no'\">Go</button><p id=out></p>"
    await session.navigate(site.page("/", page))
    await session.click("button")
    outcome = await session.dialog(accept)
    assert (await session.extract("#out")).result.content == ("yes" if accept else "no",)
    assert outcome.result.accepted is accept


async def test_a_prompt_is_answered_with_text(session: Session, site: Site) -> None:
    page = "<button onclick=\"out.textContent = prompt('Name?', 'Bea')\">Go</button><p id=out></p>"
    await session.navigate(site.page("/", page))
    await session.click("button")
    await session.dialog(accept=True, text="Ada")
    assert (await session.extract("#out")).result.content == ("Ada",)


async def test_a_prompt_accepted_without_text_keeps_its_default(session: Session, site: Site) -> None:
    page = "<button onclick=\"out.textContent = prompt('Name?', 'Bea')\">Go</button><p id=out></p>"
    await session.navigate(site.page("/", page))
    await session.click("button")
    await session.dialog(accept=True)
    assert (await session.extract("#out")).result.content == ("Bea",)


async def test_answering_a_dialog_reports_what_changed(session: Session, site: Site) -> None:
    page = "<button onclick=\"alert('One'); out.textContent = 'Carried on'\">Go</button><p id=out></p>"
    await session.navigate(site.page("/", page))
    await session.click("button")
    assert "Carried on" in (await session.dialog(accept=True)).changes.text


async def test_two_dialogs_in_a_row_are_answered_one_by_one(session: Session, site: Site) -> None:
    page = "<button onclick=\"alert('One'); alert('Two'); out.textContent = 'Through'\">Go</button><p id=out></p>"
    await session.navigate(site.page("/", page))
    await session.click("button")
    first = await session.run(Dialog(accept=True), timeout=3)
    assert [event.kind for event in first.events] == ["dialog open"]
    assert (await session.dialog(accept=True)).result.message == "Two"
    assert (await session.extract("#out")).result.content == ("Through",)


async def test_an_alert_while_loading_does_not_block_the_navigation(session: Session, site: Site) -> None:
    url = site.page("/", "<h1>Top</h1><script>alert('First')</script><p>Rest</p>")
    began = time.monotonic()
    try:
        outcome = await session.run(Navigate(url), timeout=20)
    except DialogOpen:
        pass
    else:
        assert "dialog open" in [event.kind for event in outcome.events]
    assert time.monotonic() - began < 10
    await session.dialog(accept=True)
    assert (await session.extract("p")).result.content == ("Rest",)


async def test_a_beforeunload_handler_does_not_block_navigation(session: Session, site: Site) -> None:
    site.page("/next", "<title>Free</title>")
    page = "<input id=i><script>onbeforeunload = (e) => { e.preventDefault(); return 'stay' }</script>"
    await session.navigate(site.page("/", page))
    await session.fill("#i", "unsaved")
    assert "Free" in str((await session.navigate(site.url("/next"))).title)


async def test_a_script_that_opens_a_dialog_says_so_and_does_not_hang(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Text</p>"))
    with pytest.raises(DialogOpen):
        await session.evaluate("alert('From a script'); 1")
    await session.dialog(accept=True)
    assert (await session.evaluate("1")).result.value == 1


async def test_answering_without_a_dialog_is_an_error(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Text</p>"))
    with pytest.raises(NotOpen):
        await session.dialog(accept=True)


async def test_a_dialog_that_opens_later_is_reported_by_the_next_call(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Text</p><script>setTimeout(() => alert('Late'), 300)</script>"))
    with pytest.raises(DialogOpen):
        await session.wait(text="Never")
    assert (await session.dialog(accept=False)).result.message == "Late"


async def test_a_tab_with_an_open_dialog_can_be_closed(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<button onclick=\"alert('Careful')\">Go</button>"))
    await session.click("button")
    await session.tabs("close", "t1")
    assert (await session.navigate(site.url("/"))).tab == "t2"
