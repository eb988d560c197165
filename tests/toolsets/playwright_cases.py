"""What the tests that are published with Playwright MCP check of its default tools, as a table: pages, calls, answers.

The pages are rove's own. What was checked was seen of version 0.0.83 too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Is:
    """A section that is this and nothing else."""

    text: str


@dataclass(frozen=True)
class Lacks:
    """A section that does not have this text."""

    text: str


@dataclass(frozen=True)
class Matches:
    """A section with a part that fits this pattern."""

    pattern: str


# What a section holds: one text or several; None if there is no such section.
Wanted = str | Is | Lacks | Matches | None | tuple[str | Is | Lacks | Matches, ...]


@dataclass(frozen=True)
class Step:
    """A call, and what its answer holds by section; `{url}` stands for the address of the site.

    `is_repeated`: it is called until its answer holds that, as what it tells of arrives in its own time.
    """

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    wanted: Mapping[str, Wanted] = field(default_factory=dict[str, Wanted])
    is_error: bool = False
    is_repeated: bool = False


@dataclass(frozen=True)
class Case:
    """A page that is opened in a new browser context, and calls in order. `others`: more pages, by their paths."""

    name: str
    page: str
    steps: tuple[Step, ...]
    others: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    files: Mapping[str, str] = field(default_factory=dict[str, str])


def call(tool: str, /, is_error: bool = False, until: bool = False, **arguments: Any) -> Step:
    return Step(tool, arguments, {}, is_error, until)


def told(step: Step, **wanted: Wanted) -> Step:
    return Step(step.tool, step.arguments, wanted, step.is_error, step.is_repeated)


REF_GONE = "not found in the current page snapshot. Try capturing new snapshot."
NO_MODAL = "can only be used when there is related modal state present."
ASKED = "- [File chooser]: can be handled by browser_file_upload"
LINES = "<h1>Tools</h1><ul><li>Hammer</li><li>Saw</li><li>Drill</li></ul><button>Order</button>"
DEEP = """<main><section aria-label="Side"><nav aria-label="Main"><ul><li><a href="/a">One</a></li>
<li><a href="/b">Two</a></li><li><a href="/c">Three</a></li><li><a href="/d">Four</a></li><li><a href="/e">Five</a></li>
<li><a href="/f">Last of all</a></li></ul></nav></section></main>"""
GROUPS = """<main><div role="group" aria-label="First"><button>A</button><button>B</button><button>C</button>
<button>D</button></div><div role="group" aria-label="Second"><button>Wanted</button></div></main>"""
LIST = "<ul><li>words</li><li><button>Press</button></li></ul>"
REMOVING = (
    """<button onclick="document.querySelectorAll('button')[1].remove()">Remove</button><button>Removed</button>"""
)
MODIFIED = """<title>T</title><button>Send</button><p></p><script>document.onclick = event => {
document.querySelector('p').textContent = ['ctrl', 'meta', 'shift', 'alt'].filter(key => event[key + 'Key']).join() }
</script>"""
DROP_ZONE = """<div aria-label="zone" style="width: 200px; height: 100px"></div><script>
const zone = document.querySelector('div')
zone.ondragenter = zone.ondragover = event => event.preventDefault()
zone.ondrop = async event => { event.preventDefault(); const data = event.dataTransfer.getData('text/plain')
  const texts = await Promise.all(Array.from(event.dataTransfer.files, file => file.text()))
  window.dropped = { texts, data } }</script>"""
LOUD = """async () => { console.debug('said quietly'); console.log('said'); console.warn('warned')
  console.error('failed'); setTimeout(() => { throw new Error('thrown late') }, 0); await fetch('/nothing') }"""
FORM = """<form><label><input name="name"> Name</label><label><input type="email" name="mail"> Mail</label>
<label><input type="range" min="1" max="9" name="size"> Size</label>
<label><select name="land"><option value="">None</option>
<option value="at">Austria</option></select> Land</label>
<label><input type="checkbox" name="news"> News</label></form>"""
LATER = """<script>const show = () => { document.querySelector('p').textContent = 'Here' }
const later = () => setTimeout(show, 300)</script>
<button onclick="later()">Go</button><p>Not yet</p>"""
FRAMES = '<h1>Outer</h1><iframe src="/inner"></iframe><iframe srcdoc="<h1>Unseen</h1>" style="display: none"></iframe>'
INNER = "<button>Inner</button><main><iframe srcdoc='<p>Innermost</p>'></iframe></main>"
ASKS = """<button onclick="document.body.textContent = confirm('Really?')">Ask</button>"""
WIDE = "<body style='margin: 0; width: 2000px; height: 500px'>"
SENDING = """<button onclick="fetch('/api', {method: 'POST', headers: {'X-Kind': 'test'}, body: '{&quot;a&quot;: 1}'})">
Send</button>"""
MANY = """<select multiple><option value="a">First</option><option value="b">Second</option>
<option>Third</option></select>"""
SIZED = """<p></p><script>onresize = () => {
document.querySelector('p').textContent = innerWidth + ' by ' + innerHeight }</script>"""
HTML = "text/html; charset=utf-8"
JSON = "application/json"

CORE = (
    Case(
        "navigation tells the code, the page and its snapshot",
        "<title>T</title>x",
        (
            told(
                call("navigate", url="{url}/other"),
                code=Is("await page.goto('{url}/other');"),
                page=Is("- Page URL: {url}/other\n- Page Title: Other"),
                snapshot=Is("- generic [active] [ref=f1e1]: Words"),
            ),
        ),
        {"/other": ("<title>Other</title>Words", HTML)},
    ),
    Case(
        "file: is blocked",
        "x",
        (
            told(
                call("navigate", is_error=True, url="file:///etc/passwd"),
                error='Error: Access to "file:" protocol is blocked. Attempted URL: "file:///etc/passwd"',
            ),
        ),
    ),
    Case(
        "an option is selected",
        "<select><option value='a'>First</option><option value='b'>Second</option></select>",
        (
            told(
                call("select_option", target="e2", values=["b"]),
                code=Is("await page.getByRole('combobox').selectOption('b');"),
                snapshot=Matches(
                    r'^- combobox( \[active\])? \[ref=e2\]:\n  - option "First"\n  - option "Second" \[selected\]$'
                ),
            ),
        ),
    ),
    Case(
        "several options are selected",
        MANY,
        (
            told(
                call("select_option", target="e2", values=["b", "Third"]),
                code=Is("await page.getByRole('listbox').selectOption(['b', 'Third']);"),
                snapshot=(
                    '  - option "First" [ref=e3]\n',
                    '  - option "Second" [selected] [ref=e4]\n  - option "Third" [selected] [ref=e5]',
                ),
            ),
        ),
    ),
    Case(
        "the viewport is resized",
        SIZED,
        (
            told(
                call("resize", width=390, height=780),
                code=Is("await page.setViewportSize({ width: 390, height: 780 });"),
            ),
            told(call("snapshot", until=True), inline_snapshot="390 by 780"),
            call("resize", width=1280, height=720),
        ),
    ),
    Case(
        "a ref of an element that is gone",
        REMOVING,
        (
            told(call("snapshot"), inline_snapshot='  - button "Remove" [ref=e2]\n  - button "Removed" [ref=e3]'),
            call("click", target="e2"),
            told(call("click", is_error=True, target="e3"), error=f"Ref e3 {REF_GONE}"),
        ),
    ),
    Case(
        "what is visible in something hidden is shown",
        "<div style='visibility: hidden'><div style='visibility: visible'><button>Seen</button></div></div>",
        (told(call("snapshot"), inline_snapshot='- button "Seen"'),),
    ),
    Case(
        "a snapshot ends at a depth",
        LIST,
        (
            told(
                call("snapshot", depth=1),
                inline_snapshot=Is("- list [ref=e2]:\n  - listitem [ref=e3]: words\n  - listitem [ref=e4]"),
            ),
            told(
                call("snapshot", depth=2),
                inline_snapshot=Is(
                    "- list [ref=e2]:\n  - listitem [ref=e3]: words\n  - listitem [ref=e4]:\n"
                    '    - button "Press" [ref=e5]'
                ),
            ),
        ),
    ),
    Case(
        "a snapshot of one element",
        LIST,
        (
            told(
                call("snapshot", target="e4"),
                inline_snapshot=Is('- listitem [ref=e4]:\n  - button "Press" [ref=e5]'),
            ),
            told(call("snapshot", is_error=True, target="e99"), error=f"Ref e99 {REF_GONE}"),
        ),
    ),
    Case(
        "elements that a script adds get the next refs",
        "<button>One</button>",
        (
            call(
                "evaluate",
                function="() => document.body.insertAdjacentHTML('beforeend', '<button>Two</button>')",
            ),
            told(call("snapshot"), inline_snapshot='  - button "One" [ref=e2]\n  - button "Two" [ref=e3]'),
        ),
    ),
)

ACTS = (
    Case(
        "a click",
        "<title>T</title><button>Send</button>",
        (
            told(
                call("click", element="Send button", target="e2"),
                code=Is("await page.getByRole('button', { name: 'Send' }).click();"),
                snapshot='button "Send" [active] [ref=e2]',
            ),
        ),
    ),
    Case(
        "a double click",
        """<h1 ondblclick="this.textContent = 'Twice'">Once</h1>""",
        (
            told(
                call("click", target="e2", doubleClick=True),
                code=Is("await page.getByRole('heading', { name: 'Once' }).dblclick();"),
                snapshot='heading "Twice" [level=1] [ref=e3]',
            ),
        ),
    ),
    Case(
        "a click with the right button",
        """<button oncontextmenu="this.textContent = 'Opened'; return false">Menu</button>""",
        (
            told(
                call("click", target="e2", button="right"),
                code=Is("await page.getByRole('button', { name: 'Menu' }).click({\n  button: 'right'\n});"),
                snapshot='button "Opened"',
            ),
        ),
    ),
    Case(
        "clicks with keys held down",
        MODIFIED,
        tuple(
            told(
                call("click", target="e2", modifiers=[*keys]),
                code=Is(f"await page.getByRole('button', {{ name: 'Send' }}).click({{\n  modifiers: [{written}]\n}});"),
                snapshot=f": {seen}",
            )
            for keys, written, seen in (
                (("Control",), "'ControlOrMeta'", "ctrl"),
                (("ControlOrMeta",), "'ControlOrMeta'", "ctrl"),
                (("Shift",), "'Shift'", "shift"),
                (("Shift", "Alt"), "'Alt', 'Shift'", "shift,alt"),
            )
        ),
    ),
    Case(
        "a page that leaves shortly after a click",
        """<button onclick="setTimeout(() => { location = '/next' }, 100)">Leave</button>""",
        (
            told(
                call("click", target="e2"),
                code=Is("await page.getByRole('button', { name: 'Leave' }).click();"),
                page="{url}/next",
            ),
        ),
        {"/next": ("<title>Next</title>", HTML)},
    ),
    Case(
        "a field is filled and sent",
        """<input onkeypress="console.log('Pressed', event.key, 'at', event.target.value)">""",
        (
            told(
                call("type", target="e2", text="Hi!", submit=True),
                code=Is(
                    "await page.getByRole('textbox').fill('Hi!');\nawait page.getByRole('textbox').press('Enter');"
                ),
                snapshot=Matches(r"textbox (\[active\] )?\[ref=e2\]: Hi!"),
            ),
            told(call("console_messages"), result="[LOG] Pressed Enter at Hi!"),
        ),
    ),
    Case(
        "a field is typed into key by key",
        """<input onkeydown="console.log('Pressed', event.key, 'at', event.target.value + '.')">""",
        (
            told(
                call("type", target="e2", text="abc", slowly=True),
                code=Is("await page.getByRole('textbox').pressSequentially('abc');"),
                snapshot=Matches(r"textbox (\[active\] )?\[ref=e2\]: abc"),
            ),
            told(
                call("console_messages"),
                result=("[LOG] Pressed a at .", "[LOG] Pressed b at a.", "[LOG] Pressed c at ab."),
            ),
        ),
    ),
    Case(
        "a field that is filled has no snapshot",
        """<input oninput="console.log('Now: ' + event.target.value)">""",
        (
            told(call("type", target="e2", text="Hi!"), code="fill('Hi!')", snapshot_section=None),
            told(call("console_messages"), result="[LOG] Now: Hi!"),
        ),
    ),
    Case(
        "a form is filled",
        FORM,
        (
            told(
                call(
                    "fill_form",
                    fields=[
                        {"name": "Name", "type": "textbox", "target": "e4", "value": "Ada"},
                        {"name": "Mail", "type": "textbox", "target": "e6", "value": "ada@example.com"},
                        {"name": "Size", "type": "slider", "target": "e8", "value": "7"},
                        {"name": "Land", "type": "combobox", "target": "e10", "value": "Austria"},
                        {"name": "News", "type": "checkbox", "target": "e12", "value": "true"},
                    ],
                ),
                code=Is(
                    "await page.getByRole('textbox', { name: 'Name' }).fill('Ada');\n"
                    "await page.getByRole('textbox', { name: 'Mail' }).fill('ada@example.com');\n"
                    "await page.getByRole('slider', { name: 'Size' }).fill('7');\n"
                    "await page.getByLabel('None Austria Land').selectOption('Austria');\n"
                    "await page.getByRole('checkbox', { name: 'News' }).check();"
                ),
            ),
            told(
                call("snapshot"),
                inline_snapshot=(
                    Matches('textbox "Name".*: Ada'),
                    Matches('textbox "Mail".*: ada@example.com'),
                    Matches('slider "Size".*: "7"'),
                    'option "Austria" [selected]',
                    'checkbox "News" [checked]',
                ),
            ),
        ),
    ),
    Case(
        "waiting for a text",
        LATER,
        (
            told(call("snapshot"), inline_snapshot="paragraph [ref=e3]: Not yet"),
            call("click", target="e2"),
            call("wait_for", text="Here"),
            told(call("snapshot"), inline_snapshot="paragraph [ref=e3]: Here"),
        ),
    ),
    Case(
        "waiting until a text is gone",
        LATER,
        (
            call("click", target="e2"),
            call("wait_for", textGone="Not yet"),
            told(call("snapshot"), inline_snapshot="paragraph [ref=e3]: Here"),
        ),
    ),
    Case(
        "waiting for a time",
        "x",
        (told(call("wait_for", time=0.1), code=Is("await new Promise(f => setTimeout(f, 0.1 * 1000));")),),
    ),
    Case(
        "waiting for nothing",
        "x",
        (told(call("wait_for", is_error=True), error=Matches("time.*text.*textGone.* must be provided")),),
    ),
)

DIALOGS = (
    Case(
        "an alert holds the page until it is handled",
        """<title>T</title><button onclick="alert('Hear!')">Call</button>""",
        (
            told(
                call("click", target="e2"),
                code=Is("await page.getByRole('button', { name: 'Call' }).click();"),
                modal=Is('- ["alert" dialog with message "Hear!"]: can be handled by browser_handle_dialog'),
            ),
            told(
                call("click", is_error=True, target="e2"),
                code=None,
                error=Is('Error: Tool "browser_click" does not handle the modal state.'),
                modal=Is('- ["alert" dialog with message "Hear!"]: can be handled by browser_handle_dialog'),
            ),
            told(call("handle_dialog", accept=True), modal=None, page="- Page Title: T"),
        ),
    ),
    Case(
        "two alerts, one after the other",
        """<button onclick="alert('One'); alert('Two')">Call</button>""",
        (
            told(call("click", target="e2"), modal='message "One"'),
            told(call("handle_dialog", accept=True), modal='message "Two"'),
            told(call("handle_dialog", accept=True), modal=None),
        ),
    ),
    *(
        Case(
            f"a confirmation that is {'accepted' if accept else 'dismissed'}",
            ASKS,
            (
                told(call("click", target="e2"), modal='["confirm" dialog with message "Really?"]'),
                told(call("handle_dialog", accept=accept), modal=None),
                told(call("snapshot"), inline_snapshot=f'generic [active] [ref=e1]: "{str(accept).lower()}"'),
            ),
        )
        for accept in (True, False)
    ),
    Case(
        "a prompt",
        """<button onclick="document.body.textContent = prompt('Name?')">Ask</button>""",
        (
            told(call("click", target="e2"), modal='["prompt" dialog with message "Name?"]'),
            told(call("handle_dialog", accept=True, promptText="Ada"), modal=None),
            told(call("snapshot"), inline_snapshot="generic [active] [ref=e1]: Ada"),
        ),
    ),
    Case(
        "an alert that comes a moment after the click",
        """<title>T</title><button onclick="setTimeout(() => alert('Late'), 100)">Call</button>""",
        (
            told(call("click", target="e2"), modal='["alert" dialog with message "Late"]'),
            told(call("handle_dialog", accept=True), modal=None, page="- Page URL: {url}/\n- Page Title: T"),
        ),
    ),
    Case(
        "there is no dialog to handle",
        "x",
        (
            told(
                call("handle_dialog", is_error=True, accept=True), error=f'The tool "browser_handle_dialog" {NO_MODAL}'
            ),
        ),
    ),
)

READS = (
    Case(
        "the console",
        "<script>\nconsole.log('Hello')\nconsole.error('Bad')\n</script>",
        (
            told(
                call("console_messages"),
                result=(
                    Matches(r"Total messages: \d \(Errors: \d, Warnings: 0\)"),
                    "[LOG] Hello @ {url}/:2",
                    "[ERROR] Bad @ {url}/:3",
                ),
            ),
        ),
    ),
    Case(
        "an error of a script is in the console",
        "<script>throw new Error('Broken')</script>",
        (told(call("console_messages"), result=("Error: Broken", "{url}")),),
    ),
    Case(
        "levels of the console",
        "x",
        (
            call("evaluate", function=LOUD),
            told(
                call("console_messages"),
                result=("said", "warned", "failed", "Error: thrown late", "404", Lacks("said quietly")),
            ),
            told(
                call("console_messages", level="error"),
                result=(
                    Matches(r"Total messages: \d+ \(Errors: \d+, Warnings: \d+\)"),
                    Matches(r'Returning \d+ messages for level "error"'),
                    "failed",
                    "Error: thrown late",
                    "404",
                    Lacks("said"),
                    Lacks("warned"),
                ),
            ),
        ),
    ),
    Case(
        "a click that writes to the console",
        """<button onclick="console.error('Clicked')">Press</button>""",
        (
            told(
                call("click", target="e2"),
                events=Matches(r"- New console entries: \S*console-\S+\.log#L\d+(-L\d+)?"),
            ),
        ),
    ),
    Case(
        "a value of the page",
        "<title>T</title><body style='color: red'>Words",
        (
            told(
                call("evaluate", function="() => document.title"),
                result=Is('"T"'),
                code=Is("await page.evaluate('() => document.title');"),
            ),
            told(
                call("evaluate", function="element => element.style.color", element="body", target="e1"),
                result=Is('"red"'),
                code=Is("await page.getByText('Words').evaluate('element => element.style.color');"),
            ),
            told(
                call("evaluate", function="() => ({ title: document.title, many: [1, 2] })"),
                result=Is('{\n  "title": "T",\n  "many": [\n    1,\n    2\n  ]\n}'),
            ),
            told(
                call("evaluate", function="document.title"), code=Is("await page.evaluate('() => (document.title)');")
            ),
            told(call("evaluate", function="() => undefined"), result=Is("undefined")),
            told(
                call("evaluate", is_error=True, function="() => notThere"),
                error=("notThere", Matches("not defined|Can't find variable")),
            ),
        ),
    ),
    Case(
        "text is found in any case, with the lines around it",
        LINES,
        (
            told(call("find", text="Saw"), result=('Found 1 match for "Saw":', "Hammer", "Drill")),
            told(call("find", text="saw"), result="Saw"),
            told(call("find", text="Nails"), result=Is('No matches found for "Nails".')),
        ),
    ),
    Case(
        "a match is shown under its path",
        DEEP,
        (
            told(
                call("find", text="Last of all"),
                result=(
                    'Found 1 match for "Last of all":\n\n- main [ref=e2]:\n  - region "Side" [ref=e3]:\n'
                    '    - navigation "Main" [ref=e4]:\n      - list [ref=e5]:\n        - listitem [ref=e14]:',
                    '        - listitem [ref=e16]:\n          - link "Last of all" [ref=e17]',
                    "Five",
                ),
            ),
        ),
    ),
    Case(
        "lines that are left out around a match are marked",
        GROUPS,
        (
            told(
                call("find", text="Wanted"),
                result='Found 1 match for "Wanted":\n\n- main [ref=e2]:\n  - group "First" [ref=e3]:\n    ...\n'
                '    - button "C" [ref=e6]\n    - button "D" [ref=e7]\n  - group "Second" [ref=e8]:\n'
                '    - button "Wanted" [ref=e9]',
            ),
        ),
    ),
    Case(
        "patterns are found",
        LINES,
        (
            told(call("find", regex="Saw|Drill"), result="Found 2 matches for /Saw|Drill/:"),
            told(call("find", regex="saw"), result=Is("No matches found for /saw/.")),
            told(call("find", regex="/saw/i"), result="Found 1 match for /saw/i:"),
            call("find", is_error=True, regex="("),
        ),
    ),
    Case(
        "either a text or a pattern is found",
        LINES,
        (
            told(call("find", is_error=True), error='Provide either "text" or "regex" to search for.'),
            told(
                call("find", is_error=True, text="Saw", regex="Saw"),
                error='Provide only one of "text" or "regex", not both.',
            ),
        ),
    ),
    Case(
        "frames are a part of the snapshot",
        FRAMES,
        (
            told(
                call("snapshot"),
                inline_snapshot=(
                    '- generic [active] [ref=e1]:\n  - heading "Outer" [level=1] [ref=e2]\n  - iframe [ref=e3]:\n'
                    "    - generic",
                    '      - button "Inner" [ref=f1e2]\n      - main [ref=f1e3]:\n        - iframe [ref=f1e4]:\n'
                    "          - paragraph [ref=f3e2]: Innermost",
                    Lacks("Unseen"),
                ),
            ),
            told(
                call("click", target="f1e2"),
                code=Is(
                    "await page.locator('iframe').first().contentFrame()"
                    ".getByRole('button', { name: 'Inner' }).click();"
                ),
            ),
        ),
        {"/inner": (INNER, HTML)},
    ),
    Case(
        "requests that tell something are listed",
        """<button onclick="fetch('/json')">Fetch</button><img src="/gone.png">""",
        (
            call("click", target="e2"),
            told(
                call("network_requests"),
                result=(
                    Lacks("[GET] {url}/ "),
                    Matches(r"(?m)^\d+\. \[GET\] {url}/json => \[200\] OK$"),
                    Matches(r"(?m)^\d+\. \[GET\] {url}/gone.png => \[404\]"),
                ),
            ),
            told(
                call("network_requests", static=True),
                result=(
                    Matches(r"(?m)^1\. \[GET\] {url}/ => \[200\] OK$"),
                    Matches(r"(?m)^\d+\. \[GET\] {url}/json => \[200\] OK$"),
                    Matches(r"(?m)^\d+\. \[GET\] {url}/gone.png => \[404\]"),
                ),
            ),
        ),
        {"/json": ("{}", JSON)},
    ),
    Case(
        "requests are filtered by their address",
        "<script>for (const path of ['/api/a', '/api/b', '/other']) fetch(path)</script>",
        (
            told(
                call("network_requests", filter="/api/", static=True),
                result=("{url}/api/a", "{url}/api/b", Lacks("/other")),
            ),
            call("network_requests", is_error=True, filter="("),
        ),
    ),
    Case(
        "a request with its headers",
        SENDING,
        (
            call("click", target="e2"),
            told(call("network_requests"), result="2. [POST] {url}/api => [200] OK"),
            told(
                call("network_request", index=2),
                result=(
                    "#2 [POST] {url}/api",
                    "  General\n    status:    [200] OK",
                    "mimeType:  application/json",
                    "  Request headers\n",
                    "x-kind: test",
                    "  Response headers\n",
                    'Call browser_network_request with part="request-body" to read the request body.',
                    'Call browser_network_request with part="response-body" to read the response body.',
                ),
            ),
            told(call("network_request", index=2, part="request-body"), result=Is('{"a": 1}')),
            told(call("network_request", index=2, part="response-body"), result=Is('{"b": 2}')),
            told(call("network_request", index=2, part="request-headers"), result=("x-kind: test", Lacks("General"))),
            told(call("network_request", index=2, part="response-headers"), result="content-type: application/json"),
        ),
        {"/api": ('{"b": 2}', JSON)},
    ),
    Case(
        "a request that failed",
        '<img src="/gone.png">',
        (told(call("network_request", index=2), result=("#2 [GET] {url}/gone.png", "status:    [404]")),),
    ),
    Case(
        "a request that is not there",
        "x",
        (told(call("network_request", is_error=True, index=99), error="99"),),
    ),
    Case(
        "media features",
        """<p></p><script>const dark = matchMedia('(prefers-color-scheme: dark)'), print = matchMedia('print')
