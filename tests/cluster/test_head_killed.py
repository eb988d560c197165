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
from rove.cluster.sessions.cluster_sessions import ClusterSessions
from rove.cluster.sessions.remote_session import READY_SECONDS, RemoteSession
from rove.errors import BrowserUnavailable, LimitReached, NodeLost, RoveError
from rove.records import dataclass
from rove.settings.tree import load

log = logging.getLogger(__name__)
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
NAMES = [f"agent-{number}" for number in range(4)]
ANSWERS_WITHIN = 30.0
# A call waits for a node, and is then told that there is none. On a busy machine a little later.
ENDS_WITHIN = READY_SECONDS + 15


@dataclass(frozen=True)
class Call:
    """How long a call took, and how it ended."""

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
        began = time.monotonic()
        failed: RoveError | None = None
        try:
            await run(session, "evaluate", expression="1")
        except (NodeLost, BrowserUnavailable) as error:
            assert error.hint
            failed = error
        calls.append(Call(time.monotonic() - began, failed))
        await asyncio.sleep(0.2)


async def answered_after(session: RemoteSession, began: float) -> float:
    """Return the seconds after which a session shows its page again, logged in."""
    while True:
        try:
            await run(session, "wait", text='"user"')
            assert (await run(session, "evaluate", expression="found")).result.value == LOGGED_IN
            return time.monotonic() - began
        except (NodeLost, BrowserUnavailable):
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
        stop, calls = asyncio.Event(), {name: list[Call]() for name in NAMES}
        calling = [asyncio.ensure_future(call_until(stop, sessions.session(name), calls[name])) for name in NAMES]
        await lose_head(ray_nodes, cluster)
        await asyncio.gather(*(told_why(calls[name]) for name in NAMES))
        with pytest.raises(LimitReached, match="No node of the cluster answers") as refused:
            await sessions.open_session("new")
        assert refused.value.retry_after
        await asyncio.to_thread(start_again, ray_nodes)
        back = time.monotonic()
        stop.set()
        seconds = await asyncio.gather(*(answered_after(sessions.session(name), back) for name in NAMES))
        await asyncio.gather(*calling)
        log.info("sessions answered %.1f to %.1f s after the cluster was back", min(seconds), max(seconds))
    assert max(seconds) < ANSWERS_WITHIN
    assert all(call.seconds < ENDS_WITHIN for each in calls.values() for call in each)


async def lose_head(ray_nodes: RayNodes, cluster: Cluster) -> None:
    """Kill the head, and wait until Ray has ended the connection: nodes go on for a minute."""
    killed = time.monotonic()
    ray_nodes.head.kill()
    while cluster.is_connected:
        await cluster.wait_for_change()
    log.info("the connection ended %.1f s after the head was killed", time.monotonic() - killed)


async def told_why(calls: list[Call]) -> None:
    """Wait until a call was told that the head is away."""
    known = len(calls)
    while True:
        for call in calls[known:]:
            if isinstance(call.error, BrowserUnavailable):
                assert "the head of the cluster does not answer" in call.error.message
                assert call.error.hint and call.error.retry_after
                return
        await asyncio.sleep(0.1)


def start_again(ray_nodes: RayNodes) -> None:
    """Start the head, and the nodes as their supervisors would: a head without its memory does not take them."""
    for node in ray_nodes.others:
        node.kill()
    ray_nodes.start_head()
    ray_nodes.others = [ray_nodes.start_node("n2"), ray_nodes.start_node("n3")]
    for node in ray_nodes.others:
        node.wait_started()
