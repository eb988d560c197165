"""The sessions of `rove serve --cluster`."""

from __future__ import annotations

from rove.cluster.connection.cluster import Cluster
from rove.cluster.connection.options import ClusterOptions
from rove.cluster.sessions.server.cluster_sessions import ClusterSessions
from rove.engine.people.handoffs import People
from rove.engine.watcher import StepWatcher
from rove.guard.policy.approval import Approver
from rove.settings.tree import Settings


def sessions_on(
    address: str, settings: Settings, approver: Approver | None, watcher: StepWatcher, people: People
) -> ClusterSessions:
    """Return sessions on the nodes of a cluster, to which it connects when they are entered."""
    options = ClusterOptions(
        address,
        connect_seconds=settings.cluster.head_seconds,
        head_seconds=None,  # a server waits for its head for as long as it takes
        lease_seconds=settings.cluster.lease,
    )
    return ClusterSessions(settings, Cluster(options), approver, watcher=watcher, people=people)
