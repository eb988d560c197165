"""A gateway whose sessions are said to run on nodes, which a test plays."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from typing import Any, cast

from tests.cluster.played_nodes import PlayedNodes, PlayedSessions
from tests.gateway.clients import RunningGateway, running_gateway

from rove.cluster.connection.cluster import Cluster
from rove.cluster.placement.placement import Placement
from rove.cluster.placement.relocation import NodeWatch, Relocation
from rove.cluster.placement.state_store import SessionStateStore, StateSaver
from rove.cluster.placement.status import NodeControl
from rove.engine.client_sessions import ClusterControl
from rove.engine.sessions import Sessions
from rove.settings.tree import Settings
from rove.surfaces.gateway.live_view import SessionObserver


class ClusteredSessions(Sessions):
    """Sessions of this process, beside nodes that a test plays."""

    def __init__(self, settings: Settings, observer: SessionObserver) -> None:
        super().__init__(settings, people=observer, watcher=observer)
        self.nodes = PlayedNodes()
        played, cluster = PlayedSessions(), cast(Cluster, self.nodes)
        self.placement = Placement(settings.cluster, settings.limits.idle)
        self.relocation = Relocation(self.placement, played)
        self.saver = StateSaver(SessionStateStore.of(settings), settings.cluster.save_seconds)
        self.watch = NodeWatch(cluster, self.placement, self.relocation, played)
        self.control = NodeControl(cluster, self.relocation, self.saver, settings.cluster.queue)

    @property
    def cluster_control(self) -> ClusterControl:  # type: ignore[override]
        return self.control


@contextlib.asynccontextmanager
async def clustered_gateway(*nodes: str, **settings: Any) -> AsyncGenerator[tuple[RunningGateway, ClusteredSessions]]:
    """Serve a gateway with these nodes."""
    async with running_gateway(make_sessions=ClusteredSessions, browser_enabled=False, **settings) as running:
        sessions = running.gateway.sessions
        assert isinstance(sessions, ClusteredSessions)
        for node in nodes:
            sessions.nodes.add(node)
        sessions.watch.start()
        yield running, sessions
        await sessions.watch.close()
        await sessions.relocation.close()
        await sessions.saver.close()