const tell = () => { document.querySelector('p').textContent = [dark.matches, print.matches].join() }
dark.onchange = print.onchange = tell; tell()</script>""",
        (
            told(
                call("emulate_media", colorScheme="dark"),
                code=Is("await page.emulateMedia({ colorScheme: 'dark' });"),
            ),
            told(call("snapshot", until=True), inline_snapshot="true,false"),
            told(
                call("emulate_media", media="screen", reducedMotion="reduce"),
                code=Is("await page.emulateMedia({ media: 'screen', reducedMotion: 'reduce' });"),
            ),
            told(call("snapshot", until=True), inline_snapshot="true,false"),
            call("emulate_media", media="print"),
            told(call("snapshot", until=True), inline_snapshot="true,true"),
            told(
                call(
                    "emulate_media",
                    colorScheme=None,
                    contrast=None,
                    forcedColors=None,
                    media=None,
                    reducedMotion=None,
                ),
                code=Is(
                    "await page.emulateMedia({ colorScheme: null, contrast: null, forcedColors: null, media: null, "
                    "reducedMotion: null });"
                ),
            ),
            told(call("snapshot", until=True), inline_snapshot="false,false"),
            told(call("emulate_media", is_error=True), error="Specify at least one media feature to emulate."),
        ),
    ),
)

TABS = (
    Case(
        "tabs are listed, opened, selected and closed",
        "<title>One</title>First",
        (
            told(call("tabs", action="list"), result=Is("- 0: (current) [One]({url}/)")),
            call("tabs", action="new"),
            told(
                call("navigate", url="{url}/two"),
                tabs=Is("- 0: [One]({url}/)\n- 1: (current) [Two]({url}/two)"),
                snapshot=Is("- generic [active] [ref=e1]: Second"),
            ),
            told(call("snapshot"), page="Page URL: {url}/two"),
            told(
                call("tabs", action="select", index=0),
                result=Is("- 0: (current) [One]({url}/)\n- 1: [Two]({url}/two)"),
            ),
            told(
                call("tabs", action="select", index=1),
                result=Is("- 0: [One]({url}/)\n- 1: (current) [Two]({url}/two)"),
            ),
            told(call("tabs", action="close", index=1), result=Is("- 0: (current) [One]({url}/)")),
            call("tabs", is_error=True, action="select"),
            told(
                call("tabs", action="new", url="{url}/two"),
                result=Is("- 0: [One]({url}/)\n- 1: (current) [Two]({url}/two)"),
                code=Is("await page.goto('{url}/two');"),
                snapshot=Is("- generic [active] [ref=e1]: Second"),
            ),
        ),
        {"/two": ("<title>Two</title>Second", HTML)},
    ),
    Case(
        "before a page is opened there is an empty tab",
        "x",
        (
            call("close"),
            told(call("tabs", action="list"), result=Is("- 0: (current) [](about:blank)")),
            told(call("take_screenshot"), code="page.screenshot", images="image/png"),
        ),
    ),
)

FILES = (
    *(
        Case(
            f"a screenshot as {kind}",
            "Words",
            (
                told(
                    call("take_screenshot", type=kind),
                    result=Matches(rf"page-\d{{4}}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{{3}}Z\.{kind}"),
                    images=f"image/{kind}",
                ),
            ),
        )
        for kind in ("png", "jpeg", "webp")
    ),
    Case(
        "a screenshot is a PNG if nothing else is said",
        "Words",
        (
            told(call("take_screenshot"), result=Matches(r"page-[\dTZ-]+\.png"), images="image/png"),
            told(call("take_screenshot", filename=""), result=Matches(r"page-[\dTZ-]+\.png"), images="image/png"),
        ),
    ),
    Case(
        "a screenshot with a name is a file only",
        "Words",
        (
            told(
                call("take_screenshot", filename="shown.png"),
                result=Is("- [Screenshot of viewport](./shown.png)"),
                images="",
                files="shown.png",
            ),
            told(call("take_screenshot", filename="in/a/folder.png"), images="", files="in/a/folder.png"),
        ),
    ),
    Case(
        "a screenshot of an element, and of the full page",
        "Words",
        (
            told(
                call("take_screenshot", element="words", target="e1"),
                code="page.getByText('Words').screenshot",
                images="image/png",
            ),
            told(call("take_screenshot", fullPage=True), code="fullPage: true", images="image/png"),
            told(
                call("take_screenshot", is_error=True, fullPage=True, target="e1"),
                error="fullPage cannot be used with element screenshots",
            ),
        ),
    ),
    Case(
        "a full page is pictured in its own size",
        WIDE,
        (told(call("take_screenshot", fullPage=True, filename="wide.png"), files="wide.png", size="2000x720"),),
    ),
    Case(
        "a snapshot goes to a file",
        "<button>Press</button>",
        (
            told(
                call("snapshot", filename=".playwright-mcp/kept.yml"),
                snapshot=Is('- button "Press" [ref=e2]'),
                files=".playwright-mcp/kept.yml",
            ),
        ),
    ),
    Case(
        "a file chooser waits for files",
        """<input type="file"><button>Other</button>""",
        (
            told(call("snapshot"), inline_snapshot='- button "Choose File" [ref=e2]\n  - button "Other" [ref=e3]'),
            told(
                call("file_upload", is_error=True, paths=[]),
                error=f'The tool "browser_file_upload" {NO_MODAL}',
                modal=None,
            ),
            told(call("click", target="e2"), modal=Is(ASKED)),
            told(
                call("click", is_error=True, target="e3"),
                error=Is('Error: Tool "browser_click" does not handle the modal state.'),
                modal=Is(ASKED),
            ),
            told(call("file_upload", is_error=True, paths=["missing.txt"]), modal=Is(ASKED)),
            told(
                call("file_upload", paths=["given.txt"]),
                code=Is('await fileChooser.setFiles(["{folder}/given.txt"])'),
                modal=None,
            ),
            told(call("click", target="e2"), modal=Is(ASKED)),
            told(call("file_upload", paths=["{folder}/given.txt"]), code="await fileChooser.setFiles(", modal=None),
        ),
        files={"given.txt": "given"},
    ),
    Case(
        "files outside of the folder are not uploaded",
        """<input type="file">""",
        (
            call("click", target="e2"),
            told(
                call("file_upload", is_error=True, paths=["/etc/hostname"]),
                error="File access denied: /etc/hostname is outside allowed roots",
            ),
            told(call("file_upload"), modal=None),
        ),
    ),
    Case(
        "files and texts are dropped",
        DROP_ZONE,
        (
            told(
                call("drop", target="e2", paths=["dropped.txt"]),
                code=Is("await page.getByLabel('zone').drop({\n  files: '{folder}/dropped.txt'\n});"),
            ),
            told(call("evaluate", until=True, function="() => window.dropped?.texts"), result='"of a file"'),
            told(call("drop", target="e2", data={"text/plain": "plain"}), code=".drop("),
            told(call("evaluate", until=True, function="() => window.dropped.data"), result=Is('"plain"')),
            told(
                call("drop", is_error=True, target="e2"),
                error='At least one of "paths" or "data" must be provided.',
            ),
        ),
        files={"dropped.txt": "of a file"},
    ),
    Case(
        "a link that is downloaded",
        """<a href="/file" download="kept.txt">Get</a>""",
        (
            told(call("snapshot"), inline_snapshot='- link "Get" [ref=e2]'),
            told(call("click", target="e2"), all_events="- Downloading file kept.txt ..."),
            told(call("snapshot", until=True), all_events=Matches('- Downloaded file kept.txt to ".*kept.*txt"')),
        ),
        {"/file": ("Data", "text/plain")},
    ),
)

CASES = (*CORE, *ACTS, *DIALOGS, *READS, *TABS, *FILES)
