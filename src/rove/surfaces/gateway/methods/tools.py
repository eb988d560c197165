"""Tools: list them, call one by hand."""

from __future__ import annotations

from typing import Any

from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.methods.method import Client, Method, arg, method
from rove.surfaces.gateway.tokens import Scope


@method("tools.list", Scope.VIEW, returns="{tools: [{name, description, inputSchema, asks}]}", reach="server")
class ListTools(Method):
    """List the tools that can be called, with the JSON schema of their arguments."""

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        return {"tools": gateway.tools.describe(client.token)}


@method("tools.call", Scope.ACT, returns="{ok, text, attachments, structured}")
class CallTool(Method):
    """Call a tool without a model. It takes the same way as a model's call: approval, policy, record."""

    name: str = arg("The tool.")
    arguments: dict[str, Any] | None = arg("Its arguments.", default=None)
    session_key: str | None = arg("The session to call it in; by default one that need not be opened.", default=None)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        gateway.tools.refuse(client.token)
        session = gateway.session_of(client.token.owner, self.session_key)
        result = await gateway.tools.call(self.name, self.arguments or {}, session.name, run=None)
        return result.as_data()
