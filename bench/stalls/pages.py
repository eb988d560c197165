"""Pages that flood rove with events, each set off by its only button."""

from __future__ import annotations

from dataclasses import dataclass, field

ORDINARY = "the floor"
ENGINE = "events"
PROXY = "requests through the proxy"


@dataclass(frozen=True)
class Flood:
    """A page that floods rove: the script that its button runs, and the call that must come before it, if any."""

    name: str
    script: str
    group: str = ENGINE
    before: tuple[str, dict[str, str]] | None = None
    markup: str = field(default="", repr=False)

    @property
    def page(self) -> str:
        button = "<button onclick='setTimeout(go, 50)'>Go</button>"
        return f"<!doctype html><h1>Loud</h1>{button}{self.markup}<script>function go() {{ {self.script} }}</script>"


def _often(body: str, at_once: int = 500) -> str:
    return f"let i = 0; setInterval(() => {{ for (let n = 0; n < {at_once}; n++, i++) {{ {body} }} }}, 0)"


def _worker(body: str) -> str:
    return f"new Worker(URL.createObjectURL(new Blob([{body!r}])))"


_BUSY = "setInterval(() => { const end = performance.now() + 50; while (performance.now() < end); }, 0)"
_SENDING = _often("s.send('x')")
_ANSWER_RULE = {"rule": "answer", "url": "{site}/answered*", "body": "ok"}

FLOODS = (
    Flood("nothing", "", ORDINARY),
    Flood("a busy page", _BUSY, ORDINARY),
    Flood("a busy page with a busy worker", f"{_worker(_BUSY)}; {_BUSY}", ORDINARY),
    Flood("short lines", _often("console.log('line ' + i)")),
    Flood("lines in one task", "for (let i = 0; i < 1e6; i++) console.log('line ' + i)"),
    Flood("long lines", "const long = 'x'.repeat(1e6); " + _often("console.log(long + i)", 10)),
    Flood("objects", _often("console.log({i, list: [i, {i}], map: new Map([[i, i]])}, document.body, go)")),
    Flood("lines of workers", ";".join([_worker(_often("console.log('line ' + i)"))] * 8)),
    Flood("errors", _often("setTimeout(() => { throw new Error('error ' + i) })", 100)),
    Flood("rejections", _often("Promise.reject(new Error('error ' + i))", 100)),
    Flood("blob fetches", "const u = URL.createObjectURL(new Blob(['x'])); " + _often("fetch(u)", 100)),
    Flood("data fetches", _often("fetch('data:,' + i)", 100)),
    Flood("long data fetches", "const long = 'x'.repeat(1e6); " + _often("fetch('data:,' + long + i)", 5)),
    Flood("data images", _often("new Image().src = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=' + i", 100)),
    Flood("refused fetches", "for (let i = 0; i < 20000; i++) fetch('http://10.0.0.1/' + i).catch(() => 0)", PROXY),
    Flood("20,000 fetches", "for (let i = 0; i < 20000; i++) fetch('/none?' + i).catch(() => 0)", PROXY),
    Flood(
        "answered fetches",
        "for (let i = 0; i < 20000; i++) fetch('/answered?' + i).catch(() => 0)",
        before=("browser_intercept", _ANSWER_RULE),
    ),
    Flood("frames of a WebSocket", "new WebSocket('ws://' + location.host + '/frames')", PROXY),
    Flood(
        "frames sent over a WebSocket",
        f"const s = new WebSocket('ws://' + location.host + '/sink'); s.onopen = () => {{ {_SENDING} }}",
        PROXY,
    ),
    Flood("WebSockets", _often("try { new WebSocket('ws://10.0.0.1/' + i) } catch {}", 20), PROXY),
    Flood("events of a server", "new EventSource('/events')", PROXY),
    Flood("a response in small chunks", "fetch('/chunks').then(r => r.text())", PROXY),
    Flood(
        "frames",
        _often("const f = document.createElement('iframe'); document.body.append(f); setTimeout(() => f.remove())", 10),
    ),
    Flood(
        "frames with documents",
        _often(
            "const f = document.createElement('iframe'); f.srcdoc = '<p>' + i; document.body.append(f);"
            "setTimeout(() => f.remove(), 20)",
            10,
        ),
    ),
    Flood(
        "frames of another site",
        "let i = 0; setInterval(() => { const f = document.createElement('iframe');"
        "f.src = 'http://localhost:' + location.port + '/calm?' + i++; document.body.append(f);"
        "f.onload = () => f.remove() }, 20)",
        PROXY,
    ),
    Flood("pushState", _often("try { history.pushState(0, '', '?' + i) } catch {}", 100)),
    Flood("replaceState and hash", _often("try { location.replace('#' + i) } catch {}", 100)),
    Flood("navigations", "location.href = '/again'", PROXY),
    Flood("popups", _often("open('about:blank')", 5)),
    Flood("dialogs", _often("alert(i)", 5)),
    Flood(
        "mutations",
        _often("const d = document.createElement('button'); d.textContent = i; document.body.append(d);"
               "if (i > 500) document.body.children[3].remove()", 200),
    ),
    Flood(
        "downloads",
        "const u = URL.createObjectURL(new Blob(['x'])); "
        + _often("const a = document.createElement('a'); a.href = u; a.download = 'f' + i; a.click()", 20),
    ),
    Flood(
        "workers",
        "const u = URL.createObjectURL(new Blob(['close()'])); setInterval(() => { new Worker(u) }, 0)",
    ),
    Flood(
        "shared workers",
        "const u = URL.createObjectURL(new Blob(['0'])); let i = 0;"
        "setInterval(() => new SharedWorker(u, 'n' + i++), 0)",
    ),
    Flood(
        "messages of a service worker",
        "navigator.serviceWorker.register('/service.js').then(() => navigator.serviceWorker.ready).then(r => {"
        " setInterval(() => { for (let n = 0; n < 200; n++) r.active.postMessage(n) }, 0) })",
    ),
    Flood("documents opened", _often("document.open(); document.write('<p>x<iframe></iframe>'); document.close()", 20)),
    Flood("titles and cookies", _often("document.title = i; document.cookie = 'a=' + i", 100)),
)  # fmt: skip
