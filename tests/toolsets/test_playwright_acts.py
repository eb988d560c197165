"""The toolset `playwright`: what Playwright MCP's own tests check of tools that act on a page."""

from __future__ import annotations

import pytest
from tests.site import Site
from tests.toolsets.playwright_client import PlaywrightClient

MENU = """<button>Menu</button><script>document.addEventListener('contextmenu', event => {
  event.preventDefault(); document.querySelector('button').textContent = 'Right clicked' })</script>"""
KEYS = """<title>Title</title><button>Submit</button><div id="div"></div><script>
document.addEventListener('click', event => { document.querySelector('div').textContent = 'ctrlKey:' + event.ctrlKey +
  ' metaKey:' + event.metaKey + ' shiftKey:' + event.shiftKey + ' altKey:' + event.altKey })</script>"""
DOUBLE = """<title>Title</title><script>function handle() {
  document.querySelector('h1').textContent = 'Double clicked' }</script><h1 ondblclick="handle()">Click me</h1>"""
SELECT = """<title>Title</title><select><option value="foo">Foo</option><option value="bar">Bar</option></select>"""
MANY = """<select multiple><option value="foo">Foo</option><option value="bar">Bar</option>
<option value="baz">Baz</option></select>"""
FORM = """<form><label><input type="text" id="name" name="name" /> Name</label>
<label><input type="email" id="email" name="email" /> Email</label>
<label><input type="range" id="age" name="age" min="18" max="100" /> Age</label>
<label><select id="country" name="country"><option value="">Choose a country</option>
<option value="us">United States</option></select> Country</label>
<label><input type="checkbox" name="subscribe" value="newsletter" /> Subscribe to newsletter</label></form>"""
WAIT = """<script>function update() { setTimeout(() => {
  document.querySelector('div').textContent = 'Text to appear' }, 300) }</script>
<button onclick="update()">Click me</button><div>Text to disappear</div>"""


async def test_navigate_tells_the_code_the_page_and_its_snapshot(client: PlaywrightClient, site: Site) -> None:
    url = site.page("/hello", "<title>Title</title><body>Hello, world!</body>")
    reply = await client.open(url)
    assert reply.code == f"await page.goto('{url}');"
    assert reply.page == f"- Page URL: {url}\n- Page Title: Title"
    assert reply.snapshot == "- generic [active] [ref=e1]: Hello, world!"


async def test_click_tells_the_locator_and_what_has_the_focus(client: PlaywrightClient, site: Site) -> None:
    await client.open(site.page("/", "<title>Title</title><button>Submit</button>"))
    reply = await client.call("click", element="Submit button", target="e2")
    assert reply.code == "await page.getByRole('button', { name: 'Submit' }).click();"
    assert 'button "Submit" [active] [ref=e2]' in reply.snapshot


async def test_an_element_with_another_name_has_another_ref(client: PlaywrightClient, site: Site) -> None:
    await client.open(site.page("/", DOUBLE))
    reply = await client.call("click", element="Click me", target="e2", doubleClick=True)
    assert reply.code == "await page.getByRole('heading', { name: 'Click me' }).dblclick();"
    assert 'heading "Double clicked" [level=1] [ref=e3]' in reply.snapshot


async def test_click_with_another_button_or_modifiers(client: PlaywrightClient, site: Site) -> None:
    await client.open(site.page("/", MENU))
    reply = await client.call("click", target="e2", button="right")
    assert reply.code == "await page.getByRole('button', { name: 'Menu' }).click({\n  button: 'right'\n});"
    assert 'button "Right clicked"' in reply.snapshot
    await client.open(site.page("/keys", KEYS))
    for keys, written, shown in (
        (["Control"], "['ControlOrMeta']", "ctrlKey:true metaKey:false shiftKey:false altKey:false"),
        (["Shift", "Alt"], "['Alt', 'Shift']", "ctrlKey:false metaKey:false shiftKey:true altKey:true"),
    ):
        reply = await client.call("click", target="e2", modifiers=keys)
        assert (
            reply.code == f"await page.getByRole('button', {{ name: 'Submit' }}).click({{\n  modifiers: {written}\n}});"
        )
        assert f"generic [ref=e3]: {shown}" in reply.snapshot


