"""The answer to an action tells what the action set off, however it was deferred, and never what it did not."""

from __future__ import annotations

import asyncio
import re
import threading

import pytest
from tests.site import Site

from rove import Session
from rove.toolsets.outcome_text import as_text

pytestmark = pytest.mark.one_session

# How a page may change later than the event that caused it. Each calls `change()` within a second.
LATE = {
    "a microtask": "Promise.resolve().then(change)",
    "a timer of 16 ms": "setTimeout(change, 16)",
    "a timer of 60 ms": "setTimeout(change, 60)",
    "a timer of 150 ms": "setTimeout(change, 150)",
    "a timer of 400 ms": "setTimeout(change, 400)",
    "a timer of 950 ms": "setTimeout(change, 950)",
    "timers in turn": "setTimeout(() => setTimeout(() => setTimeout(change, 100), 100), 100)",
    "an awaited sleep": "(async () => { for (let i = 0; i < 3; i++) await sleep(90); change() })()",
    "an interval that ends": "let n = 0; const i = setInterval(() => { if (++n > 5) change(clearInterval(i)) }, 60)",
    "the first tick of an interval": "setInterval(change, 700)",
    "three frames": "requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(change)))",
    "twenty frames": "{ let n = 0; const step = () => ++n === 20 ? change() : requestAnimationFrame(step); step() }",
    "an idle callback": "requestIdleCallback(change)",
    "a message": "{ const c = new MessageChannel(); c.port1.onmessage = change; c.port2.postMessage(0) }",
    "a debounced search": "clearTimeout(self.d); self.d = setTimeout(() => fetch('/data').then(change), 250)",
    "a response and a timer": "fetch('/data').then(() => setTimeout(change, 300))",
    "two responses in turn": "fetch('/data').then(() => fetch('/data')).then(change)",
    "a worker": "worker.onmessage = change; worker.postMessage(300)",
    "the end of a transition": "box.addEventListener('transitionend', change); box.style.opacity = 0",
    "the end of an animation": "box.animate([{ opacity: 0 }, { opacity: 1 }], 400).finished.then(change)",
    "a class, then a timer": "document.body.className = 'loading'; setTimeout(change, 300)",
    "text at once, then a timer": "note.textContent = 'Loading'; setTimeout(change, 300)",
    "text at once, then a response": "note.textContent = 'Loading'; fetch('/data').then(change)",
    "an image": "{ const i = new Image(); i.onload = i.onerror = change; i.src = '/data' }",
    "a database": "{ const r = indexedDB.open('d' + Math.random()); r.onsuccess = change }",
    "a digest": "crypto.subtle.digest('SHA-256', new Uint8Array(9)).then(change)",
    "a stylesheet": "const l = document.createElement('link'); Object.assign(l, { rel: 'stylesheet', href: '/style' });"
    " l.onload = change; document.head.append(l)",
    "an observer of sizes": "const o = new ResizeObserver(() => box.offsetWidth === 77 && change()); o.observe(box);"
    " box.style.width = '77px'",
}
PAGE = """<!doctype html><style>#box { transition: opacity .35s }</style>
<button onclick="go()">Go</button><p id=p>old</p><p id=note></p><div id=box>Box</div>
<script>
  const code = 'onmessage = e => setTimeout(() => postMessage(1), e.data)';
  const worker = new Worker(URL.createObjectURL(new Blob([code])));
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const change = () => { p.textContent = 'new' };
  const go = () => { %s };
</script>"""


def now_there(text: str) -> str:
    """Return the lines of changes that are on the page now, without those that are gone."""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("- "))


async def until_extracted(session: Session, text: str) -> None:
    """Wait for a text without being told of changes."""
    async with asyncio.timeout(30):
        while text not in str((await session.extract()).result):
            pass


# The others come about in one of these ways too.
QUICK = (
    "a timer of 400 ms", "timers in turn", "an interval that ends", "twenty frames", "an idle callback", "a message",
    "a response and a timer", "two responses in turn", "a worker", "the end of a transition",
    "text at once, then a response", "an image", "a database", "a digest", "a stylesheet",
)  # fmt: skip


@pytest.mark.parametrize(
    "later",
    [pytest.param(later, id=name, marks=[] if name in QUICK else [pytest.mark.slow]) for name, later in LATE.items()],
)
async def test_a_late_change_is_in_the_answer_to_the_click(session: Session, site: Site, later: str) -> None:
    site.page("/data", "1")
    site.page("/style", "p { margin: 0 }", kind="text/css")
    await session.navigate(site.page("/", PAGE % later))
    outcome = await session.click('button "Go"')
    assert '"new"' in outcome.changes.text
    # The text that an interval changes may change again.
    assert [str(each) for each in outcome.pending if str(each) != '"new" keeps changing'] == []


