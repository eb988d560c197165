"""A gateway whose sessions are said to run on nodes, which a test plays."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from typing import Any, cast

from tests.cluster.played_nodes import PlayedNodes, PlayedSessions
from tests.gateway.clients import RunningGateway, running_gateway

from rove.cluster.connection.cluster import Cluster
from rove.cluster.placement.cluster_placement import ClusterPlacement
from rove.engine.sessions.cluster_control import ClusterControl
from rove.engine.sessions.sessions import Sessions
from rove.errors import NotOpen
from rove.settings.tree import Settings
from rove.surfaces.gateway.live.observer import SessionObserver


class ClusteredSessions(Sessions):
    """Sessions of this process, beside nodes that a test plays."""

    def __init__(self, settings: Settings, observer: SessionObserver) -> None:
        super().__init__(settings, people=observer, watcher=observer)
        self.nodes = PlayedNodes()
        self.placed = ClusterPlacement(cast(Cluster, self.nodes), settings, PlayedSessions())

    @property
    def cluster(self) -> ClusterControl:  # type: ignore[override]
        return self.placed


@contextlib.asynccontextmanager
async def clustered_gateway(*nodes: str, **settings: Any) -> AsyncGenerator[tuple[RunningGateway, ClusteredSessions]]:
    """Serve a gateway with these nodes."""
    async with running_gateway(make_sessions=ClusteredSessions, browser_enabled=False, **settings) as running:
        sessions = running.gateway.sessions
        assert isinstance(sessions, ClusteredSessions)
        for node in nodes:
            sessions.nodes.add(node)
        sessions.placed.start()
        yield running, sessions
        await sessions.placed.close(NotOpen("The test is over."))
