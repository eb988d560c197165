"""G2: Words of a page and of its frames are told with their own origins, whatever an action tells of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from tests.conftest import TAB_LIMIT
from tests.security.wrapped_words import told, words_by_origin
from tests.site import Site

from rove import FormField, Session, Settings
from rove.outcome import AnyOutcome

pytestmark = pytest.mark.one_session

PARTS = """
<title>{0} title</title><h1>{0} heading</h1>
<button id={1}ask onclick="alert('{0} alert')">{0} ask</button>
<button id={1}log onclick="console.error('{0} logged')">{0} log</button>
<button id={1}throw onclick="setTimeout(() => {{ throw new Error('{0} thrown') }})">{0} throw</button>
<a id={1}save href="data:application/octet-stream,x" download="{0}-name.bin">{0} save</a>
<button id={1}open onclick="window.open('/{0}-popup')">{0} open</button>
<form onsubmit="return false"><input id={1}empty required aria-label="{0} empty"><button id={1}send>{0} send</button>
</form><input id={1}field aria-label="{0} field" value="{0} value">
<input id={1}radio type=radio aria-label="{0} radio" checked>
<select id={1}list aria-label="{0} list"><option>{0} one<option>{0} two</select>
<button disabled id={1}off>{0} off</button>
<p id={1}text title="{0} tip">{0} text</p><button class=twice>{0} again</button><button class=twice>{0} again</button>
"""
Call = Callable[[Session, str], Awaitable[AnyOutcome]]
# `at` is the beginning of the ids, in the page or in the frame.
CALLS: dict[str, Call] = {
    "console error": lambda session, at: session.click(f"#{at}log"),
    "page error": lambda session, at: session.click(f"#{at}throw"),
    "download": lambda session, at: session.click(f"#{at}save"),
    "popup": lambda session, at: session.click(f"#{at}open"),
    "validation": lambda session, at: session.click(f"#{at}send"),
    "disabled": lambda session, at: session.click(f"#{at}off"),
    "hover": lambda session, at: session.hover(f"#{at}ask"),
    "fill": lambda session, at: session.fill(f"#{at}field", "x"),
    "fill_form": lambda session, at: session.fill_form((FormField(f"#{at}list", "x"),)),
    "uncheck": lambda session, at: session.check(f"#{at}radio", checked=False),
    "no option": lambda session, at: session.select(f"#{at}list", ("three",)),
    "type": lambda session, at: session.type("y", f"#{at}field"),
    "html": lambda session, at: session.extract(f"#{at}text", mode="html"),
    "attribute": lambda session, at: session.extract(f"#{at}text", mode="attribute", attribute="title"),
    "text": lambda session, at: session.extract(f"#{at}text"),
    "upload": lambda session, at: session.upload(f"#{at}field", ("a.txt",)),
    "thrown": lambda session, at: session.evaluate("e => { throw new Error(e.textContent) }", f"#{at}log"),
    "select": lambda session, at: session.select(f"#{at}list", (f"{'Pageword' if at == 'p' else 'Frameword'} two",)),
    "dialog": lambda session, at: session.click(f"#{at}ask"),
}  # fmt: skip


@pytest.fixture
async def origins(session: Session, site: Site, settings: Settings) -> tuple[str, str]:
    """Open a page with a frame of another origin; return both origins."""
    theirs = site.url("/inner", host="localhost")
    site.page("/inner", PARTS.format("Frameword", "f"))
    for name in ("Pageword", "Frameword"):
        site.page(f"/{name}-popup", "<p>Opened</p>")
    settings.workspace_folder.mkdir(parents=True, exist_ok=True)
    (settings.workspace_folder / "a.txt").write_text("x")
    page = site.page("/", PARTS.format("Pageword", "p") + f"<iframe width=600 height=900 src='{theirs}'></iframe>")
    await session.navigate(page)
    return page.rstrip("/"), theirs.removesuffix("/inner")


def check(text: str, origins: tuple[str, str]) -> None:
    """Fail if words of the page or of the frame stand under another origin, or under none."""
    for origin, words in words_by_origin(text).items():
        assert "Pageword" not in words or origin == origins[0], (origin, text)
        assert "Frameword" not in words or origin == origins[1], (origin, text)


# The frame is the harder case: a page's own origin is what an answer has by default.
@pytest.mark.parametrize("at", [pytest.param("p", marks=pytest.mark.slow), "f"])
async def test_what_actions_tell_has_the_origin_of_the_page_or_of_the_frame(
    session: Session, origins: tuple[str, str], at: str
) -> None:
    word = "Pageword" if at == "p" else "Frameword"
    for name, call in CALLS.items():
        text = await told(call(session, at))
        check(text, origins)
        is_blocked = name == "dialog" and at == "f"  # the browser lets no frame of another site open dialogs
        assert word in text or is_blocked, (name, text)
        if "dialog" in name and not is_blocked:
            check(await told(session.snapshot()), origins)
            check(await told(session.dialog(accept=True)), origins)


async def test_what_reading_actions_tell_has_its_own_origins(session: Session, origins: tuple[str, str]) -> None:
    await session.click("#plog")
    await session.click("#flog")
    answers = [
        await told(session.snapshot()),
        await told(session.find(text="word")),
        await told(session.console()),
        await told(session.network()),
        await told(session.tabs()),
        await told(session.status()),
        await told(session.extract()),
        await told(session.extract(mode="readable")),
        await told(session.screenshot(annotate=True)),
        await told(session.click(".twice")),
        await told(session.click('button "again twice"')),
        await told(session.drag("#plog", "#flog")),
        await told(session.wait(text="Nothing of it", seconds=0.3)),
        await told(session.batch(({"action": "hover", "target": "#plog"}, {"action": "hover", "target": "#flog"}))),
    ]
    for text in answers:
        check(text, origins)
    assert "Pageword" in answers[9] and "Frameword" in answers[9]


async def test_an_address_that_a_page_makes_up_is_in_the_wrapper(session: Session, origins: tuple[str, str]) -> None:
    await session.evaluate("history.replaceState(0, '', '/Pageword-address')")
    opened = [await session.tabs("new") for _ in range(TAB_LIMIT - len((await session.tabs()).result.tabs))]
    text = await told(session.tabs("new"))
    check(text, origins)
    assert opened and "limit_reached" in text and "Pageword-address" in text


@pytest.mark.engines("chromium", reason="Firefox writes nothing to the console of requests that fail")
async def test_entries_of_the_browser_have_the_origin_of_the_document_that_they_are_about(
    session: Session, site: Site
) -> None:
    site.page("/failing", "<p>Frame</p><img src=/Frameword.png>")
    theirs = site.url("/failing", host="localhost")
    page = site.page("/", f"<img src=/Pageword.png><iframe src='{theirs}'></iframe>")
    await session.navigate(page)
    await session.wait(load="load")
    origins = page.rstrip("/"), theirs.removesuffix("/failing")
    text = await told(session.console())
    check(text, origins)
    assert "Pageword" in text and "Frameword" in text
    await told(session.navigate(site.url("/Frameword-missing", host="localhost")))
    await session.navigate(site.page("/after", "<p>After</p>"))
    text = await told(session.console())
    check(text, origins)
    assert "Frameword-missing" in text


async def test_a_sandboxed_frame_has_the_origin_of_its_server(session: Session, site: Site) -> None:
    theirs = site.url("/inner", host="localhost")
    site.page("/inner", PARTS.format("Frameword", "f"))
    page = site.page("/", f"<p>Pageword</p><iframe sandbox width=600 height=900 src='{theirs}'></iframe>")
    await session.navigate(page)
    for text in (
        await told(session.snapshot()),
        await told(session.hover("#fask")),
        await told(session.click(".twice")),
    ):
        check(text, (page.rstrip("/"), theirs.removesuffix("/inner")))
        assert "Frameword" in text


async def test_what_is_told_of_saved_states_is_in_roves_own_words(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<script>localStorage.a = 1; document.cookie = 'b=1'</script>"))
    for text in (await told(session.save_state("mine")), await told(session.states("mine"))):
        own = words_by_origin(text)[""]
        assert "mine: saved" in own and "1 cookie, storage of 1 origin" in own
        assert words_by_origin(text)[site.url("")] == f"  {site.url('')}: 1 in local storage\n"
    await session.delete_state("mine")
