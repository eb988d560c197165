"""G6: No text is typed into a password field, by any action: asserts on what the page received."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.chromium_internals import chromium_tab
from tests.reading import ref_of
from tests.site import Site

from rove import FormField, Session, Settings
from rove.browser.firefox.tab import Tab as FirefoxTab
from rove.browser.shared.tab import Tab
from rove.engine.sessions import Sessions
from rove.errors import Denied
from rove.settings.tree import Guarding

pytestmark = pytest.mark.one_session

# Records the keys that reach the page.
RECORD_KEYS = "<script>var keys = []; addEventListener('keydown', e => keys.push(e.key), true)</script>"
# Handles every key slowly, so that the page can change while rove is typing.
SLOW_KEYS = """<script>addEventListener('keydown', () => {
  const end = performance.now() + 4; while (performance.now() < end); })</script>"""


async def value(session: Session, expression: str) -> Any:
    return (await session.evaluate(expression)).result.value


@pytest.mark.parametrize(
    "field",
    [
        "<input id=p type=password>",
        "<input id=p TYPE=PassWord>",
        "<input id=p style='-webkit-text-security: disc'>",
        "<textarea id=p style='-webkit-text-security: square'></textarea>",
        "<div id=p contenteditable style='-webkit-text-security: circle'></div>",
    ],
)
async def test_every_kind_of_password_field_refuses_text(session: Session, site: Site, field: str) -> None:
    await session.navigate(site.page("/", f"{field}{RECORD_KEYS}"))
    for attempt in (session.fill("#p", "hunter2"), session.type("hunter2", "#p"), session.press("h", "#p")):
        with pytest.raises(Denied):
            await attempt
    assert await value(session, "[p.value ?? p.innerText, keys]") == ["", []]


async def test_the_refusal_names_the_field_and_the_secrets_to_use(session: Session, site: Site) -> None:
    outcome = await session.navigate(site.page("/", "<label>Password <input type=password></label>"))
    ref = ref_of(outcome.changes.text, "Password")
    with pytest.raises(Denied) as caught:
        await session.fill(ref, "hunter2")
    assert caught.value.message.startswith('textbox "Password"')
    assert f"[{ref}] is a password field" in caught.value.message
    assert site.url("") in caught.value.hint
    assert "secret:NAME" in caught.value.hint


@pytest.mark.parametrize("target", ["label", "my-field", "#wrap"])
async def test_a_target_that_resolves_to_a_password_field_is_refused(session: Session, site: Site, target: str) -> None:
    page = """<label for=p>Word</label><div id=wrap><input id=p type=password></div><my-field></my-field><script>
      customElements.define('my-field', class extends HTMLElement {
        connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML = '<input type=password>' }
      })</script>"""
    await session.navigate(site.page("/", page))
    for attempt in (session.fill(target, "hunter2"), session.type("hunter2", target)):
        with pytest.raises(Denied):
            await attempt
    inner = "document.querySelector('my-field').shadowRoot.querySelector('input').value"
    assert await value(session, f"p.value + {inner}") == ""


async def test_a_form_with_a_password_is_refused_before_anything_is_filled_in(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<input id=n><input id=p type=password>"))
    with pytest.raises(Denied):
        await session.fill_form((FormField("#n", "Bea"), FormField("#p", "hunter2")))
    assert await value(session, "n.value + p.value") == ""


@pytest.mark.parametrize("where", ["p.focus()", "n.focus()"])
async def test_typing_without_a_target_is_refused_if_the_focus_is_in_a_password_field(
    session: Session, site: Site, where: str
) -> None:
    await session.navigate(
        site.page("/", f"<input id=n><input id=p type=password>{RECORD_KEYS}<script>{where}</script>")
    )
    if where == "n.focus()":
        await session.type("Bea")
        await session.press("e")
        assert await value(session, "n.value") == "Beae"
        return
    for attempt in (session.type("hunter2"), session.press("h"), session.press("Shift+h"), session.press("Space")):
        with pytest.raises(Denied):
            await attempt
    assert await value(session, "[p.value, keys]") == ["", []]


async def test_pasting_into_a_password_field_is_refused(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<input id=n value=hunter2><input id=o><input id=p type=password>"))
    await session.press("Control+A", "#n")
    await session.press("Control+C")
    await session.press("Control+V", "#o")
    assert await value(session, "o.value") == "hunter2"
    with pytest.raises(Denied):
        await session.press("Control+V", "#p")
    assert await value(session, "p.value") == ""


async def test_dropping_text_into_a_password_field_is_refused(session: Session, site: Site) -> None:
    page = """<p><span id=s style='font-size: 40px'>hunter2</span></p><input id=o><input id=p type=password>
      <script>getSelection().selectAllChildren(s)</script>"""
    await session.navigate(site.page("/", page))
    await session.drag("#s", "#o")
    assert await value(session, "o.value") == "hunter2"
    await session.evaluate("getSelection().selectAllChildren(s)")
    with pytest.raises(Denied):
        await session.drag("#s", "#p")
    assert await value(session, "p.value") == ""


async def test_a_drop_that_the_page_handles_is_refused_on_a_password_field(session: Session, site: Site) -> None:
    page = """<p id=s draggable=true>Item</p><input id=p type=password ondragover="event.preventDefault()"
        ondrop="event.preventDefault(); p.value = event.dataTransfer.getData('text/plain')">
      <script>s.ondragstart = e => e.dataTransfer.setData('text/plain', 'hunter2')</script>"""
    await session.navigate(site.page("/", page))
    with pytest.raises(Denied):
        await session.drag("#s", "#p")
    assert await value(session, "p.value") == ""


async def test_a_field_that_becomes_a_password_field_on_a_drop_takes_no_text(session: Session, site: Site) -> None:
    page = """<p><span id=s style='font-size: 40px'>hunter2</span></p><input id=p ondrop="p.type = 'password'">
      <script>getSelection().selectAllChildren(s)</script>"""
    await session.navigate(site.page("/", page))
    with contextlib.suppress(Denied):
        await session.drag("#s", "#p")
    assert await value(session, "p.value") == ""


async def test_a_password_that_the_page_reveals_is_still_protected(session: Session, site: Site) -> None:
    page = """<label>Word <input id=p type=password value=hunter2></label>
      <button onclick="p.type = 'text'">Show</button>"""
    await session.navigate(site.page("/", page))
    shown = await session.click('button "Show"')
    assert await value(session, "p.type") == "text"
    for attempt in (session.fill("#p", "x"), session.type("x", "#p"), session.press("x", "#p")):
        with pytest.raises(Denied):
            await attempt
    outputs = [shown.changes.text, str((await session.snapshot()).result), str((await session.extract("#p")).result)]
    outputs.append(str((await session.extract("#p", mode="attribute", attribute="value")).result))
    assert not [text for text in outputs if "hunter2" in text]
    assert await value(session, "p.value") == "hunter2"


@pytest.mark.parametrize("name", ["id=p", "name=pass"])
async def test_a_text_field_in_the_place_of_a_password_field_is_protected(
    session: Session, site: Site, name: str
) -> None:
    """As components do that show a password by drawing their field anew."""
    page = f"""<form><input {name} type=password value=hunter2></form>
      <button onclick="document.forms[0].innerHTML = '<input {name} value=hunter2>'">Show</button>"""
    await session.navigate(site.page("/", page))
    shown = await session.click('button "Show"')
    for attempt in (session.fill("form input", "x"), session.type("x", "form input")):
        with pytest.raises(Denied):
            await attempt
    outputs = [shown.changes.text, str((await session.snapshot()).result), str((await session.extract("input")).result)]
    assert not [text for text in outputs if "hunter2" in text]


@pytest.mark.parametrize("hint", ["new-password", "section-a current-password"])
async def test_a_text_field_is_no_password_field_for_its_autocomplete_attribute(
    session: Session, site: Site, hint: str
) -> None:
    """Selects keep a browser from filling in their search box that way."""
    page = f"<input id=p type=password name=word><input id=s name=search autocomplete='{hint}'>"
    await session.navigate(site.page("/", page))
    await session.fill("#s", "Norway")
    await session.type(" and Sweden", "#s")
    assert await value(session, "[s.value, p.value]") == ["Norway and Sweden", ""]
    assert "Norway and Sweden" in str((await session.snapshot()).result)


async def test_a_password_that_the_page_reveals_on_load_is_protected(session: Session, site: Site) -> None:
    page = """<input id=p type=password><script>addEventListener('load', () => { p.type = 'text' })</script>"""
    await session.navigate(site.page("/", page))
    with pytest.raises(Denied):
        await session.fill("#p", "hunter2")


async def test_a_password_that_the_page_reveals_cannot_be_copied(session: Session, site: Site) -> None:
    page = """<input id=p type=password value=hunter2><input id=o value=tea>
      <button onclick="p.type = 'text'">Show</button>"""
    await session.navigate(site.page("/", page))
    await session.press("Control+A", "#o")
    await session.press("Control+C")
    await session.click("button")
    for keys in ("Control+C", "Control+X"):
        await session.press("Control+A", "#p")
        with pytest.raises(Denied):
            await session.press(keys)
    await session.press("Control+V", "#o")
    assert "hunter2" not in await value(session, "o.value")


async def test_a_field_that_becomes_a_password_field_on_focus_is_refused(session: Session, site: Site) -> None:
    page = "<input id=a onfocus=\"this.type = 'password'\"><input id=b onfocus=\"this.type = 'password'\">"
    await session.navigate(site.page("/", page))
    with pytest.raises(Denied):
        await session.fill("#a", "hunter2")
    with pytest.raises(Denied):
        await session.type("hunter2", "#b")
    assert await value(session, "a.value + b.value") == ""


async def test_typing_stops_when_the_field_becomes_a_password_field(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<input id=n oninput=\"if (n.value.length > 2) n.type = 'password'\">"))
    with pytest.raises(Denied):
        await session.type("hunter2", "#n")
    assert await value(session, "n.value") == "hun"


async def test_typing_stops_when_the_focus_moves_to_a_password_field(session: Session, site: Site) -> None:
    page = "<input id=n oninput='if (n.value.length > 2) p.focus()'><label>Word <input id=p type=password></label>"
    await session.navigate(site.page("/", page))
    with pytest.raises(Denied) as caught:
        await session.type("hunter2", "#n")
    assert 'textbox "Word"' in caught.value.message
    assert await value(session, "[n.value, p.value]") == ["hun", ""]


async def test_filling_reaches_its_field_when_the_focus_moves_to_a_password_field(session: Session, site: Site) -> None:
    page = "<input id=n><input id=p type=password><script>n.onfocus = () => setTimeout(() => p.focus())</script>"
    await session.navigate(site.page("/", page))
    for number in range(5):
        await session.fill("#n", f"hunter{number}")
    assert await value(session, "[n.value, p.value]") == ["hunter4", ""]


@pytest.mark.parametrize("kind", ["focus", "select", "beforeinput"])
async def test_no_text_reaches_a_password_field_when_filling_moves_the_focus_there(
    session: Session, site: Site, kind: str
) -> None:
    """Whichever handlers of the page run during the action, the text goes to its target or nowhere."""
    page = f"<input id=n value=old><input id=p type=password><script>n.on{kind} = () => p.focus()</script>"
    await session.navigate(site.page("/", page))
    with contextlib.suppress(Denied):
        await session.fill("#n", "hunter2")
    assert await value(session, "p.value") == ""


async def test_a_field_that_becomes_a_password_field_on_input_is_refused(session: Session, site: Site) -> None:
    page = "<input id=n><script>n.addEventListener('beforeinput', () => { n.type = 'password' })</script>"
    await session.navigate(site.page("/", page))
    with pytest.raises(Denied):
        await session.fill("#n", "hunter2")
    assert await value(session, "n.value") == ""


async def test_the_next_page_is_guarded_from_its_start(session: Session, site: Site) -> None:
    """In a login with two pages, keys typed after the name arrive at the page with the password field."""
    site.page("/next", f"<input id=p type=password>{RECORD_KEYS}<script>p.focus()</script>")
    page = f"<input id=n oninput=\"if (n.value.length == 3) location.href = '/next'\">{SLOW_KEYS}"
    arrived = 0
    for _ in range(20):  # the browser may drop keys while it changes pages, be it all of them
        await session.navigate(site.page("/", page))
        with contextlib.suppress(Denied):
            await session.type("hunter2" * 100, "#n")
        await session.wait(url="/next")
        typed, arrived = await value(session, "[p.value, keys.length]")
        assert typed == ""
        if arrived:
            break
    assert arrived


@pytest.mark.parametrize("mode", ["open", "closed"])
async def test_a_password_field_in_a_shadow_root_is_refused(session: Session, site: Site, mode: str) -> None:
    page = f"""<x-login></x-login><script>
      const root = document.querySelector('x-login').attachShadow({{mode: '{mode}'}});
      root.innerHTML = '<label>Name <input></label><label>Word <input type=password></label>';
      var [n, p] = root.querySelectorAll('input'); p.focus()</script>"""
    seen = (await session.navigate(site.page("/", page))).changes.text
    for attempt in (session.type("hunter2"), session.press("h"), session.fill(ref_of(seen, "Word"), "hunter2")):
        with pytest.raises(Denied):
            await attempt
    await session.fill(ref_of(seen, "Name"), "Bea")
    await session.type("trice")
    assert await value(session, "[n.value, p.value]") == ["Beatrice", ""]


async def test_a_password_field_in_the_closed_shadow_root_of_editable_text_is_refused(
    session: Session, site: Site
) -> None:
    page = """<div id=h contenteditable>note</div><script>
      const root = h.attachShadow({mode: 'closed'});
      root.innerHTML = '<input type=password><slot></slot>';
      var p = root.firstChild</script>"""
    await session.using(quiet=True).navigate(site.page("/", page))
    await session.using(quiet=True).evaluate("p.focus()")
    with pytest.raises(Denied):
        await session.using(quiet=True).type("hunter2")
    assert await value(session, "p.value") == ""


async def test_a_password_field_in_nested_closed_shadow_roots_is_refused(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<section></section>"))
    script = """let root = document.querySelector('section');
      for (let depth = 0; depth < 4; depth++) {
        const inner = root.attachShadow({mode: 'closed'});
        inner.innerHTML = '<div></div><input><input type=password>';
        var [n, p] = inner.querySelectorAll('input');
        root = inner.querySelector('div');
      }
      p.focus()"""
    await session.using(quiet=True).evaluate(script)
    with pytest.raises(Denied):
        await session.using(quiet=True).type("hunter2")
    await session.using(quiet=True).evaluate("n.focus()")
    await session.using(quiet=True).type("Bea")
    assert await value(session, "[n.value, p.value]") == ["Bea", ""]


async def test_typing_stops_when_the_focus_moves_into_a_new_closed_shadow_root(session: Session, site: Site) -> None:
    page = """<input id=n><script>n.oninput = () => {
      if (window.p) return;
      const root = document.body.appendChild(document.createElement('section')).attachShadow({mode: 'closed'});
      root.innerHTML = '<input type=password>'; window.p = root.firstChild; p.focus() }</script>"""
    await session.navigate(site.page("/", page))
    with pytest.raises(Denied, match="closed shadow root"):
        await session.type("hunter2", "#n")
    assert await value(session, "[n.value, p.value]") == ["h", ""]


FRAME = "<label>Name <input id=n></label><label>Word <input id=p type=password></label>"
REPORT_VALUE = (
    "<script>onmessage = ({data}) => data === 'focus' ? p.focus() : parent.postMessage(p.value, '*')</script>"
)


def page_that_moves_the_focus_to(frame: str) -> str:
    """Return a page that moves the focus into its frame while rove is typing."""
    return f"""<input id=outer oninput="if (outer.value.length == 2) frames[0].postMessage('focus', '*')">
      <iframe src='{frame}' width=500 height=100></iframe>{SLOW_KEYS}"""


async def value_in_frame(session: Session) -> Any:
    ask = "new Promise(done => { onmessage = e => done(e.data); frames[0].postMessage('tell', '*') })"
    return await value(session, ask)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_password_field_in_a_frame_is_refused(session: Session, site: Site, host: str) -> None:
    site.page("/inner", FRAME + REPORT_VALUE)
    page = f"<iframe src='{site.url('/inner', host)}' width=500 height=100></iframe>"
    outcome = await session.navigate(site.page("/", page))
    for attempt in (session.fill("#p", "hunter2"), session.type("hunter2", ref_of(outcome.changes.text, "Word"))):
        with pytest.raises(Denied) as caught:
            await attempt
        assert "[f" in caught.value.message
    # The focus is in the frame now, and text without a target goes to the focused element.
    with pytest.raises(Denied):
        await session.type("hunter2")
    await session.fill("#n", "Bea")
    await session.type("trice")
    assert await value_in_frame(session) == ""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_typing_stops_when_the_focus_moves_into_a_frame(session: Session, site: Site, host: str) -> None:
    site.page("/inner", FRAME + REPORT_VALUE)
    await session.navigate(site.page("/", page_that_moves_the_focus_to(site.url("/inner", host))))
    with pytest.raises(Denied):  # long enough for a frame whose process gets little of a busy machine
        await session.type("hunter2" * 400, "#outer")
    assert await value_in_frame(session) == ""


async def test_a_password_field_in_a_frame_without_scripts_is_refused(session: Session, site: Site) -> None:
    site.page("/inner", FRAME)
    page = "<iframe sandbox='allow-same-origin' src='/inner' width=500 height=100></iframe>"
    await session.navigate(site.page("/", page))
    for attempt in (session.fill("#p", "hunter2"), session.type("hunter2", "#p"), session.type("hunter2")):
        with pytest.raises(Denied):
            await attempt
    assert await value(session, "frames[0].document.querySelector('#p').value") == ""


async def test_a_document_that_is_rewritten_is_guarded_too(session: Session, site: Site) -> None:
    page = """<input id=before><button onclick="document.open();
      document.write('<input id=n oninput=p.focus()><input id=p type=password>'); document.close()">Anew</button>"""
    await session.navigate(site.page("/", page))
    await session.type("tea", "#before")
    await session.click("button")
    with pytest.raises(Denied):
        await session.type("hunter2", "#n")
    assert await value(session, "[n.value, p.value]") == ["h", ""]


