"""The toolset `sessions` over MCP: contract C, each line by its number."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ImageContent
from tests.mcp_clients import ROVE, environment, held_open, text_of
from tests.processes import eventually
from tests.site import Site
from tests.surfaces.approving_clients import DECLINE, Person
from tests.toolsets.sessions_client import LEGACY, NEWEST, Server, served

OPENER = "start_browser_session"
TOOLS = [
    OPENER, "close_browser_session", "browser_navigate", "browser_click", "browser_fill_form", "browser_upload_file",
    "browser_wait",    "browser_extract_content", "browser_screenshot",
]  # fmt: skip
PAGE = """<title>Tea</title><style>p {color: green}</style><script>var unseen = 'a script'</script>
<h1>Tea room</h1><p>First paragraph.</p><p>Second paragraph.</p>
<ul><li class=tea data-price=3>Green</li><li class=tea data-price=4>Black</li></ul><ol><li>Boil</li><li>Pour</li></ol>
<form action=/done><input id=name aria-label=Name><select id=size><option>small<option>large</select>
<input type=checkbox id=milk aria-label=Milk><button>Order</button></form><a href=/done>Done</a><i id=echo></i>
<script>document.querySelector('#name').oninput = e => { document.querySelector('#echo').textContent = e.target.value }
</script>
<script>localStorage.visits = (+localStorage.visits || 0) + 1; document.cookie = 'seen=yes'</script>"""


@pytest.fixture(scope="module")
async def _shared(home: Path) -> AsyncGenerator[Server]:
    folder = home / "shared"
    folder.mkdir()
    async with held_open(served(folder)) as server:
        yield server


@pytest.fixture
async def one(_shared: Server) -> AsyncGenerator[Server]:
    """A server that these tests share, with one session, which is named "one" and closed after each test."""
    await _shared.text(OPENER, name="one")
    yield _shared
    await _shared.text("close_browser_session", session="one")


@pytest.mark.parametrize("mode", [LEGACY, pytest.param(NEWEST, marks=pytest.mark.slow)])
@pytest.mark.contract("C1")
async def test_c1_tools_come_and_go_with_sessions(home: Path, site: Site, mode: str) -> None:
    async with served(home, mode) as server:
        assert await server.names() == [OPENER]
        with pytest.raises(MCPError, match="only while a session is open"):
            await server.call("browser_navigate", session="one", url=site.page("/", PAGE))
        assert server.browsers() == []  # none before the approval
        started = await server.call(OPENER, name="one", viewport={"width": 900, "height": 500})
        assert started.structured_content == {
            "session": "one", "headless": True, "viewport": {"width": 900, "height": 500},
        }  # fmt: skip
        assert await server.names() == TOOLS
        assert "Tea room" in await server.text("browser_navigate", session="one", url=site.url("/"))
        assert "open already" in await server.error(OPENER, name="one")
        small = await server.call(OPENER, name="small", viewport="640x480", headless="true")
        assert (small.structured_content or {})["viewport"] == {"width": 640, "height": 480}
        await server.text("close_browser_session", session="small")
        assert "is missing" in await server.error(OPENER)
        for other in ("two", "default"):
            assert f"no session {other}" in await server.error("browser_navigate", session=other, url=site.url("/"))
        assert "`session` is missing" in await server.error("browser_navigate", session="", url=site.url("/"))
        assert len(server.browsers()) == 1  # that which was approved
        await server.text("close_browser_session", session="one")
        assert await server.names() == [OPENER]
        if mode == LEGACY:
            assert server.changes == 2  # the second session changes nothing in the list
    assert "May the agent start a browser session?" in server.person.shown[0].message
    assert 'name: "one"' in server.person.shown[0].message


@pytest.mark.contract("C1")
async def test_c1_clients_of_the_newest_revision_are_told_if_they_listen(home: Path) -> None:
    async with served(home, NEWEST) as server, server.client.listen(tools_list_changed=True) as changes:
        await server.text(OPENER, name="one")
        await asyncio.wait_for(anext(changes), 10)
        await server.text("close_browser_session", session="one")
        await asyncio.wait_for(anext(changes), 10)


@pytest.mark.parametrize("mode", [pytest.param(LEGACY, marks=pytest.mark.slow), NEWEST])
@pytest.mark.contract("C1")
async def test_c1_without_approval_nothing_is_started(home: Path, mode: str) -> None:
    async with served(home, mode, Person(DECLINE)) as server:
        assert "denied" in await server.error(OPENER, name="one")
        assert (await server.names(), server.browsers()) == ([OPENER], [])
    async with served(home, mode, Person()) as server:  # a client that cannot ask its user
        refusal = await server.error(OPENER, name="one")
        assert "There is no approver to ask: May the agent start a browser session?" in refusal
        assert 'decide = "allow", action = "open_session"' in refusal
        assert "--approve terminal" in refusal


@pytest.mark.contract("C1")
async def test_c1_navigate_click_fill_and_wait(one: Server, site: Site) -> None:
    site.page("/done", "<h1>Done</h1><script>setTimeout(() => document.body.append('later'), 300)</script>")
    url = site.page("/", PAGE)
    for stage in ("load", "domcontentloaded", "networkidle", "commit"):
        await one.text("browser_navigate", session="one", url=url, wait_until=stage)
    assert "must be one of" in await one.error("browser_navigate", session="one", url=url, wait_until="never")
    fields = [{"selector": "#name", "value": "Ann"}, {"selector": "#size", "value": "large"}]
    fields.append({"selector": "#milk", "value": True})  # type: ignore[dict-item]
    filled = await one.text("browser_fill_form", session="one", fields=fields)
    for line in ('value="Ann"', 'value="large"', "checked"):
        assert line in filled
    await one.text("browser_fill_form", session="one", fields={"#name": 5})
    assert "`fields`: each field" in await one.error("browser_fill_form", session="one", fields=[{"x": 1}])
    assert "not found" in await one.error(
        "browser_fill_form", session="one", fields=[{"selector": "#none", "value": "x"}]
    )
    assert "Done" in await one.text("browser_click", session="one", selector="a")
    await one.text("browser_wait", session="one", navigation=True)
    await one.text("browser_wait", session="one", selector="h1", timeout=5000)
    assert "did not become visible" in await one.error("browser_wait", session="one", selector="#x", timeout=0.3)
    assert "no other page" in await one.error("browser_wait", session="one", navigation=True, timeout=0.3)
    assert "Waited 0." in await one.text("browser_wait", session="one", timeout=0.2)
    assert "Say what to wait for" in await one.error("browser_wait", session="one")
    assert "`timeout`" in await one.error("browser_wait", session="one", timeout=-1)


@pytest.mark.contract("C2")
async def test_c2_content_is_read_in_every_mode(one: Server, site: Site) -> None:
    long = "x" * 12_000
    await one.text("browser_navigate", session="one", url=site.page("/", PAGE))
    text = await one.read("one")
    assert "Tea room\n\nFirst paragraph.\n\nSecond paragraph.\n\n- Green\n- Black\n\n1. Boil\n2. Pour" in text
    assert "a script" not in text
    assert "color: green" not in text
    assert await one.read("one", selector="h1") == "Tea room"
    assert json.loads(await one.read("one", selector=".tea")) == ["Green", "Black"]
    assert json.loads(await one.read("one", selector="h1", all=True)) == ["Tea room"]
    assert await one.read("one", selector=".tea", all=False) == "Green"
    assert await one.read("one", selector="h1", mode="html") == "<h1>Tea room</h1>"
    assert json.loads(await one.read("one", selector=".tea", mode="html"))[1].endswith(">Black</li>")
    assert "<script>" in await one.read("one", mode="html")
    prices = {"selector": ".tea", "mode": "attribute", "attribute": "data-price"}
    assert json.loads(await one.read("one", **prices)) == ["3", "4"]
    assert await one.read("one", selector="h1", mode="attribute", attribute="id") == "null"
    for arguments, why in (
        ({"selector": "h1", "mode": "attribute"}, "`attribute` is missing"),
        ({"mode": "picture"}, "must be one of text, html, attribute"),
        ({"selector": "#none"}, "not found"),
    ):
        assert why in await one.error("browser_extract_content", session="one", **arguments)
    await one.text("browser_navigate", session="one", url=site.page("/long", f"<p>{long}</p><p>{long}</p>"))
    for arguments in ({}, {"mode": "html"}, {"selector": "p"}):
        answer = await one.text("browser_extract_content", session="one", **arguments)
        assert 9_900 <= answer.count("x") <= 10_000
        assert answer.splitlines()[-1] == "[truncated at 10,000 characters]"


@pytest.mark.contract("C3")
async def test_c3_sessions_are_few_apart_and_leave_nothing(home: Path, site: Site) -> None:
    url = site.page("/", PAGE + "<p id=visits></p><script>visits.textContent = localStorage.visits</script>")
    async with served(home) as server:
        for name in ("one", "two", "three"):
            await server.text(OPENER, name=name)
        refused = await server.error(OPENER, name="four")
        assert "3 sessions are open, which is the limit" in refused
        assert "close_browser_session" in refused
        assert "open already" in await server.error(OPENER, name="one")
        assert len(server.person.shown) == 3  # no person is asked about what would fail
        for _ in range(2):
            await server.text("browser_navigate", session="one", url=url)
        await server.text("browser_navigate", session="two", url=url)
        assert await server.read("one", selector="#visits") == "2"
        assert await server.read("two", selector="#visits") == "1"
        asked = [request.headers.get("Cookie") for request in site.asked("/")]
        assert asked == [None, "seen=yes", None]
        await server.text("close_browser_session", session="one")
        await server.text(OPENER, name="one")
        await server.text("browser_navigate", session="one", url=url)
        assert await server.read("one", selector="#visits") == "1"
        assert len(server.browsers()) == 3
    assert eventually(lambda: server.browsers() == [], 10)


@pytest.mark.contract("C3")
async def test_c3_an_idle_session_is_closed_and_its_tools_go(home: Path) -> None:
    async with served(home, LEGACY, None, "--limits-idle", "4") as server:
        await server.text(OPENER, name="one")
        assert len(await server.names()) > 1
        await eventually_true(lambda: server.changes == 2)
        assert await server.names() == [OPENER]


async def eventually_true(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.05)


@pytest.mark.contract("C4")
async def test_c4_files_are_those_of_the_workspace(one: Server, site: Site) -> None:
    workspace, outside = one.workspace, one.home / "outside.html"
    workspace.mkdir(exist_ok=True)
    outside.write_text("<h1>Outside</h1>")
    (workspace / "page.html").write_text(f"<h1>Inside</h1><iframe src='{outside.as_uri()}'></iframe>")
    (workspace / "link.html").unlink(missing_ok=True)
    (workspace / "link.html").symlink_to(outside)
    page = await one.text("browser_navigate", session="one", url=(workspace / "page.html").as_uri())
    assert "Inside" in page
    assert "Outside" not in page
    top = workspace.as_uri()
    for address in (
        outside.as_uri(), f"{top}/../outside.html", f"{top}/%2e%2e/outside.html", f"{top}/..%2Foutside.html",
        f"{top}/link.html", f"{top}/", "file:///etc/passwd", "chrome://version", f"view-source:{top}/page.html",
    ):  # fmt: skip
        assert "denied" in await one.error("browser_navigate", session="one", url=address), address
    saved = await one.call("browser_screenshot", session="one", full_page=True)
    path = Path((saved.structured_content or {})["path"])
    assert path.parent == workspace / "screenshots"
    assert path.read_bytes().startswith(b"\x89PNG")
    assert [part.mime_type for part in saved.content if isinstance(part, ImageContent)] == ["image/png"]
    named = await one.text("browser_screenshot", session="one", selector="h1", path="heading.png")
    assert f"Screenshot saved: {workspace}/screenshots/heading.png" in named
    (workspace / "away").unlink(missing_ok=True)
    (workspace / "away").symlink_to(one.home)
    for name in ("../x.png", "/tmp/x.png", "away/x.png", "screenshots/../../x.png"):
        assert "denied" in await one.error("browser_screenshot", session="one", path=name), name
    assert not (one.home / "x.png").exists()
    climbing = {"Content-Disposition": "attachment; filename=../../t.zip"}
    site.page("/file", "content", kind="application/zip", headers=climbing)
    assert f"{workspace}/downloads/" in await one.text("browser_navigate", session="one", url=site.url("/file"))
    assert [path.read_text() for path in (workspace / "downloads").iterdir()] == ["content"]


@pytest.mark.contract("C1", "C4")
async def test_c_boxes_files_and_windows_that_pages_open_are_reached(one: Server, site: Site) -> None:
    site.page("/other", "<h1>Another window</h1>")
    page = """<input type=checkbox id=a><input type=checkbox id=b checked><input type=text id=t><input type=file id=f>
      <a href=/other target=_blank>Open</a><p></p><script>onchange = () => { document.querySelector('p').textContent =
      [a.checked, b.checked, t.value, f.files[0]?.name].join() }</script>"""
    await one.text("browser_navigate", session="one", url=site.page("/", page))
    values = {"#a": "true", "#b": "False", "#t": "true"}
    fields = [{"selector": selector, "value": value} for selector, value in values.items()]
    await one.text("browser_fill_form", session="one", fields=fields)
    one.workspace.mkdir(exist_ok=True)
    (one.workspace / "tea.txt").write_text("tea")
    await one.text("browser_upload_file", session="one", selector="#f", path="tea.txt")
    assert await one.read("one", selector="p") == "true,false,true,tea.txt"
    assert "denied" in await one.error("browser_upload_file", session="one", selector="#f", path="/etc/passwd")
    assert "t2" in await one.text("browser_click", session="one", selector="a")
    assert await one.read("one", selector="h1", tab="t2") == "Another window"
    refused = await one.error("browser_fill_form", session="one", fields={"#a": "maybe"}, tab="t1")
    assert "Use" not in refused and "check" not in refused.replace("checkbox", "")


@pytest.mark.contract("C5")
async def test_c5_a_crash_is_reported_and_recovered_and_others_do_not_notice(home: Path, site: Site) -> None:
    url = site.page("/", PAGE)
    async with served(home) as server:
        await server.text(OPENER, name="one")
        (crashing,) = server.browsers()
        await server.text(OPENER, name="two")
        for name in ("one", "two"):
            await server.text("browser_navigate", session=name, url=url)
            await server.text("browser_fill_form", session=name, fields={"#name": name})
        others = {*server.browsers()} - {crashing}

        async def crash() -> None:
            for pid in {*server.browsers()} - others:
                os.kill(pid, signal.SIGKILL)
            await asyncio.to_thread(eventually, lambda: {*server.browsers()} == others, 10)
            assert await server.read("two", selector="#echo") == "two"

        async def first(tool: str, **arguments: Any) -> CallToolResult:
            """Return the first answer after a crash; of a call that came before the news of it, that of the next."""
            result = await server.call(tool, session="one", **arguments)
            came_before = "The browser died during this call" in text_of(result)
            return await server.call(tool, session="one", **arguments) if came_before else result

        await crash()
        assert "browser restarted" not in await server.text("browser_click", session="two", selector="#milk")
        told, *_ = text_of(await first("browser_extract_content", selector="h1")).splitlines()
        assert told == "The browser crashed and was replaced: t1 was loaded anew, and what was typed is lost."
        assert "crashed" not in await server.text("browser_extract_content", session="one", selector="h1")
        await crash()
        shot = await first("browser_screenshot")
        assert text_of(shot).startswith("The browser crashed")
        assert (shot.structured_content or {})["notice"] == told
        await crash()
        missing = await first("browser_click", selector="#gone")
        assert missing.is_error and text_of(missing).startswith(told)
        await crash()
        report = text_of(await first("browser_wait", selector="h1"))
        assert "(browser restarted) t1 was at" in report and "\nThe browser crashed" in report.split("</untrusted")[1]
        assert await server.read("one", selector="h1") == "Tea room"
        assert crashing not in server.browsers()
        refused = await server.call("browser_navigate", session="one", url="chrome://crash")
        assert refused.is_error  # an agent cannot crash a page by its address


@pytest.mark.contract("C5")
async def test_c5_a_page_whose_process_is_killed_is_loaded_anew_and_reported(one: Server, site: Site) -> None:
    await one.text("browser_navigate", session="one", url=site.page("/", PAGE))
    for pid in one.processes("--type=renderer"):
        os.kill(pid, signal.SIGKILL)
    await asyncio.to_thread(eventually, lambda: not one.processes("--type=renderer"), 10)
    told = "page_crashed"
    while told.startswith("page_crashed"):  # the call came before the news of it
        told = text_of(await one.call("browser_extract_content", session="one", selector="h1"))
    assert told.startswith("t1 was reset because its page crashed: what was typed is lost.\n<untrusted")
    assert "Tea room" in told
    assert await one.read("one", selector="h1") == "Tea room"


@pytest.mark.parametrize("mode", [LEGACY])
@pytest.mark.contract("C6")
async def test_c6_the_browser_can_be_turned_off_and_shown_by_settings_that_last(home: Path, mode: str) -> None:
    own = home / "named"
    own.mkdir(exist_ok=True)

    async def rove(*words: str) -> str:
        process = await asyncio.create_subprocess_exec(
            ROVE, *words, env=environment(own), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        return (await process.communicate())[0].decode()

    try:
        await rove("config", "set", "browser_enabled", "false")
        await rove("config", "set", "browser_headless", "false")
        assert (await rove("config", "get", "browser_headless")).strip() == "false"
        async with served(home, mode) as server:
            assert await server.names() == []
        await rove("config", "unset", "browser_enabled")
        without_display = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}
        async with served(home, mode, None, **without_display) as server:
            assert "needs a display" in await server.error(OPENER, name="shown")
            assert await server.names() == [OPENER]
            started = await server.call(OPENER, name="hidden", headless=True)
            assert (started.structured_content or {})["headless"] is True
    finally:
        (own / "config.toml").unlink(missing_ok=True)