# What opens: the style of a panel before and after a press, and a transition or animation between them.
OPENING = {
    "a fade": "#panel { opacity: 0; transition: opacity %dms } .open #panel { opacity: 1 }",
    "a drawer": "#panel { position: fixed; top: 60px; left: -300px; width: 280px; transition: left %dms }"
    " .open #panel { left: 0 }",
    "a slide": "#panel { position: fixed; left: 0; top: 40px; transform: translateX(-1000px);"
    " transition: transform %dms } .open #panel { transform: none }",
    "an accordion": "#panel { max-height: 0; overflow: hidden; transition: max-height %dms }"
    " .open #panel { max-height: 200px }",
    "a grid accordion": "#panel { display: grid; grid-template-rows: 0fr; transition: grid-template-rows %dms }"
    " #panel > * { overflow: hidden; margin: 0 } .open #panel { grid-template-rows: 1fr }",
    "keyframes": "#panel { display: none } .open #panel { display: block; animation: in %dms both }"
    " @keyframes in { from { opacity: 0; transform: translateY(20px) } }",
    "a scale": "#panel { transform: scale(0); transition: transform %dms } .open #panel { transform: none }",
    "a clip": "#panel { clip-path: inset(0 0 100%% 0); transition: clip-path %dms }"
    " .open #panel { clip-path: inset(0) }",
    "a delayed visibility": "#panel { visibility: hidden; opacity: 0; transition: opacity %dms, visibility 0s 30ms }"
    " .open #panel { visibility: visible; opacity: 1 }",
}
PANEL = """<!doctype html><style>%s</style>
<button onclick="document.body.classList.toggle('open')">Toggle</button>
<div id=panel><p>Details of the order</p></div>"""


@pytest.mark.parametrize("milliseconds", [80, pytest.param(900, marks=pytest.mark.slow)])
@pytest.mark.parametrize("style", OPENING.values(), ids=OPENING)
async def test_what_opens_and_closes_slowly_is_told_as_it_is_then(
    session: Session, site: Site, style: str, milliseconds: int
) -> None:
    await session.navigate(site.page("/", PANEL % (style % milliseconds)))
    opened = await session.click('button "Toggle"')
    assert '"Details of the order"' in now_there(opened.changes.text)
    assert "invisible" not in now_there(opened.changes.text)
    whole = (await session.snapshot()).result.passages("")
    assert not any("invisible" in passage.text for passage in whole)
    closed = await session.click('button "Toggle"')
    assert "invisible" in closed.changes.text or '- "Details' in closed.changes.text


SHADOW = """<!doctype html><x-panel></x-panel><script>
  customElements.define('x-panel', class extends HTMLElement {
    connectedCallback() {
      const root = this.attachShadow({ mode: 'open' });
      root.innerHTML = `<style>p { opacity: 0; transition: opacity 500ms } p.open { opacity: 1 }</style>
        <button>Show</button><p>Inside</p>`;
      root.querySelector('button').onclick = () => root.querySelector('p').classList.add('open');
    }
  });
</script>"""


