"""G6: A policy that denies reading an origin is held by every action: none of its words reach the agent."""

from __future__ import annotations

import io
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.security.test_origins_of_frames import CALLS, PARTS
from tests.security.wrapped_words import told
from tests.site import OWN_SITES, Site

from rove import PolicyRule, RulePolicy, Session, Settings
from rove.engine.sessions import Sessions
from rove.storage.ledger import unseal


@pytest.fixture(scope="module")
async def denied(home: Path) -> AsyncGenerator[Sessions]:
    """Sessions whose agent may act everywhere, and read everywhere but at `localhost`."""
    rule = PolicyRule("deny", effect=("read", "script"), origin=("http://localhost:*",))
    async with Sessions(Settings(allow_host=OWN_SITES, home=home / "denied"), RulePolicy((rule,))) as sessions:
        yield sessions


@pytest.fixture
def agent(denied: Sessions) -> Session:
    return Session(denied, None)


def hidden_page(site: Site, path: str, body: str) -> str:
    """Serve a page; return its address at the host that may not be read."""
    site.page(path, body)
    return site.url(path, host="localhost")


def journal_entries(settings: Settings) -> list[dict[str, Any]]:
    lines = [line for file in settings.journal_folder.rglob("*.jsonl") for line in file.read_bytes().splitlines()]
    entries = [dict(link.facts) for line in lines if (link := unseal(line)) is not None]
    return [entry for entry in entries if entry["session"] == "default"]


def check(name: str, text: str) -> None:
    """Fail if a text has the word that pages of the origin which may not be read are full of."""
    assert "zebrafish" not in text.lower(), (name, text)


async def test_no_action_on_a_page_that_may_not_be_read_tells_its_words(
    agent: Session, denied: Sessions, site: Site
) -> None:
    site.page("/Zebrafish-popup", "<title>Zebrafish popup</title><p>Zebrafish</p>")
    await agent.navigate(hidden_page(site, "/Zebrafish", PARTS.format("Zebrafish", "p")))
    for name, call in CALLS.items():
        if name != "select":  # its argument is the agent's own word
            check(name, await told(call(agent, "p")))
        if name == "dialog":
            check(name, await told(agent.hover("#plog")))
            check(name, await told(agent.dialog(accept=True)))
    for name, text in {
        "ambiguous": await told(agent.click(".twice")),
        "near": await told(agent.click('button "again twice"')),
        "tabs": await told(agent.tabs()),
        "status": await told(agent.status()),
        "switch": await told(agent.tabs("switch", tab="t1")),
        "batch": await told(agent.batch(({"action": "hover", "target": "#plog"},))),
        "reload": await told(agent.reload()),
        "wait": await told(agent.wait(text="x", seconds=0.2)),
        "pdf": await told(agent.pdf()),
        "screenshot": await told(agent.screenshot()),
        "fetch": await told(agent.web_fetch(site.url("/Zebrafish", host="localhost"))),
        "press": await told(agent.press("Tab")),
        "drag": await told(agent.drag("#plog", "#pask")),
        "evaluate": await told(agent.evaluate("document.body.innerText")),
    }.items():  # fmt: skip
        check(name, text)
    assert "withheld: the policy denies reading http://localhost" in await told(agent.hover("#plog"))
    settings = denied.settings
    assert not list((settings.workspace_folder / "downloads").glob("Zebrafish*")), (
        "it is in a folder of an unknown name"
    )
    for entry in journal_entries(settings):  # which MCP clients can read
        check("journal", f"{entry.get('error')} {entry.get('changes')}")


async def test_what_is_copied_where_reading_is_denied_is_neither_read_nor_pasted_elsewhere(
    agent: Session, site: Site
) -> None:
    await agent.navigate(hidden_page(site, "/", "<p id=words>Zebrafish words</p>"))
    await agent.click("#words", count=3)
    await agent.press("Control+C")
    check("clipboard", await told(agent.clipboard()))
    await agent.navigate(site.page("/open", "<textarea id=field aria-label=Field></textarea>"))
    await agent.click("#field")
    await agent.press("Control+V")
    check("pasted", await told(agent.snapshot()))
    await agent.clipboard(text="Own words")
    await agent.press("Control+V")
    assert "Own words" in await told(agent.snapshot())


async def test_a_frame_that_may_not_be_read_stays_unread_in_a_page_that_may(agent: Session, site: Site) -> None:
    inner = hidden_page(site, "/inner", PARTS.format("Zebrafish", "f"))
    await agent.navigate(site.page("/outer", f"<p>Open words</p><iframe width=600 height=900 src='{inner}'></iframe>"))
    for name in ("console error", "page error", "download", "validation", "hover", "no option", "uncheck", "popup"):
        check(name, await told(CALLS[name](agent, "f")))
    for name, text in {
        "snapshot": await told(agent.snapshot()),
        "console": await told(agent.console()),
        "network": await told(agent.network()),
        "find": await told(agent.find(text="words")),
        "extract": await told(agent.extract()),
        "readable": await told(agent.extract(mode="readable")),
        "ambiguous": await told(agent.click(".twice")),
        "marks": await told(agent.screenshot(annotate=True)),
    }.items():
        check(name, text)
    assert "Open words" in await told(agent.snapshot())


