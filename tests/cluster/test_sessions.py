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
from rove.cluster.sessions.server.cluster_sessions import ClusterSessions
from rove.cluster.sessions.server.remote_session import RemoteSession
from rove.errors import Denied, NodeLost
from rove.ledger.files import LedgerFiles
from rove.ledger.verification import verify
from rove.outcome import AnyOutcome
from rove.settings.tree import load

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
    async with gateway_on("n1", policy=policy, allow_host=OWN_SITES) as (gateway, _), gateway.client() as client:
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