async def test_targets_are_selectors_and_locators_too(client: PlaywrightClient, site: Site) -> None:
    await client.open(site.page("/", KEYS))
    for target, written in (
        ("button", "locator('button')"),
        ("getByRole('button', { name: 'Submit' })", "getByRole('button', { name: 'Submit' })"),
        ("getByText('Submit').first()", "getByText('Submit').first()"),
    ):
        reply = await client.call("click", target=target)
        assert reply.code == f"await page.{written}.click();"
    reply = await client.call("click", target="#missing")
    assert (reply.is_error, reply.error) == (True, 'Error: "#missing" does not match any elements.')


async def test_a_ref_of_an_element_that_is_gone_is_not_found(client: PlaywrightClient, site: Site) -> None:
    remove = "document.querySelectorAll('button')[1].remove()"
    page = f"""<button onclick="{remove}">Button 1</button><button>Button 2</button>"""
    reply = await client.open(site.page("/", page))
    assert '  - button "Button 1" [ref=e2]\n  - button "Button 2" [ref=e3]' in reply.snapshot
    await client.call("click", target="e2")
    reply = await client.call("click", target="e3")
    assert reply.is_error
    assert reply.error == "Error: Ref e3 not found in the current page snapshot. Try capturing new snapshot."


async def test_select_option_by_value(client: PlaywrightClient, site: Site) -> None:
    await client.open(site.page("/", SELECT))
    reply = await client.call("select_option", target="e2", values=["bar"])
    assert reply.code == "await page.getByRole('combobox').selectOption('bar');"
    # As with a person, the select has the focus afterwards.
    assert reply.snapshot == '- combobox [active] [ref=e2]:\n  - option "Foo"\n  - option "Bar" [selected]'
    await client.open(site.page("/many", MANY))
    reply = await client.call("select_option", target="e2", values=["bar", "baz"])
    assert reply.code == "await page.getByRole('listbox').selectOption(['bar', 'baz']);"
    assert '- option "Bar" [selected] [ref=e4]\n  - option "Baz" [selected] [ref=e5]' in reply.snapshot


async def test_type_fills_or_presses_keys(client: PlaywrightClient, site: Site) -> None:
    page = """<input type='text' onkeydown="console.log('Key pressed:', event.key, 'Text:', event.target.value)">"""
    await client.open(site.page("/", page))
    reply = await client.call("type", target="e2", text="Hi!", submit=True)
    assert reply.code == "await page.getByRole('textbox').fill('Hi!');\nawait page.getByRole('textbox').press('Enter');"
    assert "textbox [active] [ref=e2]: Hi!" in reply.snapshot
    assert "[LOG] Key pressed: Enter Text: Hi!" in ((await client.call("console_messages")).result or "")
    reply = await client.call("type", target="e2", text="a", slowly=True)
    assert reply.code == "await page.getByRole('textbox').pressSequentially('a');"
    reply = await client.call("type", target="e2", text="it's")
    assert reply.code == "await page.getByRole('textbox').fill('it\\'s');"
    assert "Snapshot" not in reply.sections


async def test_press_key(client: PlaywrightClient, site: Site) -> None:
    await client.open(site.page("/", "<input autofocus>"))
    reply = await client.call("press_key", key="a")
    assert reply.code == "// Press a\nawait page.keyboard.press('a');"
    assert "Snapshot" not in reply.sections
    assert "textbox [active] [ref=e2]: a" in (await client.call("press_key", key="Enter")).snapshot


