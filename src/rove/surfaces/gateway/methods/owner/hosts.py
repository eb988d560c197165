"""Hosts that the guard refuses, opened by the owner."""

from __future__ import annotations

from typing import Any

from rove.errors import InvalidArguments, InvalidSettings
from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.methods.method import Client, Method, arg, method
from rove.surfaces.gateway.tokens import Scope


@method("hosts.allow", Scope.OWN, returns="{sessions: [sessionKey]}", reach="server")
class AllowHost(Method):
    """Let a session reach a host that is not public, until it is closed. Metadata services and rove stay closed."""

    host: str = arg("Such as localhost:3000, *.corp.example or 10.0.0.5.", max_length=300)
    session_key: str | None = arg("The session; all that are open if not given.", default=None)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        opened = [known["session"] for known in gateway.sessions.sessions()]
        names = [self.session_key] if self.session_key is not None else opened
        for name in names:
            session = gateway.sessions.session(name)
            try:
                await session.allow_host(self.host)
            except InvalidSettings as error:
                raise InvalidArguments(f"`host`: {error.message}", hint=error.hint) from error
            await session.journal.record("guard", {"event": "allowed", "host": self.host, "person": client.person})
        return {"sessions": names}
