"""Pages on which a click opens or closes something by a transition or an animation of 50 to 1,000 ms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bench.pages import document
from bench.told.act import Act

GROUP = "transitions"
WORDS = "Two tickets to Lisbon"
OPEN = "Show tickets"
CLOSE = "Hide tickets"


@dataclass(frozen=True)
class Kind:
    """How a panel looks while it is closed, by what it moves, and for how long it can be."""

    closed: str
    opened: str
    moves: str
    durations: tuple[int, ...]


_FIXED = "position: fixed; top: 0; left: 0; width: 300px; height: 100%; background: #eee"
KINDS: Mapping[str, Kind] = {
    "drawer": Kind(
        f"{_FIXED}; transform: translateX(-100%)", f"{_FIXED}; transform: none", "transform", (150, 300, 600)
    ),
    "fade": Kind("opacity: 0; visibility: hidden", "opacity: 1", "opacity, visibility", (50, 150, 300, 1000)),
    "accordion": Kind("height: 0; overflow: hidden", "height: 80px; overflow: hidden", "height", (200, 350, 700)),
    "accordion of rows": Kind(
        "display: grid; grid-template-rows: 0fr", "display: grid; grid-template-rows: 1fr", "grid-template-rows", (300,)
    ),
    "popup that grows": Kind(
        "transform: scale(0); opacity: 0", "transform: none; opacity: 1", "transform, opacity", (200, 450)
    ),
    "sheet from below": Kind(
        "position: fixed; bottom: 0; transform: translateY(100%)", "position: fixed; bottom: 0", "transform", (400, 900)
    ),
    "panel behind a clip path": Kind("clip-path: inset(0 100% 0 0)", "clip-path: inset(0)", "clip-path", (300,)),
}
ANIMATIONS: Mapping[str, str] = {
    "fades": "from { opacity: 0 }",
    "slides": "from { transform: translateX(-2000px) }",
    "grows": "from { transform: scale(0) }",
}


@dataclass(frozen=True)
class _Case:
    name: str
    page: str
    opens: bool


def _cases() -> Iterator[_Case]:
    for name, kind in KINDS.items():
        for duration in kind.durations:
            yield _Case(f"{name} opens in {duration} ms", _classes(kind, duration, opens=True), True)
        longest = kind.durations[-1]
        yield _Case(f"{name} closes in {longest} ms", _classes(kind, longest, opens=False), False)
    for name, keyframes in ANIMATIONS.items():
        for duration in (250, 500):
            yield _Case(f"dialog {name} in, in {duration} ms", _keyframes(keyframes, duration, opens=True), True)
        yield _Case(f"dialog {name} out, in 400 ms", _keyframes(keyframes, 400, opens=False), False)
    yield _Case("toast removed when its fade has ended", _removed("opacity 300ms", "opacity: 0"), False)
    yield _Case("row removed when it has shrunk", _removed("height 400ms", "height: 0"), False)
    yield _Case("dialog of the browser fades in", _modal(), True)
    yield _Case("panel in a shadow root slides in", _shadow(), True)


def pages() -> dict[str, str]:
    """Return the pages by path."""
    return {_path(number): case.page for number, case in enumerate(_cases())}


def acts() -> list[Act]:
    return [
        Act(
            GROUP,
            case.name,
            _path(number),
            OPEN if case.opens else CLOSE,
            "window.isPressed === true",
            (WORDS,) if case.opens else (),
            () if case.opens else (WORDS,),
        )
        for number, case in enumerate(_cases())
    ]


def _path(number: int) -> str:
    return f"/transition/{number}"


def _page(style: str, panel: str, script: str, *, opens: bool) -> str:
    """A page with one button; the button is right of panels that slide in from the left."""
    button = f"<button style='margin-left: 400px' onclick='press()'>{OPEN if opens else CLOSE}</button>"
    return document(
        "Tickets",
        f"<h1 style='margin-left: 400px'>Trip</h1>{button}{panel}<p style='margin-left: 400px'>Leaves in May.</p>",
        style=style,
        script=f"function press() {{ window.isPressed = true; {script} }}",
    )


def _classes(kind: Kind, duration: int, *, opens: bool) -> str:
    # Margins of a paragraph would keep a grid row of no height open.
    inner = "min-height: 0; overflow: hidden" if "grid" in kind.closed else ""
    style = f"""#panel {{ transition: all {duration}ms; transition-property: {kind.moves} }}
        #panel.closed {{ {kind.closed} }} #panel.open {{ {kind.opened} }}"""
    state = "closed" if opens else "open"
    panel = f"<div id=panel class={state}><div style='{inner}'>{WORDS}</div></div>"
    return _page(style, panel, f"panel.className = '{'open' if opens else 'closed'}'", opens=opens)


def _keyframes(keyframes: str, duration: int, *, opens: bool) -> str:
    direction = "normal" if opens else "reverse"
    style = f"""@keyframes move {{ {keyframes} }} .moves {{ animation: move {duration}ms {direction} both }}
        #panel {{ position: fixed; top: 40%; left: 40%; background: #eee; padding: 20px }}"""
    panel = f"<div id=panel role=dialog aria-label=Tickets {'hidden' if opens else ''}>{WORDS}</div>"
    shown = "panel.hidden = false; panel.className = 'moves'"
    gone = "panel.onanimationend = () => panel.remove(); panel.className = 'moves'"
    return _page(style, panel, shown if opens else gone, opens=opens)


def _removed(transition: str, final: str) -> str:
    panel = f"<div id=panel style='height: 40px; overflow: hidden; transition: {transition}'>{WORDS}</div>"
    script = f"panel.ontransitionend = () => panel.remove(); panel.style.cssText += '; {final}'"
    return _page("", panel, script, opens=False)


def _modal() -> str:
    style = "dialog { transition: opacity 300ms } @starting-style { dialog[open] { opacity: 0 } }"
    return _page(style, f"<dialog id=panel>{WORDS}</dialog>", "panel.showModal()", opens=True)


def _shadow() -> str:
    style = "div { transition: transform 350ms; transform: translateX(-2000px) } div.open { transform: none }"
    script = f"""const root = host.shadowRoot ?? host.attachShadow({{mode: 'open'}});
        root.innerHTML = '<style>{style}</style><div>{WORDS}</div>';
        root.querySelector('div').getBoundingClientRect(); root.querySelector('div').className = 'open'"""
    return _page("", "<div id=host></div>", script, opens=True)