async def test_fill_form(client: PlaywrightClient, site: Site) -> None:
    await client.open(site.page("/", FORM))
    reply = await client.call(
        "fill_form",
        fields=[
            {"name": "Name", "type": "textbox", "target": "e4", "value": "John Doe"},
            {"name": "Email", "type": "textbox", "target": "e6", "value": "john@example.com"},
            {"name": "Age", "type": "slider", "target": "e8", "value": "25"},
            {"name": "Country", "type": "combobox", "target": "e10", "value": "United States"},
            {"name": "Subscribe", "type": "checkbox", "target": "e12", "value": "true"},
        ],
    )
    assert (reply.code or "").split("\n") == [
        "await page.getByRole('textbox', { name: 'Name' }).fill('John Doe');",
        "await page.getByRole('textbox', { name: 'Email' }).fill('john@example.com');",
        "await page.getByRole('slider', { name: 'Age' }).fill('25');",
        "await page.getByLabel('Choose a country United').selectOption('United States');",
        "await page.getByRole('checkbox', { name: 'Subscribe to newsletter' }).check();",
    ]
    shown = (await client.call("snapshot")).inline_snapshot
    for line in ('textbox "Name" [ref=e4]: John Doe', 'slider "Age" [ref=e8]: "25"', "[checked] [active] [ref=e12]"):
        assert line in shown


async def test_hover_and_drag(client: PlaywrightClient, site: Site) -> None:
    page = """<button onmouseover="this.textContent = 'Over'">One</button>
    <p onmouseup="this.textContent = 'Dropped'">Two</p>"""
    await client.open(site.page("/", page))
    reply = await client.call("hover", target="e2")
    assert reply.code == "await page.getByRole('button', { name: 'One' }).hover();"
    assert 'button "Over"' in reply.snapshot
    reply = await client.call("drag", startTarget="getByText('Over')", endTarget="e3")
    assert reply.code == "await page.getByText('Over').dragTo(page.getByText('Two'));"
    assert "Dropped" in reply.snapshot


async def test_wait_for_text_and_time(client: PlaywrightClient, site: Site) -> None:
    for words in ({"text": "Text to appear"}, {"textGone": "Text to disappear"}):
        assert "generic [ref=e3]: Text to disappear" in (await client.open(site.page("/", WAIT))).snapshot
        await client.call("click", target="e2")
        await client.call("wait_for", **words)
        assert "generic [ref=e3]: Text to appear" in (await client.call("snapshot")).inline_snapshot
    reply = await client.call("wait_for", time=0.2)
    assert reply.code == "await new Promise(f => setTimeout(f, 0.2 * 1000));"
    assert reply.result == "Waited for 0.2 seconds"


async def test_evaluate(client: PlaywrightClient, site: Site) -> None:
    await client.open(site.page("/", """<title>Title</title><body style="background-color: red">Hello, world!"""))
    reply = await client.call("evaluate", function="() => document.title")
    assert (reply.result, reply.code) == ('"Title"', "await page.evaluate('() => document.title');")
    reply = await client.call("evaluate", function="document.title")
    assert reply.code == "await page.evaluate('() => (document.title)');"
    reply = await client.call("evaluate", function="element => element.style.backgroundColor", target="e1")
    assert reply.result == '"red"'
    assert reply.code == ("await page.getByText('Hello, world!').evaluate('element => element.style.backgroundColor');")
    reply = await client.call("evaluate", function="() => ({ title: document.title })")
    assert reply.result == '{\n  "title": "Title"\n}'
    reply = await client.call("evaluate", function="() => nonExistentVariable")
    assert reply.is_error
    assert "nonExistentVariable is not defined" in reply.text


