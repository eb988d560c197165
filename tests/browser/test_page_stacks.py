"""Stacks of errors in page code: no frame of rove's scripts is in them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from tests.site import Site

from rove import Session

pytestmark = pytest.mark.engines(
    "chromium", "firefox", reason="WebKit has no isolated world, and rove's script comes after the page's own"
)

# What each way of being called back sees, and what built-in functions throw.
CALLBACKS = """
const stacks = {};
const note = name => { stacks[name] = new Error(name).stack; };
const passed = (name) => new Promise(done => {
  const report = () => { note(name); done(); };
  if (name === 'timeout') setTimeout(report, 0);
  if (name === 'timeout with arguments') setTimeout((first) => { first(); }, 5, report);
  if (name === 'interval') { const timer = setInterval(() => { clearInterval(timer); report(); }, 1); }
  if (name === 'frame') requestAnimationFrame(report);
  if (name === 'idle') requestIdleCallback(report);
  if (name === 'microtask') queueMicrotask(report);
  if (name === 'promise') Promise.resolve().then(report);
  if (name === 'fetch') fetch('/app.js').then(report);
  if (name === 'mutation') {
    new MutationObserver(report).observe(document.body, {childList: true});
    document.body.append('x');
  }
  if (name === 'port') { const {port1, port2} = new MessageChannel(); port1.onmessage = report; port2.postMessage(1); }
  if (name === 'worker') { worker.onmessage = report; worker.postMessage(1); }
  if (name === 'listener') { addEventListener('ping', report); dispatchEvent(new Event('ping')); }
  if (name === 'object listener') { addEventListener('pong', {handleEvent: report}); dispatchEvent(new Event('pong')); }
  if (name === 'async') (async () => { await new Promise(next => setTimeout(next)); report(); })();
});
const worker = new Worker(URL.createObjectURL(new Blob(['onmessage = () => postMessage(1)'])));
const attempt = (name, work) => { try { work(); } catch (error) { stacks[name] = error.stack; } };
const NAMES = ['timeout', 'timeout with arguments', 'interval', 'frame', 'idle', 'microtask', 'promise', 'fetch',
  'mutation', 'port', 'worker', 'listener', 'object listener', 'async'];
const ATTEMPTS = {
  'no callback': () => setTimeout(),
  'symbol as delay': () => setTimeout(() => 1, Symbol()),
  'text that throws': () => setTimeout({toString() { throw new Error('mine'); }}),
  'uncloneable message': () => worker.postMessage(() => 1),
  'message that throws': () => worker.postMessage({get field() { throw new Error('mine'); }}),
  'early message': () => new WebSocket('ws://' + location.host).send('x'),
  'internals': () => document.body.attachInternals(),
};
for (const name in ATTEMPTS) attempt(name, ATTEMPTS[name]);
globalThis.whenAll = Promise.all(NAMES.map(passed)).then(() => stacks);
"""
# The first line in V8, and built-in functions that the page itself calls.
NO_FRAME = re.compile(r"^\w*Error: |at (new Promise|Array.map) \(<anonymous>\)$")
# A page may format stacks itself, from the frames that the engine gives it.
FORMATTED = """
Error.prepareStackTrace = (error, sites) => sites.map(site => String(site.getEvalOrigin() ?? site.getFileName()));
globalThis.files = new Promise(done => setTimeout(() => done(new Error('here').stack)));
"""
UNCAUGHT = """
setTimeout(function tick() { throw new Error('late'); });
new Promise(done => setTimeout(done)).then(() => { throw new Error('promised'); });
"""
ACTS = """
const strange = {}, seen = {};
for (const kind of ['click', 'input', 'change', 'focus', 'blur', 'keydown', 'beforeinput', 'mousedown', 'pointermove',
  'scroll', 'toggle', 'select', 'copy']) {
  addEventListener(kind, () => {
    const lines = new Error(kind).stack.split('\\n').filter(line => line.trim() && !line.startsWith('Error'));
    seen[kind] = true;
    if (lines.some(line => !line.includes('/app.js'))) strange[kind] = lines;
  }, true);
}
"""


async def opened(session: Session, site: Site, script: str) -> None:
    site.page("/app.js", script, kind="text/javascript")
    await session.navigate(site.page("/", "<body><script src=/app.js></script>"))


async def value(session: Session, expression: str) -> Any:
    return (await session.evaluate(expression)).result.value


async def test_no_stack_that_page_code_reads_has_a_frame_of_rove(session: Session, site: Site) -> None:
    await opened(session, site, CALLBACKS)
    stacks = json.loads(await value(session, "whenAll.then(JSON.stringify)"))
    assert len(stacks) == 14 + 7
    for name, stack in stacks.items():
        frames = [line for line in stack.splitlines() if line.strip() and not NO_FRAME.search(line)]
        assert frames and all("/app.js" in line for line in frames), f"{name}: {stack}"


@pytest.mark.engines("chromium", reason="other engines call no function of the page for a stack")
async def test_a_page_that_formats_stacks_itself_is_given_no_frame_of_rove(session: Session, site: Site) -> None:
    await opened(session, site, FORMATTED)
    assert await value(session, "files") == [site.url("/app.js")]


async def test_uncaught_errors_are_logged_without_frames_of_rove(session: Session, site: Site) -> None:
    await opened(session, site, UNCAUGHT)
    await value(session, "new Promise(done => setTimeout(done, 50))")
    lines = (await session.console(level="error")).result.lines
    assert len(lines) == 2
    assert "late" in lines[0].text and "/app.js" in lines[0].source
    for line in lines:
        assert all("/app.js" in place for place in line.text.splitlines()[1:])


async def test_a_callback_is_called_as_without_rove(session: Session, site: Site) -> None:
    script = """globalThis.called = new Promise(done => setTimeout(function (...given) {
      done([this === window, new.target === undefined, given]) }, '1', 'a', 2));
      globalThis.caught = new Promise(done => onerror = (...facts) => done(facts.slice(0, 3)));
      setTimeout(() => { throw new Error('late') });"""
    await opened(session, site, script)
    assert await value(session, "called") == [True, True, ["a", 2]]
    message, place, line = await value(session, "caught")
    assert "late" in message and (place, line) == (site.url("/app.js"), 4)


@pytest.mark.engines("chromium", reason="Firefox shows frames of a sandbox to the page that it was made for")
async def test_handlers_of_what_rove_does_see_no_frame_of_rove(session: Session, site: Site) -> None:
    site.page("/app.js", ACTS, kind="text/javascript")
    page = """<input id=a><input type=date id=d><select id=s><option>one<option>two</select><button>Press</button>
      <details><summary>More</summary>In</details><p style='height: 3000px'></p><script src=/app.js></script>"""
    await session.navigate(site.page("/", page))
    await session.fill("#a", "tea")
    await session.fill("#d", "2026-01-02")
    await session.select("#s", ["two"])
    await session.type("more", "#a")
    await session.press("Control+a")
    await session.press("Control+c")
    await session.click("button")
    await session.click("summary")
    await session.scroll(direction="down")
    seen, strange = await value(session, "[Object.keys(seen), strange]")
    assert strange == {}
    assert {*seen} >= {"click", "input", "change", "focus", "blur", "keydown", "toggle", "copy", "scroll"}