async def test_keys_that_write_nothing_are_allowed(session: Session, site: Site) -> None:
    page = """<form onsubmit="out.textContent = 'sent'; return false"><input id=p type=password value=hunter2></form>
      <p id=out></p>"""
    await session.navigate(site.page("/", page))
    await session.press("Enter", "#p")
    await session.press("Shift+Tab", "#p")
    await session.press("Control+A", "#p")
    await session.press("End", "#p")
    await session.press("Backspace")
    assert await value(session, "[p.value, out.textContent]") == ["hunter", "sent"]
    await session.fill("#p", "")
    assert await value(session, "p.value") == ""


async def type_as_a_person(tab: Tab | None, text: str) -> None:
    """Send keys to the page by a command of the browser, past all of rove's input."""
    if not isinstance(tab, FirefoxTab):
        await chromium_tab(tab).page.cdp.send("Input.insertText", {"text": text})
        return
    keys = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
    source = {"type": "key", "id": "person", "actions": keys}
    channel = tab.page.channel
    await channel.send("input.performActions", {"context": channel.context, "actions": [source]})


async def test_a_person_at_the_window_is_not_restricted(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<input id=n><input id=p type=password>"))
    await session.type("Bea", "#n")
    with pytest.raises(Denied):
        await session.type("hunter2", "#p")
    await session.type("trice", "#n")
    await session.evaluate("p.focus()")
    context = session._engine._context
    assert context is not None
    await type_as_a_person(context.current, "their own")
    assert await value(session, "[n.value, p.value]") == ["Beatrice", "their own"]


async def test_typing_works_again_after_a_dialog_interrupted_it(session: Session, site: Site) -> None:
    await session.navigate(
        site.page("/", "<input id=n oninput=\"if (n.value == 'B') alert('Hm')\"><input type=password>")
    )
    outcome = await session.type("Bea", "#n")
    assert any("dialog" in event.kind for event in outcome.events)
    await session.dialog(accept=True)
    await session.type("trix", "#n")
    assert (await value(session, "n.value")).endswith("trix")
    with pytest.raises(Denied):
        await session.type("hunter2", "input[type=password]")


@pytest.fixture(scope="module")
async def allowing(settings: Settings) -> AsyncGenerator[Session]:
    async with Sessions(replace(settings, guard=Guarding(passwords="allow"))) as sessions:
        yield Session(sessions, None)


async def test_the_owner_can_allow_passwords_for_testing(allowing: Session, site: Site) -> None:
    await allowing.navigate(site.page("/", "<input id=p type=password aria-label=Word>"))
    filled = await allowing.fill("#p", "hunter")
    typed = await allowing.type("2", "#p")
    assert filled.result.value is None
    assert "hunter" not in filled.changes.text + typed.changes.text
    assert await value(allowing, "p.value") == "hunter2"


@pytest.mark.parametrize("action", ["fill", "type", "form", "batch"])
async def test_a_refused_text_is_not_written_to_the_journal(
    session: Session, site: Site, settings: Settings, action: str
) -> None:
    await session.navigate(site.page("/", "<input id=p type=password>"))
    attempts: dict[str, Callable[[], Awaitable[Any]]] = {
        "fill": lambda: session.fill("#p", "hunter2-guess"),
        "type": lambda: session.type("hunter2-guess", "#p"),
        "form": lambda: session.fill_form((FormField("#p", "hunter2-guess"),)),
        "batch": lambda: session.batch(({"action": "fill", "target": "#p", "value": "hunter2-guess"},)),
    }
    with contextlib.suppress(Denied):
        await attempts[action]()
    journal = settings.journal_folder / f"{session.name}.jsonl"
    assert "#p" in journal.read_text()
    assert "hunter2-guess" not in "".join(file.read_text() for file in settings.journal_folder.glob("*"))
