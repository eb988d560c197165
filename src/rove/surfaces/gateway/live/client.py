"""A client, as live views and methods see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from rove.surfaces.gateway.tokens import Token


class Client(Protocol):
    """The connection that a request came from."""

    token: Token

    async def send_event(self, event: str, data: dict[str, Any]) -> None:
        """Send an event to this client alone."""
        ...

    def on_close(self, callback: Callable[[], None]) -> None:
        """Call `callback` when the client has gone."""

    @property
    def person(self) -> str:
        """The name under which what this client's user does is recorded."""
        ...
