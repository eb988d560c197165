"""Tokens: make one for another person or program, list, revoke."""

from __future__ import annotations

from typing import Any

from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.methods.method import Client, Method, arg, method
from rove.surfaces.gateway.tokens import Scope, scopes_from

MAX_SECONDS = 366 * 24 * 3600


@method("tokens.create", Scope.OWN, returns="{token, link, id, expires}", reach="server")
class CreateToken(Method):
    """Make a token for another person or program. It is shown this once; only its hash is kept."""

    scopes: tuple[str, ...] = arg(
        "What it allows: some of view, act, approve, view:all, approve:all, own.", default=("view",)
    )
    expires_in: float | None = arg("Seconds until it expires.", default=3600.0, gt=0, le=MAX_SECONDS)
    label: str = arg("A name for it, which decisions made with it are recorded under.", default="", max_length=100)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        text, token = gateway.tokens.create(scopes_from(self.scopes), self.expires_in, self.label)
        return {"token": text, "link": gateway.link(text), "id": token.id, "expires": token.expires}


@method("tokens.list", Scope.OWN, returns="{tokens: [{id, label, scopes, created, expires}]}", reach="server")
class ListTokens(Method):
    """List the tokens that are valid, besides the owner's."""

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        return {"tokens": [token.describe() for token in gateway.tokens.valid]}


@method("tokens.revoke", Scope.OWN, reach="server")
class RevokeToken(Method):
    """End a token at once, also for clients that are connected with it."""

    id: str = arg("The token's id, as tokens.list shows it.")

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        gateway.tokens.revoke(self.id)
        await gateway.end_token(self.id)
        return {}
