"""Hosts: let a session reach one that the guard refuses."""

from __future__ import annotations

from typing import Any

from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.methods.method import Client, Method, arg, method
from rove.surfaces.gateway.tokens import Scope


@method("hosts.allow", Scope.OWN)
class AllowHost(Method):
    """Let a session reach a host from now on, until it is closed. Metadata services and denied hosts stay closed."""

    session_key: str = arg("The session.")
    host: str = arg("Host and port, such as localhost:3000.", min_length=1, max_length=300)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        session = gateway.sessions.session(self.session_key)
        session.network.allow(self.host)
        await session.journal.record("guard", {"event": "allowed", "host": self.host, "person": client.person})
        return {}
