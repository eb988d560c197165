"""Pages whose text changes some time after a click: by timers, requests, workers, frames and events."""

from __future__ import annotations

from collections.abc import Mapping

from bench.pages import document
from bench.told.act import Act

GROUP = "late changes"
BEFORE = "Waiting for you"
AFTER = "The answer is here"
CLICK = "Ask"


def _fetch(delay: int, then: str) -> str:
    return f"fetch('/data?delay={delay}').then((response) => response.text()).then(() => {then})"


def _worker(script: str) -> str:
    return f"new Worker(URL.createObjectURL(new Blob([`{script}`]))).onmessage = change"


def _frames(count: int) -> str:
    return f"let left = {count}; const next = () => (--left ? requestAnimationFrame(next) : change()); next()"


def _ending(style: str, event: str) -> str:
    """Hide the paragraph by a style, and change its text when that has ended."""
    return f"out.addEventListener('{event}', change, {{once: true}}); out.style.cssText += '{style}'"


_INTERVAL = "let left = 10; const all = setInterval(() => --left || (clearInterval(all), change()), 50)"
_MESSAGE = """const {port1, port2} = new MessageChannel();
    port1.onmessage = () => setTimeout(change, 120); port2.postMessage(0)"""
_XHR = """const asked = new XMLHttpRequest(); asked.onload = change;
    asked.open("GET", "/data?delay=250"); asked.send()"""
_PICTURE = "const picture = new Image(); picture.onload = picture.onerror = change; picture.src = '/data?delay=200'"
_SCRIPT = """const script = document.createElement("script"); script.onload = change;
    script.src = "/script?delay=150"; document.body.append(script)"""
_FRAME = """const frame = document.createElement("iframe"); frame.onload = () => setTimeout(change, 100);
    frame.srcdoc = "<p>Inside"; document.body.append(frame)"""
_OBSERVER = """new MutationObserver(() => setTimeout(change, 150)).observe(out, {attributes: true});
    out.title = "now" """
_CHANNEL = """const heard = new BroadcastChannel("a"); heard.onmessage = () => setTimeout(change, 100);
    new BroadcastChannel("a").postMessage(1)"""
_DEBOUNCE = f"clearTimeout(window.late); window.late = setTimeout(() => {_fetch(60, 'change()')}, 300)"
# What the click does; `change` writes the answer.
PATTERNS: Mapping[str, str] = {
    **{f"timer of {delay} ms": f"setTimeout(change, {delay})" for delay in (16, 50, 100, 200, 350, 500, 700, 900)},
    "timer after timer": "setTimeout(() => setTimeout(() => setTimeout(change, 100), 100), 100)",
    "interval that counts to ten": _INTERVAL,
    "three frames later": _frames(3),
    "thirty frames later": _frames(30),
    "idle callback": "requestIdleCallback(change)",
    "task with a delay": "scheduler.postTask(change, {delay: 200})",
    "message, then a timer": _MESSAGE,
    "promise, then a timer": "Promise.resolve().then(() => new Promise((done) => setTimeout(done, 150))).then(change)",
    "slow request": _fetch(400, "change()"),
    "request after request": _fetch(80, _fetch(80, "change()")),
    "request, then a timer": _fetch(50, "setTimeout(change, 250)"),
    "debounce, then a request": _DEBOUNCE,
    "request by XMLHttpRequest": _XHR,
    "two requests, then a timer": _fetch(30, _fetch(300, "setTimeout(change, 50)")),
    "answer of a worker": _worker("postMessage(1)"),
    "late answer of a worker": _worker("setTimeout(() => postMessage(1), 250)"),
    "picture that has loaded": _PICTURE,
    "script that has loaded": _SCRIPT,
    "frame that has loaded": _FRAME,
    "observer, then a timer": _OBSERVER,
    "channel, then a timer": _CHANNEL,
    "end of a transition": _ending("; transition: opacity 300ms; opacity: 0", "transitionend"),
    "end of an animation": _ending("; animation: away 400ms", "animationend"),
    "end of a scripted animation": "out.animate({opacity: [1, 0]}, 350).finished.then(change)",
}


def pages() -> dict[str, str]:
    """Return the pages by path."""
    return {_path(number): _page(script) for number, script in enumerate(PATTERNS.values())}


def acts() -> list[Act]:
    return [
        Act(GROUP, name, _path(number), CLICK, "window.isChanged === true", (AFTER,), (BEFORE,))
        for number, name in enumerate(PATTERNS)
    ]


def _path(number: int) -> str:
    return f"/late/{number}"


def _page(script: str) -> str:
    change = f"out.style.cssText = ''; out.textContent = '{AFTER}'; window.isChanged = true"
    return document(
        "Late",
        f"<h1>Questions</h1><button onclick='ask()'>{CLICK}</button><p id=out>{BEFORE}</p>",
        style="@keyframes away { to { transform: translateX(200px) } }",
        script=f"const change = () => {{ {change} }}; function ask() {{ {script} }}",
    )
