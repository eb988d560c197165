"""Kinds of pages by what goes on in them: loops, late content, requests, signs of being busy.

Each kind is begun by the page as it loads, by a click, or before a click. A script of a kind may use `out`, a paragraph
that a click writes "Pressed" into, `box`, an empty element, and `add(text)`, which appends a paragraph.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

# What begins it: the page as it loads; a click; or the page as it loads, a while before a click on it.
Beginning = Literal["load", "click", "before"]


@dataclass(frozen=True)
class Kind:
    """What goes on in a page.

    `limits`: milliseconds that an answer may take over that of a page in which nothing goes on, by what begins it.
    `pending`: words by one of which an answer names what it did not wait for.
    """

    name: str
    script: str
    begins: tuple[Beginning, ...] = ("load", "click")
    html: str = ""
    style: str = ""
    limits: dict[Beginning, int] = field(default_factory=dict[Beginning, int])
    pending: tuple[str, ...] = ()
    # Whether a click has an effect at once, before what it begins.
    is_answered: bool = True


LOOP: dict[Beginning, int] = {"load": 300, "click": 300}
CLOCK = "const tick = () => { box.textContent = 'It is ' + Math.round(performance.now()); }; tick(); "
PARTS = "let n = 0; const part = () => { add('Item number ' + ++n); if (n < %d) setTimeout(part, %d) }; setTimeout(part, %d)"
# The words in which an answer names a timer, a text that never rests, a request.
TIMER = ("a timer", "repeats every")
RESTLESS = ("keeps changing",)

LOOPS = (
    Kind("interval of 50 ms", "setInterval(() => { self.count = (self.count ?? 0) + 1 }, 50)", limits=LOOP),
    Kind("interval that reads the focus", "setInterval(() => { self.had = document.activeElement }, 50)", limits=LOOP),
    Kind(
        "interval that reads boxes",
        "setInterval(() => { self.box = document.body.getBoundingClientRect() }, 100)",
        limits=LOOP,
    ),
    Kind("timer that arms itself", "const again = () => setTimeout(again, 60); again()", limits=LOOP),
    Kind("timer that is armed by new functions", "(function arm() { setTimeout(() => arm(), 80) })()", limits=LOOP),
    Kind(
        "awaited sleeps",
        "(async () => { for (;;) await new Promise((done) => setTimeout(done, 70)) })()",
        limits=LOOP,
    ),
    Kind("animation frames", "const frame = () => requestAnimationFrame(frame); frame()", limits=LOOP),
    Kind("idle callbacks", "const idle = () => requestIdleCallback(idle); idle()", limits=LOOP),
    Kind(
        "canvas that is drawn",
        """const pen = paper.getContext('2d'); let n = 0;
        const draw = () => { pen.clearRect(0, 0, 99, 99); pen.fillRect(n++ % 90, 9, 9, 9); requestAnimationFrame(draw) };
        draw()""",
        html="<canvas id=paper width=99 height=99></canvas>",
        limits=LOOP,
    ),
    Kind(
        "transform that turns",
        """let n = 0; const turn = () => { wheel.style.transform = `rotate(${n += 3}deg)`; requestAnimationFrame(turn) };
        turn()""",
        html="<div id=wheel style='width:40px;height:40px;margin:40px;background:#09c'></div>",
        limits=LOOP,
    ),
    Kind(
        "box that is moved about by a transform",
        """let n = 0; const move = () => { wheel.style.transform = `translateX(${60 + 40 * Math.sin(n += .1)}px)`;
        requestAnimationFrame(move) }; move()""",
        html="<div id=wheel style='width:40px;height:40px;background:#09c'>On</div>",
        limits=LOOP,
    ),
    Kind("attribute that toggles", "setInterval(() => box.toggleAttribute('data-on'), 60)", limits=LOOP),
    Kind(
        "colour that is blended",
        "let n = 0; setInterval(() => { box.style.backgroundColor = `rgb(${n++ % 255},200,90)` }, 40)",
        html="",
        limits=LOOP,
    ),
    Kind(
        "endless animation of a spinner's kind",
        "wheel.animate([{ transform: 'rotate(0)' }, { transform: 'rotate(360deg)' }], { duration: 800, iterations: Infinity })",
        html="<div id=wheel style='width:40px;height:40px;background:#09c'></div>",
        limits=LOOP,
    ),
    Kind(
        "beacons",
        "setInterval(() => navigator.sendBeacon('/sink', 'x'), 80)",
        limits=LOOP,
    ),
)

TEXTS = (
    Kind(
        "clock that ticks each second",
        f"{CLOCK}; setInterval(tick, 1000)",
        ("load", "click", "before"),
        limits={"load": 300, "before": 600},
        pending=(*TIMER, *RESTLESS),
    ),
    Kind(
        "text that changes every 100 ms",
        f"{CLOCK}; setInterval(tick, 100)",
        ("load", "click", "before"),
        limits={"load": 600, "before": 600},
        pending=RESTLESS,
    ),
    Kind(
        "text that changes with each frame",
        f"{CLOCK}; const frame = () => {{ tick(); requestAnimationFrame(frame) }}; frame()",
        ("load", "click", "before"),
        limits={"load": 600, "before": 600},
        pending=RESTLESS,
    ),
    Kind(
        "field whose value is set every 100 ms",
        "let n = 0; setInterval(() => { field.value = 'Value ' + ++n }, 100)",
        ("load", "before"),
        html="<input id=field aria-label=Amount>",
        limits={"load": 600, "before": 600},
        pending=RESTLESS,
    ),
    Kind(
        "count that ends",
        "let n = 0; const all = setInterval(() => { box.textContent = `Counted ${++n}`; n > 11 && clearInterval(all) }, 50)",
        pending=RESTLESS,
    ),
    Kind(
        "text that is typed",
        """const words = 'Here is the whole of a reply that comes letter by letter'; let n = 0;
        const all = setInterval(() => { box.textContent = words.slice(0, ++n); n >= words.length && clearInterval(all) }, 20)""",
        pending=RESTLESS,
    ),
    Kind(
        "progress that ends",
        """let n = 0; const all = setInterval(() => { bar.value = ++n * 10; if (n > 9) { clearInterval(all); add('All of it is done') } }, 70)""",
        html="<progress id=bar max=100 value=0></progress>",
        pending=RESTLESS,
    ),
    Kind(
        "drawer that slides in by script",
        """let n = -300; const slide = () => { drawer.style.transform = `translateX(${n += 10}px)`; n < 0 && requestAnimationFrame(slide) };
        slide()""",
        html="<nav id=drawer style='position:fixed;top:60px;left:0;width:280px;transform:translateX(-300px);background:#eee'>"
        "<a href=#m>Menu of the drawer</a></nav>",
    ),
    Kind(
        "drawer that slides in slowly",
        """let n = -700; const slide = () => { drawer.style.transform = `translateX(${n += 10}px)`; n < 0 && requestAnimationFrame(slide) };
        slide()""",
        html="<nav id=drawer style='position:fixed;top:60px;left:0;width:280px;transform:translateX(-700px);background:#eee'>"
        "<a href=#m>Menu of the drawer</a></nav>",
    ),
)

TIMERS = (
    Kind(
        "single timer of 0.9 s that does nothing",
        "setTimeout(() => { self.done = true }, 900)",
        limits={"load": 450},
        pending=TIMER,
    ),
    Kind("single timer of 0.9 s that writes", "setTimeout(() => add('Late news'), 900)", pending=TIMER),
    Kind("second step after 600 ms", "setTimeout(() => add('The second step'), 600)", pending=TIMER),
    Kind(
        "steps whose delays grow",
        """let wait = 10; const step = () => { wait < 160 ? setTimeout(step, wait *= 2) : add('After the last step') };
        step()""",
        pending=TIMER,
    ),
    Kind(
        "work in slices by messages",
        """const { port1, port2 } = new MessageChannel(); const until = performance.now() + 700;
        port1.onmessage = () => { const slice = performance.now() + 5; while (performance.now() < slice);
        performance.now() < until ? port2.postMessage(0) : add('All of the slices') }; port2.postMessage(0)""",
    ),
    Kind(
        "work in slices by timers",
        """const until = performance.now() + 700;
        const work = (left) => { const slice = performance.now() + 5; while (performance.now() < slice);
        performance.now() < until ? setTimeout(() => work(left - 1)) : add('All of the slices') }; work(99)""",
        pending=TIMER,
    ),
    Kind(
        "work in slices by tasks",
        """const until = performance.now() + 700;
        const work = () => { const slice = performance.now() + 5; while (performance.now() < slice);
        performance.now() < until ? scheduler.postTask(work) : add('All of the slices') }; work()""",
    ),
    Kind(
        "work in slices that yield",
        """const until = performance.now() + 700;
        (async () => { while (performance.now() < until) { const slice = performance.now() + 5;
        while (performance.now() < slice); await scheduler.yield() } add('All of the slices') })()""",
    ),
    Kind(
        "countdown in memory",
        "let left = 24; const all = setInterval(() => { if (!--left) { clearInterval(all); add('The time is up') } }, 50)",
        pending=TIMER,
    ),
    Kind(
        "countdown in storage",
        """localStorage.left = 24; const all = setInterval(() => {
        if (!--localStorage.left) { clearInterval(all); add('The time is up') } }, 50)""",
        pending=TIMER,
    ),
    Kind("content in one piece", PARTS % (1, 0, 200)),
    Kind("content in eight pieces", PARTS % (8, 60, 60)),
    Kind("content in fifty pieces", PARTS % (50, 16, 16)),
    Kind(
        "long list that is drawn as it is scrolled",
        """let n = 0; const fill = () => { while (list.childElementCount < 12) { const row = document.createElement('li');
        row.textContent = 'Row ' + ++n; list.append(row) } }; requestAnimationFrame(() => setTimeout(fill, 40));
        list.onscroll = fill""",
        html="<ul id=list style='height:120px;overflow:auto'></ul>",
    ),
)

REQUESTS = (
    Kind(
        "picture that takes 3 s",
        "",
        ("load",),
        html="<img src='/picture?delay=3000' alt='Slow picture'>",
        limits={"load": 600},
        pending=("/picture",),
    ),
    Kind(
        "picture whose arrival writes",
        "const picture = new Image(); picture.onload = picture.onerror = () => add('The picture is here'); "
        "picture.src = '/picture?delay=700'",
        pending=("/picture",),
    ),
    Kind(
        "font that takes 3 s",
        "new FontFace('Slow', 'url(/font?delay=3000)').load().catch(() => 0)",
        ("load",),
        pending=("/font",),
    ),
    Kind("answer after 300 ms", "fetch('/text?delay=300').then((each) => each.text()).then(add)"),
    Kind("answer after 1.2 s", "fetch('/text?delay=1200').then((each) => each.text()).then(add)", pending=("/text",)),
    Kind(
        "answer of another host",
        "fetch('http://localhost:' + location.port + '/text?delay=500').then((each) => each.text()).then(add)",
    ),
    Kind(
        "answer after an answer",
        "fetch('/text?delay=200').then(() => fetch('/text?delay=400')).then((each) => each.text()).then(add)",
    ),
    Kind(
        "long poll",
        "const poll = () => fetch('/poll?delay=20000').then(poll, () => 0); poll()",
        limits={"click": 1500},
        pending=("/poll",),
    ),
    Kind(
        "long poll that ends in a text",
        "fetch('/poll?delay=1500').then((each) => each.text()).then(add)",
        pending=("/poll",),
    ),
    Kind(
        "poll that finds nothing",
        "const poll = () => fetch('/nothing').then((each) => each.text()).then(() => setTimeout(poll, 300)); poll()",
        pending=(*TIMER, "/nothing"),
    ),
    Kind(
        "poll that ends in a text",
        """let n = 0; const poll = () => fetch('/nothing').then(() => ++n > 3 ? add('The job is done') : setTimeout(poll, 250));
        poll()""",
        pending=(*TIMER, "/nothing"),
    ),
    Kind(
        "reply in pieces",
        """fetch('/stream?pieces=8&delay=120').then(async (each) => { const reader = each.body.getReader(); const text = new TextDecoder();
        for (;;) { const { done, value } = await reader.read(); if (done) break; box.textContent += text.decode(value) } })""",
        pending=("/stream",),
    ),
    Kind(
        "events of a server",
        "let n = 0; const source = new EventSource('/events?delay=400'); source.onmessage = (each) => ++n < 3 ? add(each.data) : source.close()",
        pending=("/events",),
    ),
    Kind(
        "worker that posts by itself",
        """const code = 'let n = 0; const all = setInterval(() => { postMessage("Word " + ++n); n > 4 && clearInterval(all) }, 150)';
        const worker = new Worker(URL.createObjectURL(new Blob([code]))); worker.onmessage = (each) => add(each.data);
        worker.postMessage(0)""",
        pending=("worker",),
    ),
    Kind(
        "answer of a worker",
        """const code = 'onmessage = () => setTimeout(() => postMessage("Worked out"), 500)';
        const worker = new Worker(URL.createObjectURL(new Blob([code]))); worker.onmessage = (each) => add(each.data);
        worker.postMessage(0)""",
        pending=("worker",),
    ),
    Kind(
        "debounce, then a request",
        "setTimeout(() => fetch('/text?delay=250').then((each) => each.text()).then(add), 350)",
        ("click",),
        is_answered=False,
    ),
    Kind(
        "frame that is added",
        "const frame = document.createElement('iframe'); frame.src = '/framed?delay=400'; document.body.append(frame)",
        pending=("/framed",),
    ),
    Kind(
        "data sent, and a confirmation late",
        "box.textContent = 'Sending'; fetch('/text?delay=1600', { method: 'POST', body: 'x' }).then(() => { box.textContent = 'Sent' })",
        ("click",),
    ),
)

WHEEL = ".wheel { width: 32px; height: 32px; border: 4px solid #09c; border-radius: 50% }"
BUSY = (
    Kind(
        "skeleton for 1.5 s",
        "box.innerHTML = '<div class=skeleton></div><div class=skeleton></div>'; "
        "fetch('/text?delay=1500').then((each) => each.text()).then((text) => { box.textContent = text })",
        style=".skeleton { height: 1em; background: #ddd; margin: 4px }",
    ),
    Kind(
        "spinner for 1.5 s, by a timer",
        "box.innerHTML = '<div role=progressbar aria-label=Loading class=wheel></div>'; "
        "setTimeout(() => { box.textContent = 'The report is here' }, 1500)",
        ("load",),
        style=WHEEL,
    ),
    Kind(
        "busy for 3 s",
        "box.setAttribute('aria-busy', 'true'); box.textContent = 'Loading…'; "
        "fetch('/text?delay=3000').then((each) => each.text()).then((text) => { box.textContent = text; box.ariaBusy = 'false' })",
        ("load",),
        pending=("still loading",),
    ),
    Kind(
        "empty until 1.3 s",
        "document.body.hidden = true; setTimeout(() => { document.body.hidden = false; add('All at once') }, 1300)",
        ("load",),
    ),
    Kind(
        "spinner that never goes",
        "box.innerHTML = '<div role=progressbar aria-label=Loading class=wheel></div>'",
        ("load", "before"),
        style=WHEEL,
        pending=("still loading",),
    ),
    Kind(
        "handlers that come late",
        "const late = document.createElement('script'); late.src = '/handlers.js?delay=700'; document.head.append(late)",
        ("load",),
        html="<button id=other>Add to the list</button>",
    ),
)

# A page in which nothing goes on: other pages are compared with it.
PLAIN = Kind("plain page", "", ("load", "click", "before"))
KINDS = (*LOOPS, *TEXTS, *TIMERS, *REQUESTS, *BUSY)


def document(kind: Kind, begins: Beginning) -> str:
    """Return the page of a kind."""
    now = "" if begins == "click" else "begin();"
    answer = "out.textContent = 'Pressed';" if kind.is_answered else ""
    press = f"{answer} begin()" if begins == "click" else "out.textContent = 'Pressed'"
    return f"""<!doctype html><html lang=en><meta charset=utf-8><title>{kind.name}</title>
<style>body {{ font: 16px sans-serif; margin: 20px }} {kind.style}</style>
<h1>Orders of the day</h1>
<p>Everything that guests ordered since the morning, with the name of the waiter.</p>
<ul><li><a href=#tea>Tea for two</a></li><li><a href=#cake>Cake and cream</a></li><li><a href=#bread>Bread</a></li></ul>
<button id=go>Go</button>
<p id=out>Ready</p>
<div id=box></div>
{kind.html}
<script>
  const add = (text) => {{ const line = document.createElement('p'); line.textContent = text; document.body.append(line) }};
  const begin = () => {{ {kind.script} }};
  go.onclick = () => {{ {press} }};
  {now}
</script>"""
