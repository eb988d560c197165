"""What failover and draining need of the sessions of a cluster."""

from __future__ import annotations

from typing import Protocol


class MovableSessions(Protocol):
    """The sessions of the server, each open on one node."""

    def last_used(self, session: str, /) -> float:
        """Return when a client last called the session, by the monotonic clock; those called last are moved first."""
        ...

    async def open_again(self, session: str, node: str, /) -> None:
        """Open a session whose node is lost on another node, as it was saved last, and tell its client what was lost.

        Raises RoveError if that fails; another node is tried then.
        """
        ...

    async def move(self, session: str, node: str, /) -> None:
        """Move an open session to another node: save it, open it there, close it here. Wait for calls that run.

        Calls that come meanwhile wait. Raises RoveError if it fails; the session stays where it is then.
        """
        ...

    def cannot_open(self, session: str, reason: str, /) -> None:
        """Note that a session of a lost node could be opened on no other, so that its calls fail with that reason."""
        ...

    async def close_strays(self, node: str, /) -> None:
        """Close what a node still has of sessions that were opened elsewhere while it was not heard of."""
