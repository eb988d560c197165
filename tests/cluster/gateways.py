"""Gateways whose sessions run on nodes in the loop of the test."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, cast

from tests.cluster.loop_nodes import LoopNodes
from tests.gateway.clients import RunningGateway, running_gateway

from rove.cluster.connection.cluster import Cluster
from rove.cluster.sessions.cluster_sessions import ClusterSessions
from rove.engine.client_sessions import ServedSessions
from rove.settings.tree import Settings
from rove.surfaces.approvers import appointed
from rove.surfaces.gateway.gateway import MakeSessions
from rove.surfaces.gateway.live_view import SessionObserver


def sessions_on(nodes: LoopNodes, settings: Settings, observer: SessionObserver | None = None) -> ClusterSessions:
    cluster = cast("Cluster", nodes)
    return ClusterSessions(settings, cluster, appointed(settings), watcher=observer, people=observer)


def maker_on(*names: str) -> MakeSessions:
    """Return what makes the sessions of a gateway, on as many nodes as are named."""
    nodes = LoopNodes(Path(tempfile.mkdtemp(prefix="rv")), *names)

    def make(settings: Settings, observer: SessionObserver) -> ServedSessions:
        return sessions_on(nodes, settings, observer)

    return make


@contextlib.asynccontextmanager
async def gateway_on(*names: str, **settings: Any) -> AsyncGenerator[RunningGateway]:
    """Serve a gateway whose sessions are on as many nodes as are named."""
    async with running_gateway(make_sessions=maker_on(*names), **settings) as running:
        yield running
