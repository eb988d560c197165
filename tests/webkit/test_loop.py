"""The basic loop of an agent on WebKit: open, read, fill, press, and what it must be told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.processes import marked
from tests.site import Site

from rove import ApprovalAnswer, ApprovalRequest, RulePolicy, Session
from rove.engine.guard_notice import WITHOUT_ISOLATION
from rove.engine.sessions import Sessions
from rove.errors import Denied, Unsupported
from rove.settings.tree import Settings

ORDER = (
    "<form onsubmit='event.preventDefault(); said.textContent = `Hello ${who.value}`'>"
    "<label>Name <input id=who></label><button>Greet</button></form><p id=said></p>"
)


async def test_the_first_answer_says_loudly_what_is_not_guarded(webkit_settings: Settings, site: Site) -> None:
    async with Sessions(webkit_settings) as sessions:
        session = Session(sessions, "default")
        first = await session.navigate(site.page("/", "<p>Hello"))
        assert [event.kind for event in first.events] == ["guarded in part"]
        assert str(first.events[0].advice) == str(WITHOUT_ISOLATION)
        assert "GUARDED IN PART" in str((await session.status()).result)


async def test_a_form_is_read_filled_in_and_sent(webkit: Session, site: Site) -> None:
    page = await webkit.navigate(site.page("/", ORDER))
    assert 'textbox "Name" [e1]' in page.changes.text
    await webkit.fill('textbox "Name"', "Ada")
    pressed = await webkit.click('button "Greet"')
    assert "Hello Ada" in pressed.changes.text
    assert (await webkit.evaluate("who.value")).result.value == "Ada"
    assert (await webkit.screenshot()).attachments


async def test_rove_leaves_nothing_on_the_page_by_which_a_script_could_find_it(webkit: Session, site: Site) -> None:
    await webkit.navigate(site.page("/", "<script>before = new Set(Reflect.ownKeys(window))</script>"))
    await webkit.snapshot()
    added = "Reflect.ownKeys(window).filter((key) => !before.has(key)).map(String)"
    # The symbol is that of WebKit's own driver.
    assert (await webkit.evaluate(added)).result.value == ["before", "Symbol(automationSessionProxy)"]
    assert (await webkit.evaluate("Reflect.ownKeys(performance).map(String)")).result.value == []


async def test_a_page_that_rules_forbid_is_refused_with_the_reason(webkit: Session, site: Site) -> None:
    with pytest.raises(Denied, match="private"):
        await webkit.navigate("http://10.0.0.1/")


async def test_what_webdriver_cannot_do_is_said_to_be_unsupported(webkit: Session, site: Site) -> None:
    await webkit.navigate(site.page("/", "<p>Hello"))
    for attempt in (webkit.pdf(), webkit.offline(True), webkit.emulate(device="iPhone 17"), webkit.workers()):
        with pytest.raises(Unsupported):
            await attempt


async def test_a_secret_is_never_given_to_a_page(webkit_settings: Settings, site: Site, tmp_path: Path) -> None:
    url = site.page("/", "<input type=password aria-label=Password>")
    file = tmp_path / "secrets.toml"
    file.write_text(f'[key]\nvalue = "correct horse battery"\norigins = ["{site.url("")}"]\n', encoding="utf-8")
    file.chmod(0o600)
    async with Sessions(replace(webkit_settings, secrets=file)) as sessions:
        session = Session(sessions, "default")
        await session.navigate(url)
        with pytest.raises(Unsupported):
            await session.fill('textbox "Password"', "secret:key")
        assert (await session.evaluate("document.querySelector('input').value")).result.value == ""


async def test_closing_leaves_no_process_and_no_file(webkit_settings: Settings, site: Site, tmp_path: Path) -> None:
    settings = replace(webkit_settings, home=tmp_path)
    async with Sessions(settings) as sessions:
        await Session(sessions, "default").navigate(site.page("/", "<p>Hello"))
        assert marked(tmp_path)
    assert marked(tmp_path) == []
    assert list((tmp_path / "run").iterdir()) == []


async def test_a_dialog_is_answered_though_other_windows_wait_for_it(webkit: Session, site: Site) -> None:
    site.page("/opened", "<p>Opened")
    page = "<button onclick=\"window.open('/opened')\">Open</button><button onclick=\"alert('Sure?')\">Ask</button>"
    await webkit.navigate(site.page("/", page))
    await webkit.click('button "Open"')
    asked = await webkit.click('button "Ask"')
    assert [event.kind for event in asked.events] == ["dialog open"]
    await webkit.dialog(accept=True)
    opened = (await webkit.tabs()).result.tabs[-1].id
    assert (await webkit.using(tab=opened).extract()).result.content == ("Opened",)
    await webkit.tabs("close", tab=opened)


async def test_no_person_is_asked_for_what_a_page_cannot_be_held_to(webkit_settings: Settings, site: Site) -> None:
    asked: list[str] = []

    class Person:
        async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
            asked.append(request.action)
            return ApprovalAnswer.ONCE

    policy = RulePolicy(defaults={"navigate": "ask", "act": "ask"})
    async with Sessions(webkit_settings, policy, Person()) as sessions:
        session = Session(sessions, "default")
        await session.navigate(site.page("/", "<form action=/sent><button>Send"))
        with pytest.raises(Unsupported):
            await session.click("button")
    assert asked == ["navigate"]
    assert site.asked("/sent") == []