async def test_a_frame_that_may_not_be_read_is_not_in_pictures(agent: Session, site: Site) -> None:
    inner = hidden_page(site, "/red", "<body style='background: red'>")
    frame = f"<iframe width=400 height=300 style='border: 0' src='{inner}'></iframe>"
    await agent.navigate(site.page("/around", f"<body style='background: white'><p>Open</p>{frame}"))
    picture = (await agent.screenshot()).attachments[0].data
    colours = {colour for _, colour in Image.open(io.BytesIO(picture)).convert("RGB").getcolors(2**24) or ()}
    assert (255, 0, 0) not in colours
    assert await agent.evaluate("document.querySelector('iframe').style.visibility") is not None


# What a page does for a document that has no address of its own, or none that tells whose words it is.
MADE = {
    "written window": "const made = window.open(''); made.document.write(`<title>Zebrafish</title>${words}`)",
    "window with a fragment": "window.open('about:blank#Zebrafish').document.body.innerHTML = words",
    "blob window": "window.open(URL.createObjectURL(new Blob([words], {type: 'text/html'})))",
    "empty page": "location = 'about:blank#Zebrafish'",
    "error page": "location = 'http://localhost:1/Zebrafish'",
    "failed page": "location = '/Zebrafish-missing'",
    "worker": "new Worker('data:text/javascript,console.error(`Zebrafish`)')",
}


@pytest.mark.parametrize("name", MADE)
async def test_what_a_page_makes_is_read_no_more_than_the_page(agent: Session, site: Site, name: str) -> None:
    script = f"const words = '<button>Zebrafish</button><button>Zebrafish</button>'; {MADE[name]}"
    await agent.navigate(
        hidden_page(site, "/", f"<button id=go>Go</button><script>go.onclick = () => {{{script}}}</script>")
    )
    check("click", await told(agent.click("#go")))
    check("tabs", await told(agent.tabs()))
    check("status", await told(agent.status()))
    made = (await agent.tabs()).result.tabs[-1].id
    for what, text in {
        "switch": await told(agent.tabs("switch", tab=made)),
        "snapshot": await told(agent.snapshot()),
        "outline": await told(agent.outline()),
        "console": await told(agent.console()),
        "press": await told(agent.press("Tab")),
        "ambiguous": await told(agent.click("button")),
    }.items():
        check(what, text)
    if made != "t1":
        await agent.tabs("close", tab=made)
    await agent.navigate(site.page("/open", "<p>Open</p>"))
    check("console of the next page", await told(agent.console()))


async def test_a_sandboxed_frame_of_an_origin_that_may_not_be_read_stays_unread(agent: Session, site: Site) -> None:
    inner = hidden_page(site, "/inner", "<title>Zebrafish</title><button>Zebrafish</button><button>Zebrafish</button>")
    moved = hidden_page(site, "/moved", "<script>location = 'data:text/html,<button>Zebrafish'</script>")
    frames = f"<iframe sandbox src='{inner}'></iframe><iframe src='{moved}'></iframe>"
    await agent.navigate(site.page("/sandboxes", f"<p>Open words</p>{frames}"))
    for what, text in {
        "snapshot": await told(agent.snapshot()),
        "find": await told(agent.find(text="zebra")),
        "extract": await told(agent.extract()),
        "readable": await told(agent.extract(mode="readable")),
        "aria": await told(agent.aria_snapshot()),
        "ambiguous": await told(agent.click("button")),
    }.items():
        check(what, text)
    assert "Open words" in await told(agent.snapshot())


async def test_a_denial_is_not_told_as_a_question(agent: Session, home: Path, site: Site) -> None:
    url = hidden_page(site, "/", "<button>Zebrafish</button>")
    text = await told(agent.navigate(url)) + await told(agent.snapshot()) + await told(agent.hover("button"))
    assert "asking" not in text and "consent" not in text
    assert "The policy does not allow this page to be read." in text
    rule = PolicyRule("ask", effect=("read",), origin=("http://localhost:*",))
    async with Sessions(Settings(allow_host=OWN_SITES, home=home / "asked"), RulePolicy((rule,))) as asked:
        other = Session(asked, None)
        assert "to be read without asking" in await told(other.navigate(url))
        assert "the policy asks a person before reading http://localhost" in await told(other.hover("button"))
