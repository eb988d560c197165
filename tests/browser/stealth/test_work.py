"""With stealth, actions work as without it, and the guard holds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.browser.stealth.conftest import SECRET
from tests.browser.test_devices import value
from tests.browser.test_user_activation import assert_reading_gives_no_activation
from tests.reading import ref_of
from tests.site import Site

from rove import Session
from rove.engine.sessions import Sessions
from rove.errors import Denied, RoveError
from rove.settings.sections import Viewport
from rove.settings.tree import Settings

pytestmark = [
    pytest.mark.one_session,
    pytest.mark.engines("chromium", reason="stealth is for Chromium"),
]

SIZES = "[innerWidth, innerHeight, outerWidth >= innerWidth, outerHeight > innerHeight]"


@pytest.mark.own_session
async def test_the_console_has_the_text_of_each_message_with_its_origin_and_says_what_it_lacks(
    stealthy: Session, site: Site
) -> None:
    site.page("/frame", "<script>console.warn('from the frame')</script>")
    site.page("/favicon.ico", "")
    site.page("/worker.js", "console.log('from the worker'); postMessage(1)", kind="text/javascript")
    page = f"""<iframe src="{site.url("/frame", "localhost")}"></iframe><script>
      console.log("first", 2, {{ a: 1 }}); console.error(new TypeError("wrong")); undefined.property</script>"""
    outcome = await stealthy.navigate(site.page("/", page))
    assert [event.kind for event in outcome.events] == ["console error"]
    await value(stealthy, "new Promise(resolve => { new Worker('/worker.js').onmessage = resolve })")
    result = (await stealthy.console()).result
    assert {(line.level, line.text, line.origin, line.context) for line in result.lines} == {
        ("info", "first 2 [object Object]", site.url(""), "page"),
        ("error", "TypeError: wrong", site.url(""), "page"),
        ("warning", "from the frame", site.url("", "localhost"), "frame"),
        ("info", "from the worker", site.url(""), "worker"),
    }
    assert "uncaught errors of scripts are not known" in str(result)


async def test_an_action_waits_for_its_effect_without_a_script_in_the_pages_world(
    stealthy: Session, site: Site
) -> None:
    site.page("/slow", "x")
    effects = {
        "at once": "out.textContent = 'at once'",
        "after a timer": "setTimeout(() => out.textContent = 'after a timer', 700)",
        "after a request": "fetch('/slow').then(() => out.textContent = 'after a request')",
        "after frames": "requestAnimationFrame(() => requestAnimationFrame(() => out.textContent = 'after frames'))",
        "after a move": "out.animate({opacity: [0, 1]}, 300).finished.then(() => out.append('after a move'))",
    }
    buttons = [f'<button onclick="{code}">{name}</button>' for name, code in effects.items()]
    await stealthy.navigate(site.page("/", f"{''.join(buttons)}<p id=out></p>"))
    for name in effects:
        await value(stealthy, "out.replaceChildren()")
        changes = (await stealthy.click(f'button "{name}"')).changes.text
        assert f'+ "{name}"' in changes


async def test_copies_presses_and_functions_work_without_bindings(stealthy: Session, site: Site) -> None:
    page = """<input value=copied><textarea></textarea><button onclick="this.textContent += '!'">Press</button>"""
    await stealthy.navigate(site.page("/", page))
    await stealthy.press("Control+a", "input")
    await stealthy.press("Control+c")
    await stealthy.press("Control+v", "textarea")
    assert await value(stealthy, "document.querySelector('textarea').value") == "copied"
    assert "Press!" in (await stealthy.click("button")).changes.text
    assert await value(stealthy, "() => 3") == 3
    assert await value(stealthy, "() => 3; 4") == 4
    with pytest.raises(RoveError):
        await stealthy.evaluate("() => {")


async def test_elements_that_only_a_listener_makes_pressable_get_refs(stealthy: Session, site: Site) -> None:
    page = "<div id=a>Open</div><div>Not this</div><script>a.addEventListener('click', () => a.append('ed'))</script>"
    shown = (await stealthy.navigate(site.page("/", page))).changes.text
    assert [line.partition(" [")[0] for line in shown.splitlines() if "[e" in line] == ['clickable "Open"']
    assert "Opened" in (await stealthy.click(ref_of(shown, "Open"))).changes.text


async def test_a_dialog_is_open_for_as_long_as_a_person_takes(stealthy: Session, site: Site) -> None:
    await stealthy.navigate(site.page("/", "<button onclick='at = Date.now(); alert(1); at = Date.now() - at'>Ask"))
    await stealthy.click("button")
    await stealthy.dialog(accept=True)
    assert await value(stealthy, "at") >= 200


@pytest.mark.own_session
async def test_a_page_has_the_size_that_is_set_by_its_window(stealthy: Session, site: Site) -> None:
    await stealthy.navigate(site.page("/", "<p>page"))
    assert await value(stealthy, SIZES) == [1440, 813, True, True]
    await stealthy.resize(width=1000, height=600)
    assert await value(stealthy, SIZES) == [1000, 600, True, True]
    await stealthy.emulate(user_agent="Mine/1.0")
    assert await value(stealthy, "navigator.userAgent") == "Mine/1.0"
    await stealthy.emulate(reset=True)
    assert "Headless" not in await value(stealthy, "navigator.userAgent + JSON.stringify(navigator.userAgentData)")
    assert await value(stealthy, "navigator.userAgentData.brands.length") > 1


@pytest.mark.slow
async def test_the_viewport_of_the_settings_is_that_of_new_pages(settings: Settings, site: Site) -> None:
    async with Sessions(replace(settings, stealth=True, viewport=Viewport(1100, 650))) as sessions:
        session = Session(sessions, await sessions.open_session("sized"))
        await session.navigate(site.page("/", "<p>page"))
        assert await value(session, SIZES) == [1100, 650, True, True]


async def test_passwords_are_refused_and_the_guard_holds_with_stealth(stealthy: Session, site: Site) -> None:
    listen = "addEventListener('keydown', event => keys.push(event.key), true)"
    page = f"<input id=p type=password><script>var keys = []; {listen}</script>"
    await stealthy.navigate(site.page("/", page))
    for attempt in (stealthy.fill("#p", "hunter2"), stealthy.type("hunter2", "#p"), stealthy.press("h", "#p")):
        with pytest.raises(Denied):
            await attempt
    assert await value(stealthy, "[p.value, keys]") == ["", []]
    with pytest.raises(Denied):
        await stealthy.navigate("http://169.254.169.254/latest/meta-data/")
    refused = "fetch('http://10.0.0.1/').then(answer => answer.status, error => error.name)"
    assert await value(stealthy, refused) in (403, "TypeError")


async def test_a_secret_is_entered_and_redacted_with_stealth(stealthy: Session, site: Site) -> None:
    page = "<input id=p type=password><script>p.addEventListener('input', () => console.log(`got ${p.value}`))</script>"
    await stealthy.navigate(site.page("/", page))
    await stealthy.fill("#p", "secret:shop")
    assert await value(stealthy, "p.value.length") == len(SECRET)
    told = [line.text for line in (await stealthy.console()).result.lines]
    assert any(text.startswith("got ") for text in told)
    assert SECRET not in str(told)
    assert SECRET not in str(await value(stealthy, "p.value"))


async def test_reading_a_page_gives_it_no_user_activation_with_stealth(stealthy: Session, site: Site) -> None:
    await assert_reading_gives_no_activation(stealthy, site)
