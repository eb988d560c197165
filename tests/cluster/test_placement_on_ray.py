"""Placement on a real Ray cluster: sessions are spread, a node is drained under load, a full cluster refuses."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Generator
from pathlib import Path
from typing import Any

import pytest
from tests.cluster.ray_nodes import RayNodes
from tests.login_page import LOGGED_IN, LOGIN_PAGE
from tests.site import OWN_SITES, Site

from rove.action import parse
from rove.cluster.connection.cluster import Cluster
from rove.cluster.connection.options import ClusterOptions
from rove.cluster.sessions.cluster_sessions import ClusterSessions
from rove.engine.session_interface import ServedSession
from rove.errors import LimitReached
from rove.outcome import AnyOutcome
from rove.settings.tree import load

log = logging.getLogger(__name__)
pytestmark = pytest.mark.slow
SESSIONS = 9
PATIENCE = 120.0


@pytest.fixture(scope="module")
def ray_nodes() -> Generator[RayNodes]:
    nodes = RayNodes(4, cpus=1, head_cpus=0)
    yield nodes
    nodes.close()


@pytest.fixture
async def sessions(tmp_path: Path, ray_nodes: RayNodes) -> AsyncGenerator[ClusterSessions]:
    settings = load(
        home=tmp_path / "home",
        allow_host=OWN_SITES,
        deadlines__action=60,
        cluster__sessions_per_node=5,
        cluster__queue=0,
    )
    async with ClusterSessions(settings, Cluster(ClusterOptions(ray_nodes.address))) as made:
        yield made


async def run(session: ServedSession, action: str, **arguments: Any) -> AnyOutcome:
    return await session.run(parse(action, arguments))


async def log_in(sessions: ClusterSessions, name: str, address: str) -> None:
    await sessions.open_session(name)
    session = sessions.session(name)
    await run(session, "navigate", url=address)
    await run(session, "wait", text='"user"')
    await run(session, "click", target='button "Log in"')
    await run(session, "wait", text="logged in")


async def test_a_node_is_drained_under_load_and_a_full_cluster_refuses(sessions: ClusterSessions, site: Site) -> None:
    address = site.page("/", LOGIN_PAGE)
    names = [f"agent-{number}" for number in range(SESSIONS)]
    for start in range(0, SESSIONS, 3):
        await asyncio.gather(*(log_in(sessions, name, address) for name in names[start : start + 3]))
    control = sessions.cluster_control
    counts = {node["id"]: node["sessions"] for node in control.status()["nodes"]}
    assert sorted(counts.values()) == [3, 3, 3]
    node = next(iter(counts))
    here = sessions.placement.sessions_on(node)
    # A call that runs is not broken off: its session is moved when it has ended.
    began = time.monotonic()
    long_call = "new Promise((done) => setTimeout(() => done('whole'), 4000))"
    busy = asyncio.ensure_future(run(sessions.session(here[0]), "evaluate", expression=long_call))
    while not sessions.session(here[0]).running_calls:
        await asyncio.sleep(0)
    assert control.drain(node)["state"] == "draining"
    assert (await busy).result.value == "whole"
    async with asyncio.timeout(PATIENCE):
        while next(each for each in control.status()["nodes"] if each["id"] == node)["state"] != "drained":
            await asyncio.sleep(0.05)
    log.info("%d sessions were moved away in %.1f s", len(here), time.monotonic() - began)
    for name in here:
        assert sessions.node_of(name) not in (None, node)
        await run(sessions.session(name), "wait", text='"user"')
        assert (await run(sessions.session(name), "evaluate", expression="found")).result.value == LOGGED_IN
    await sessions.open_session("new")
    assert sessions.node_of("new") != node
    with pytest.raises(LimitReached) as refused:
        await sessions.open_session("one too many")
    assert refused.value.retry_after is not None
    store = Path(control.status()["store"]["address"])
    assert list(store.rglob("*.state"))
    for name in (*names, "new"):
        await sessions.close_session(name)
    async with asyncio.timeout(PATIENCE):
        while list(store.rglob("*.state")):
            await asyncio.sleep(0.05)
    assert control.status()["sessions"] == 0


def test_doctor_checks_every_node(ray_nodes: RayNodes, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "rove", "doctor", "--cluster", ray_nodes.address, "--home", str(tmp_path / "home")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("a browser starts there") == 3
    assert done.stdout.count("room for") == 3
