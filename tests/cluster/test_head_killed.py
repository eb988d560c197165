"""The head of a cluster is killed while sessions are open: calls end with an error, and sessions come back with it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.cluster.ray_nodes import RayNodes
from tests.cluster.test_sessions_on_ray import log_in, run
from tests.login_page import LOGGED_IN, LOGIN_PAGE
from tests.site import OWN_SITES, Site

from rove.cluster.connection.cluster import Cluster
from rove.cluster.connection.options import ClusterOptions
from rove.cluster.sessions.server.cluster_sessions import ClusterSessions
from rove.cluster.sessions.server.remote_session import READY_SECONDS, RemoteSession
from rove.errors import BrowserUnavailable, NodeLost, RoveError
from rove.settings.tree import load
from rove.validation.record import dataclass

log = logging.getLogger(__name__)
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
NAMES = [f"agent-{number}" for number in range(4)]
ANSWERS_WITHIN = 30.0
# A call waits for a node, and is then told that there is none. On a busy machine a little later.
ENDS_WITHIN = READY_SECONDS + 15


@dataclass(frozen=True)
class Call:
    began: float
    seconds: float
    error: RoveError | None


@pytest.fixture(params=[0, 1], ids=["head without sessions", "head with sessions"])
def ray_nodes(request: pytest.FixtureRequest) -> Generator[RayNodes]:
    nodes = RayNodes(3, cpus=1, head_cpus=request.param)
    yield nodes
    nodes.close()


async def call_until(stop: asyncio.Event, session: RemoteSession, calls: list[Call]) -> None:
    """Call a session again and again, and note how each call ends."""
    while not stop.is_set():
        began, failed = time.monotonic(), None
        try:
            await run(session, "evaluate", expression="1")
        except RoveError as error:
            failed = error
        calls.append(Call(began, time.monotonic() - began, failed))
        if failed is not None:
            log.info("%s after %.1f s: %s %s (%s)", session.name, calls[-1].seconds, failed.code, failed.message, failed.hint)
        await asyncio.sleep(0.2)


async def answered_after(session: RemoteSession, began: float) -> float:
    """Return the seconds after which a session shows its page again, logged in."""
    while True:
        try:
            await run(session, "wait", text='"user"')
            assert (await run(session, "evaluate", expression="found")).result.value == LOGGED_IN
            return time.monotonic() - began
        except (NodeLost, BrowserUnavailable) as error:
            log.info("%s: %s", session.name, error.message)
            await asyncio.sleep(0.1)


async def test_sessions_come_back_with_the_head_and_calls_end_meanwhile(
    ray_nodes: RayNodes, site: Site, tmp_path: Path
) -> None:
    settings = load(home=tmp_path / "home", allow_host=OWN_SITES, deadlines__action=60, headless=True)
    cluster = Cluster(ClusterOptions(ray_nodes.address, head_seconds=None))
    address = site.page("/", LOGIN_PAGE)
    async with ClusterSessions(settings, cluster) as sessions:
        for name in NAMES:
            await log_in(sessions, name, address)
        log.info("placed: %s", {name: sessions.node_of(name) for name in NAMES})
        stop, calls = asyncio.Event(), {name: list[Call]() for name in NAMES}
        calling = [asyncio.ensure_future(call_until(stop, sessions.session(name), calls[name])) for name in NAMES]
        killed = time.monotonic()
        ray_nodes.head.kill()
        log.info("killed")
        while cluster.is_connected:
            await cluster.wait_for_change()
        log.info("connection ended after %.1f s", time.monotonic() - killed)
        for name in NAMES:
            seen = len(calls[name])
            while not any(call.error for call in calls[name][seen:]):
                await asyncio.sleep(0.1)
        log.info("all had errors after %.1f s", time.monotonic() - killed)
        began = time.monotonic()
        try:
            await sessions.open_session("new")
        except RoveError as error:
            log.info("new after %.1f: %s %s %s", time.monotonic() - began, error.code, error.message, error.hint)
        for node in ray_nodes.others:
            await asyncio.to_thread(node.kill)
        await asyncio.to_thread(ray_nodes.start_head)
        ray_nodes.others = [ray_nodes.start_node("n2"), ray_nodes.start_node("n3")]
        for node in ray_nodes.others:
            await asyncio.to_thread(node.wait_started)
        back = time.monotonic()
        log.info("cluster back after %.1f s", back - killed)
        stop.set()
        seconds = await asyncio.gather(*(answered_after(sessions.session(name), back) for name in NAMES))
        await asyncio.gather(*calling)
        log.info("answered again after %s", seconds)
    assert max(seconds) < ANSWERS_WITHIN
    for call in [call for each in calls.values() for call in each]:
        assert call.seconds < ENDS_WITHIN
        if call.error is not None:
            assert isinstance(call.error, NodeLost | BrowserUnavailable)
            assert call.error.hint
