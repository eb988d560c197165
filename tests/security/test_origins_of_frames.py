"""G2: Words of a page and of its frames are told with their own origins, whatever an action tells of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from tests.conftest import TAB_LIMIT
from tests.security.wrapped_words import told, words_by_origin
from tests.site import Site

from rove import Session
from rove.outcome import AnyOutcome

pytestmark = pytest.mark.one_session

PARTS = """
<title>{0} title</title><h1>{0} heading</h1>
<button id=ask onclick="alert('{0} alert')">{0} ask</button>
<button id=log onclick="console.error('{0} logged')">{0} log</button>
<button id=throw onclick="throw new Error('{0} thrown')">{0} throw</button>
<button id=fail onclick="fetch('http://{1}/{0}-path').catch(() => 0)">{0} fetch</button>
<a id=save href="data:application/octet-stream,x" download="{0}-name.bin">{0} save</a>
<button id=open onclick="window.open('/{0}-popup')">{0} open</button>
<form onsubmit="return false"><input id=field required aria-label="{0} field" value="{0} value">
<button id=send>{0} send</button></form>
<input id=file type=file aria-label="{0} file"><input id=radio type=radio aria-label="{0} radio" checked>
<select id=list aria-label="{0} list"><option>{0} one<option>{0} two</select>
<button disabled id=off>{0} off</button><button class=both>{0} both</button>
<p id=text>{0} text</p>
"""
Call = Callable[[Session, str], Awaitable[AnyOutcome]]
CALLS: dict[str, Call] = {
    "console": lambda session, ref: session.click(ref.format("log")),
    "error": lambda session, ref: session.click(ref.format("throw")),
    "download": lambda session, ref: session.click(ref.format("save")),
    "validation": lambda session, ref: session.batch([
        {"action": "fill", "target": ref.format("field"), "value": ""},
        {"action": "click", "target": ref.format("send")},
    ]),
    "click": lambda session, ref: session.click(ref.format("off"), timeout=4),
    "hover": lambda session, ref: session.hover(ref.format("ask")),
    "fill": lambda session, ref: session.fill(ref.format("field"), "x"),
    "fill_form": lambda session, ref: session.fill_form([{"target": ref.format("text"), "value": "x"}], timeout=4),
    "check": lambda session, ref: session.check(ref.format("radio"), checked=False),
    "select": lambda session, ref: session.select(ref.format("list"), values=["three"]),
    "selected": lambda session, ref: session.select(ref.format("list"), values=["one"]),
    "type": lambda session, ref: session.type("y", ref.format("field")),
    "html": lambda session, ref: session.extract(ref.format("text"), mode="html"),
    "attribute": lambda session, ref: session.extract(ref.format("field"), mode="attribute", attribute="aria-label"),
    "text": lambda session, ref: session.extract(ref.format("text")),
    "upload": lambda session, ref: session.upload(ref.format("off"), paths=["nothing.txt"], timeout=4),
    "drag": lambda session, ref: session.drag(ref.format("log"), ref.format("throw")),
    "evaluate": lambda session, ref: session.evaluate("e => { throw new Error(e.id + e.textContent) }", ref.format("log")),
    "screenshot": lambda session, ref: session.screenshot(annotate=True),
}  # fmt: skip


@pytest.fixture
async def origins(session: Session, site: Site) -> tuple[str, str]:
    """Open a page with a frame of another origin; return both origins."""
    theirs = site.url("", host="localhost")
    site.page("/inner", PARTS.format("Frameword", site.url("", host="localhost").removeprefix("http://")))
    body = PARTS.format("Pageword", site.url("").removeprefix("http://"))
    page = site.page("/", f"{body}<iframe width=600 height=600 src='{theirs}/inner'></iframe>")
    for name in ("Pageword", "Frameword"):
        site.page(f"/{name}-popup", "<p>Opened</p>")
    await session.navigate(page)
    return site.url("").rstrip("/"), theirs.rstrip("/")


async def frame_ref(session: Session, word: str) -> str:
    found = (await session.find(text=word)).result.matches
    return next(match.ref for match in found if match.ref)


def check(text: str, origins: tuple[str, str]) -> None:
    said = words_by_origin(text)
    page, frame = origins
    for origin, words in said.items():
        assert "Pageword" not in words or origin == page, (origin, text)
        assert "Frameword" not in words or origin == frame, (origin, text)


@pytest.mark.parametrize("name", CALLS)
async def test_what_an_action_tells_of_a_frame_has_the_origin_of_the_frame(
    session: Session, origins: tuple[str, str], name: str
) -> None:
    snapshot = (await session.snapshot()).result.text
    for word in ("Pageword", "Frameword"):
        refs = await _refs(session, word)
        text = await told(CALLS[name](session, "{}").__class__ and CALLS[name](session, _Ref(refs)))  # type: ignore[arg-type]
        check(text, origins)
        assert word in text or name in ("screenshot", "drag"), text
    assert "Frameword" in snapshot


class _Ref(str):
    """Formats the id of an element as its ref in the page or in the frame."""

    __slots__ = ("refs",)

    def __new__(cls, refs: dict[str, str]) -> _Ref:
        made = super().__new__(cls, "{}")
        made.refs = refs
        return made

    def format(self, *args: object, **_: object) -> str:
        return self.refs[str(args[0])]


async def _refs(session: Session, word: str) -> dict[str, str]:
    names = ("ask", "log", "throw", "save", "send", "field", "radio", "list", "off", "text", "open")
    elements = await session.find(text=word, limit=100)
    lines = {name: next((m.ref for m in elements.result.matches if f"{word} {name}" in m.line and m.ref), "")
             for name in names}  # fmt: skip
    return {**lines, "text": lines["text"] or lines["send"]}