async def test_transitions_in_shadow_trees_are_waited_for(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", SHADOW))
    shown = await session.click('button "Show"')
    assert '"Inside"' in now_there(shown.changes.text)
    assert "invisible" not in now_there(shown.changes.text)


async def test_a_page_that_fades_in_is_shown_when_it_can_be_seen(session: Session, site: Site) -> None:
    style = "<style>body { animation: in .6s both } @keyframes in { from { opacity: 0 } }</style>"
    outcome = await session.navigate(site.page("/", f"{style}<h1>Welcome</h1><p>Text</p>"))
    assert "invisible" not in outcome.changes.text


async def test_an_animation_that_a_script_draws_is_waited_for(session: Session, site: Site) -> None:
    page = """<style>#panel { opacity: 0 }</style><button>Show</button><p id=panel>Panel</p><script>
      let on = false, o = 0;
      const draw = () => { if (on && o < 1) { o += 0.05; panel.style.opacity = o } requestAnimationFrame(draw) };
      draw();
      document.querySelector('button').onclick = () => { on = true };
    </script>"""
    await session.navigate(site.page("/", page))
    shown = await session.click('button "Show"')
    assert '"Panel"' in now_there(shown.changes.text)
    assert "invisible" not in now_there(shown.changes.text)


async def test_an_endless_animation_is_not_waited_for(session: Session, site: Site) -> None:
    page = """<style>#s { animation: spin 1s infinite } @keyframes spin { to { transform: rotate(1turn) } }</style>
      <div id=s>*</div><button onclick="p.textContent = 'new'">Go</button><p id=p>old</p>"""
    await session.navigate(site.page("/", page))
    outcome = await session.click('button "Go"')
    assert '"new"' in outcome.changes.text
    assert outcome.pending == ()


async def test_a_click_without_effect_says_how_long_was_looked(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<button>Idle</button>"))
    await session.click('button "Idle"')
    outcome = await session.click('button "Idle"')
    assert as_text(outcome).splitlines()[-1].startswith("Nothing changed within ")


async def test_a_change_after_the_answer_is_told_with_the_next_one_under_its_own_heading(
    session: Session, site: Site
) -> None:
    page = """<button onclick="setTimeout(() => { late.textContent = 'Arrived' }, 3000)">Order</button><p id=late></p>
      <button onclick="p.textContent = 'counted'">Count</button><p id=p></p>"""
    await session.navigate(site.page("/", page))
    await session.click('button "Order"')
    await until_extracted(session, "Arrived")
    outcome = await session.click('button "Count"')
    assert '"Arrived"' in outcome.earlier.text and '"Arrived"' not in outcome.changes.text
    assert '"counted"' in outcome.changes.text and '"counted"' not in outcome.earlier.text
    assert as_text(outcome).index("Changed before this action") < as_text(outcome).index("Arrived")
    again = await session.click('button "Count"')
    assert again.earlier.kind == "silent"


async def test_a_late_change_survives_an_action_that_fails(session: Session, site: Site) -> None:
    page = """<button onclick="setTimeout(() => { late.textContent = 'Arrived' }, 3000)">Order</button><p id=late></p>
      <input aria-label=Name>"""
    await session.navigate(site.page("/", page))
    await session.click('button "Order"')
    await until_extracted(session, "Arrived")
    with pytest.raises(Exception, match="Nowhere"):
        await session.click('button "Nowhere"')
    outcome = await session.fill('textbox "Name"', "Bea")
    assert '"Arrived"' in outcome.earlier.text


async def test_a_clock_does_not_delay_actions_and_is_learnt(session: Session, site: Site) -> None:
    gate = threading.Event()
    site.page("/poll", "1", hold=gate)
    gate.set()
    page = """<p id=c></p><button onclick="p.textContent += '!'">Go</button><p id=p>old</p><script>
      let n = 0;
      const tick = async () => { for (;;) { c.textContent = n++; await new Promise(r => setTimeout(r, 30)) } };
      tick();
    </script>"""
    await session.navigate(site.page("/", page))
    outcomes = [await session.click('button "Go"') for _ in range(3)]
    assert all("!" in outcome.changes.text for outcome in outcomes)
    assert all(re.fullmatch('"\\d+" keeps changing', str(*outcome.pending)) for outcome in outcomes)


async def test_what_is_shown_for_a_moment_only_is_told(session: Session, site: Site) -> None:
    page = """<button onclick="note.textContent = 'Copied'; setTimeout(() => note.textContent = '', 600)">Copy</button>
      <p id=note></p>"""
    await session.navigate(site.page("/", page))
    outcome = await session.click('button "Copy"')
    assert outcome.changes.text.splitlines()[-2:] == ["Shown for a moment, and gone again:", '"Copied"']


async def test_a_change_in_a_frame_is_waited_for(session: Session, site: Site) -> None:
    inner = """<button onclick="setTimeout(() => { p.textContent = 'new' }, 300)">Go</button><p id=p>old</p>"""
    site.page("/inner", inner)
    await session.navigate(site.page("/", "<h1>Outer</h1><iframe src=/inner></iframe>"))
    outcome = await session.click('button "Go"')
    assert '"new"' in outcome.changes.text


async def test_a_reply_that_never_comes_is_waited_for_once(session: Session, site: Site) -> None:
    page = """<button onclick="p.textContent += '!'; worker.postMessage(0)">Go</button><p id=p>old</p><script>
      const worker = new Worker(URL.createObjectURL(new Blob(['onmessage = () => {}'])));
    </script>"""
    await session.navigate(site.page("/", page))
    first = await session.click('button "Go"')
    second = await session.click('button "Go"')
    assert second.seconds < first.seconds


async def test_what_goes_from_a_box_without_a_size_is_told_as_gone(session: Session, site: Site) -> None:
    page = """<style>ol { position: fixed; top: 0; left: 0; height: 0; margin: 0; padding: 0; list-style: none }
      li { position: absolute; top: 50px; width: 300px }</style><h1>Page</h1>
      <section aria-label=Messages><ol><li>Saved <button onclick="this.closest('ol').remove()">Close</button></ol>"""
    shown = await session.navigate(site.page("/", page))
    assert "invisible" not in shown.changes.text
    closed = await session.click('button "Close"')
    assert "Saved" in closed.changes.text and now_there(closed.changes.text).count("Saved") == 0


async def test_another_address_of_the_same_document_is_told(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<a href=#part>Part</a><p id=part>Text</p>"))
    outcome = await session.click('link "Part"')
    assert f'Now at "" {site.url("/#part")}' in outcome.changes.text


async def test_a_page_that_never_rests_is_not_waited_for_to_the_limit_again(session: Session, site: Site) -> None:
    page = """<button onclick="p.textContent += '!'">Go</button><p id=p>old</p><div id=log></div><script>
      let count = 0;
      setInterval(() => log.append(Object.assign(document.createElement('i'), { textContent: ++count })), 4);
    </script>"""
    await session.navigate(site.page("/", page))
    await session.click('button "Go"')
    before = int((await session.evaluate("count")).result.value)
    outcome = await session.click('button "Go"')
    assert "!!" in outcome.changes.text
    # The limit is two seconds, in which it changes five hundred times.
    assert int((await session.evaluate("count")).result.value) - before < 300