async def test_resize_and_emulate_media(client: PlaywrightClient, site: Site) -> None:
    page = """<div></div><script>const dark = matchMedia('(prefers-color-scheme: dark)'), print = matchMedia('print')
    const tell = () => { document.querySelector('div').textContent =
      `${innerWidth}x${innerHeight} ${dark.matches ? 'dark' : 'light'} ${print.matches ? 'print' : 'screen'}` }
    for (const each of [dark, print]) each.addEventListener('change', tell)
    addEventListener('resize', tell)</script>"""
    await client.open(site.page("/", page))
    reply = await client.call("resize", width=390, height=780)
    assert reply.code == "await page.setViewportSize({ width: 390, height: 780 });"
    reply = await client.call("emulate_media", colorScheme="dark", media="print")
    assert reply.code == "await page.emulateMedia({ colorScheme: 'dark', media: 'print' });"
    await client.call("wait_for", text="390x780 dark print")  # a busy page is told of it a moment later
    assert "390x780 dark print" in (await client.call("snapshot")).inline_snapshot
    reply = await client.call("emulate_media", colorScheme=None, contrast=None, forcedColors=None, reducedMotion=None)
    assert reply.code == (
        "await page.emulateMedia({ colorScheme: null, contrast: null, forcedColors: null, reducedMotion: null });"
    )
    await client.call("wait_for", text="390x780 light print")
    await client.call("emulate_media", media=None)
    await client.call("wait_for", text="390x780 light screen")
    for wrong in ({}, {"colorScheme": "pink"}, {"reducedMotion": "no"}):
        assert (await client.call("emulate_media", **wrong)).is_error


async def test_close_and_run_code(client: PlaywrightClient, site: Site) -> None:
    await client.open(site.page("/", "x"))
    reply = await client.call("close")
    assert (reply.result, reply.code) == ("No open tabs. Navigate to a URL to create one.", "await page.close()")
    reply = await client.call("run_code_unsafe", code="async (page) => await page.title()")
    assert reply.is_error
    assert "browser_evaluate" in reply.text


@pytest.mark.parametrize("accept", [True, False])
async def test_a_dialog_is_a_modal_state(client: PlaywrightClient, site: Site, accept: bool) -> None:
    page = """<title>Title</title><body><button onclick="document.body.textContent = confirm('Sure')">Button</button>"""
    await client.open(site.page("/", page))
    reply = await client.call("click", target="e2")
    waiting = '- ["confirm" dialog with message "Sure"]: can be handled by browser_handle_dialog'
    assert reply.code == "await page.getByRole('button', { name: 'Button' }).click();"
    assert reply.modal == waiting
    reply = await client.call("click", target="e2")
    assert (reply.error, reply.modal) == ('Error: Tool "browser_click" does not handle the modal state.', waiting)
    reply = await client.call("handle_dialog", accept=accept)
    assert reply.modal is None
    assert "- Page Title: Title" in (reply.page or "")
    assert f'generic [active] [ref=e1]: "{str(accept).lower()}"' in (await client.call("snapshot")).inline_snapshot
    reply = await client.call("handle_dialog", accept=True)
    assert reply.error == (
        'Error: The tool "browser_handle_dialog" can only be used when there is related modal state present.'
    )


async def test_dialogs_one_after_the_other_and_late(client: PlaywrightClient, site: Site) -> None:
    page = """<title>Title</title><button onclick="alert('Alert 1');alert('Alert 2')">Two</button>
    <button onclick="setTimeout(() => document.body.textContent = prompt('Prompt'), 100)">Late</button>"""
    await client.open(site.page("/", page))
    assert "Alert 1" in ((await client.call("click", target="e2")).modal or "")
    assert "Alert 2" in ((await client.call("handle_dialog", accept=True)).modal or "")
    assert (await client.call("handle_dialog", accept=True)).modal is None
    assert '"prompt" dialog with message "Prompt"' in ((await client.call("click", target="e3")).modal or "")
    await client.call("handle_dialog", accept=True, promptText="Answer")
    assert "generic [active] [ref=e1]: Answer" in (await client.call("snapshot")).inline_snapshot


async def test_errors_name_the_tools_of_this_toolset(client: PlaywrightClient, site: Site) -> None:
    await client.open(site.page("/", "<input>"))
    field = {"name": "Gone", "type": "textbox", "target": "e99", "value": "x"}
    for reply in (
        await client.call("fill_form", fields=[field]),
        await client.call("drag", startTarget="e99", endTarget="e2"),
    ):
        assert (reply.error or "").startswith("Error: Ref e99 not found in the current page snapshot.")
        assert "browser_snapshot" in (reply.error or "")
    reply = await client.call("evaluate", function="() => { throw new TypeError('Thrown') }")
    assert (reply.error or "").startswith("TypeError: Thrown")
