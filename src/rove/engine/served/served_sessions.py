"""All sessions of a server of many clients, whether they run in the same process or on the nodes of a cluster."""

from __future__ import annotations

from typing import Any, Protocol, Self

from rove.engine.served.cluster_control import ClusterControl
from rove.engine.served.owned_sessions import OwnableSessions, OwnedSessions
from rove.engine.served.served_session import ServedSession
from rove.engine.session_changes import SessionChanges


class ServedSessions(OwnableSessions[ServedSession], Protocol):
    """What a surface uses. `engine.sessions.sessions.Sessions` has the sessions of this process."""

    @property
    def changes(self) -> SessionChanges: ...
    @property
    def cluster_control(self) -> ClusterControl | None:
        """The nodes that sessions run on; None where they run in this process."""
        ...

    async def __aenter__(self) -> Self: ...
    async def close(self) -> None: ...
    def protect_port(self, address: str, port: int, /) -> None:
        """Let no page and no agent reach a port that the server listens on, whatever hosts are allowed."""

    def owned_by(self, owner: str | None, default: str | None = None, /) -> OwnedSessions[ServedSession]:
        """Return the sessions of one owner. `default`: the one that it need not open, instead of `default`."""
        ...

    def sessions(self) -> list[dict[str, Any]]:
        """Return the facts that are listed of each open session."""
        ...
