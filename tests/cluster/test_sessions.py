"""Sessions of a server on nodes: what is recorded, fetched, approved and restored. The nodes are in the test's loop."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.cluster.gateways import gateway_on, sessions_on
from tests.cluster.loop_nodes import LoopNodes
from tests.login_page import LOGGED_IN, LOGIN_PAGE
from tests.site import OWN_SITES, Site

from rove.action import parse
from rove.cluster.sessions.cluster_sessions import ClusterSessions
from rove.cluster.sessions.remote_session import RemoteSession
from rove.errors import Denied, NodeLost
from rove.outcome import AnyOutcome
from rove.settings.tree import load
from rove.storage.ledger import LedgerFiles
from rove.storage.ledger_verification import verify

POLICY = """[[rule]]
decide = "ask"
action = "click"
"""


@pytest.fixture
async def nodes(tmp_path: Path) -> LoopNodes:
    return LoopNodes(tmp_path, "n1", "n2")


@pytest.fixture
async def sessions(tmp_path: Path, nodes: LoopNodes) -> AsyncGenerator[ClusterSessions]:
    settings = load(home=tmp_path / "home", allow_host=OWN_SITES, deadlines__action=30)
    async with sessions_on(nodes, settings) as made:
        yield made


async def run(session: RemoteSession, action: str, **arguments: Any) -> AnyOutcome:
    return await session.run(parse(action, arguments))


def journal_of(sessions: ClusterSessions, name: str) -> list[dict[str, Any]]:
    files = LedgerFiles(sessions.settings.journal_folder, name)
    assert verify(files).is_whole
    return [json.loads(line) for line in files.current.read_text().splitlines()]


async def log_in(session: RemoteSession, address: str) -> None:
    await run(session, "navigate", url=address)
    await run(session, "wait", text='"user"')
    await run(session, "click", target='button "Log in"')
    await run(session, "wait", text="logged in")


async def found(session: RemoteSession) -> Any:
    await run(session, "wait", text='"user"')
    return (await run(session, "evaluate", expression="found")).result.value


async def until_saved(sessions: ClusterSessions, name: str, words: bytes) -> None:
    while words not in (await sessions.saver.latest(name) or b""):
        await asyncio.sleep(0.05)


async def test_sessions_of_a_lost_node_go_on_elsewhere_as_they_were(
    sessions: ClusterSessions, nodes: LoopNodes, site: Site
) -> None:
    """Also: the journal and the files are at the server, and what was under way says that it may be half done."""
    await sessions.open_session("mine")
    session, workspace = sessions.session("mine"), sessions.settings.workspace_folder
    await log_in(session, site.page("/", LOGIN_PAGE))
    steps = [{"action": "screenshot", "path": "shots/one.png"}, {"action": "evaluate", "expression": "1"}]
    batch = await run(session, "batch", steps=steps)
    picture = workspace / "shots/one.png"
    assert str(picture) in batch.result.parts[0].result.path and picture.read_bytes().startswith(b"\x89PNG")
    last_ref = int((await run(session, "find", role="button")).result.matches[0].ref.removeprefix("e"))
    await until_saved(sessions, "mine", b"secret-token")
    waiting = asyncio.ensure_future(run(session, "wait", seconds=20))
    while not session.running_calls:
        await asyncio.sleep(0.01)
    first = str(sessions.node_of("mine"))
    await nodes.kill(first)
    with pytest.raises(NodeLost):
        await waiting
    outcome = await run(session, "snapshot")
    assert [event.kind for event in outcome.events] == ["session restored"]
    assert await found(session) == LOGGED_IN
    assert int((await run(session, "find", role="button")).result.matches[0].ref.removeprefix("e")) > last_ref
    second = str(sessions.node_of("mine"))
    assert second != first and sessions.sessions()[0]["node"] == second
    lines = journal_of(sessions, "mine")
    assert [line["action"] for line in lines if line["node"] == first][-5:-2] == ["screenshot", "evaluate", "batch"]
    assert [line["outcome"] for line in lines if line["action"] == "wait"][-2:] == ["node_lost", "done"]
    await sessions.close_session("mine")


async def test_people_approve_watch_and_drive_a_session_on_a_node(tmp_path: Path, site: Site) -> None:
    (policy := tmp_path / "policy.toml").write_text(POLICY)
    page = site.page("/", "<title>Shop</title><button onclick='document.title=`paid`'>Pay</button><input id=name>")
    async with gateway_on("n1", policy=policy, allow_host=OWN_SITES) as gateway, gateway.client() as client:
        await client.call("sessions.create", name="shop")
        session = gateway.gateway.sessions.session("shop")
        await session.run(parse("navigate", {"url": page}))
        click = parse("click", {"target": 'button "Pay"'})
        clicking = asyncio.ensure_future(session.run(click, channel=gateway.gateway.approvals))
        asked = await client.event("exec.approval_request")
        assert asked["picture"]["data"] and asked["elements"][0]["box"]["width"] > 0
        await client.call("exec.approve", approvalId=asked["approvalId"])
        await clicking
        with pytest.raises(Denied):
            await session.run(click)
        await client.call("live.start", sessionKey="shop")
        frame = await client.event("live.frame", sessionKey="shop")
        await client.call("live.ack", sessionKey="shop", frameId=frame["frameId"])
        assert (await client.call("live.take", sessionKey="shop"))["driver"]["who"] == "person"
        box = await session.element_box((await session.locate("#name"))[0])
        for kind in ("mouseDown", "mouseUp"):
            await client.call("live.input", sessionKey="shop", type=kind, x=box["x"] + 3, y=box["y"] + 3)
        await client.call("live.input", sessionKey="shop", type="text", text="Ann Example")
        assert (await client.call("live.release", sessionKey="shop"))["driver"]["who"] == "agent"
        outcome = await session.run(parse("evaluate", {"expression": "document.querySelector('#name').value.length"}))
        assert outcome.result.value == len("Ann Example")
        facts = (await client.call("sessions.list"))["sessions"][0]
        assert facts["node"] == "n1" and (await client.event("step.ended", sessionKey="shop"))["node"] == "n1"
        assert b'rove_node_sessions{node="n1"} 1.0' in gateway.gateway.metrics.text()


@pytest.mark.slow
async def test_files_are_sent_to_the_node_that_reads_them_and_fetched_from_the_one_that_writes_them(
    sessions: ClusterSessions, site: Site
) -> None:
    site.file("/report.csv", b"a,b", "text/csv", {"Content-Disposition": "attachment; filename=report.csv"})
    page = site.page("/", "<input type=file id=f><a href='/report.csv'>Get</a>")
    workspace = sessions.settings.workspace_folder
    (workspace / "notes").mkdir(parents=True)
    (workspace / "notes/mine.txt").write_text("from the server")
    for name in ("one", "two"):
        await sessions.open_session(name)
        session = sessions.session(name)
        await run(session, "navigate", url=page)
        await run(session, "upload", target="#f", paths=[str(workspace / "notes/mine.txt")])
        read = "document.querySelector('#f').files[0].text()"
        assert (await run(session, "evaluate", expression=read)).result.value == "from the server"
        await run(session, "click", target='link "Get"')
        (listed,) = (await run(session, "downloads")).result.files
        assert Path(listed.path).parent == workspace / "downloads"
        assert Path(listed.path).read_bytes() == b"a,b"
    assert len(list((workspace / "downloads").iterdir())) == 2
    assert {sessions.node_of("one"), sessions.node_of("two")} == {"n1", "n2"}


@pytest.mark.slow
async def test_actions_open_list_and_close_sessions_on_any_node_and_states_are_kept_at_the_server(
    sessions: ClusterSessions, site: Site
) -> None:
    address = site.page("/", LOGIN_PAGE)
    default = sessions.owned_by("anna", "anna-default").session(None)
    assert default.describe()["tabs"] == [] and not default.has_slot
    opened = await run(default, "open_session", name="shop", state="shop", save_on_close=True)
    assert opened.result.is_new
    shop = sessions.session("shop")
    assert shop.owner == "anna"
    await log_in(shop, address)
    listed = (await run(default, "status")).result.sessions
    assert {known["session"] for known in listed} == {"anna-default", "shop"}
    assert (await run(shop, "save_state", name="copy")).result.state.name == "copy"
    await run(default, "close_session", name="shop")
    await run(default, "open_session", name="again", state="shop")
    again = sessions.session("again")
    await run(again, "navigate", url=address)
    assert await found(again) == LOGGED_IN
    await run(again, "close_session")
    assert {known["session"] for known in sessions.sessions()} == {"anna-default"}


@pytest.mark.slow
async def test_a_session_moves_between_two_calls_and_stays_held(sessions: ClusterSessions, site: Site) -> None:
    await sessions.open_session("mine")
    session = sessions.session("mine")
    await log_in(session, site.page("/", LOGIN_PAGE))
    first = str(sessions.node_of("mine"))
    await session.control.pause("Ann")
    sessions.relocation.drain(first)
    while sessions.node_of("mine") in (first, None):
        await asyncio.sleep(0.05)
    assert session.control.state.is_paused
    waiting = asyncio.ensure_future(run(session, "snapshot"))
    await asyncio.wait({waiting}, timeout=0.5)
    assert not waiting.done()
    await session.control.resume("Ann")
    outcome = await waiting
    assert "moved to another machine" in outcome.events[0].advice
    assert await found(session) == LOGGED_IN
    assert next(line["event"] for line in journal_of(sessions, "mine") if line["kind"] == "driver") == "paused"


@pytest.mark.slow
async def test_secrets_are_typed_on_the_node_and_told_nowhere(tmp_path: Path, nodes: LoopNodes, site: Site) -> None:
    origin = site.url("/").rstrip("/")
    home = tmp_path / "home"
    home.mkdir()
    (home / "secrets.toml").write_text(f'[shop]\norigins = ["{origin}"]\nvalue = "correct horse"\n')
    (home / "secrets.toml").chmod(0o600)
    async with sessions_on(nodes, load(home=home, allow_host=OWN_SITES, deadlines__action=30)) as sessions:
        await sessions.open_session("mine")
        session = sessions.session("mine")
        await run(session, "navigate", url=site.page("/", "<input type=password id=p>"))
        await run(session, "fill", target="#p", value="secret:shop")
        shown = await run(session, "evaluate", expression="document.querySelector('#p').value")
        assert "correct horse" not in str(shown.result) and "shop" in str(shown.result)
    kept = [path for folder in tmp_path.iterdir() for path in folder.rglob("*") if path.is_file()]
    assert not [path for path in kept if b"correct horse" in path.read_bytes() and path.name != "secrets.toml"]
