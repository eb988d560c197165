"""Tools: list them, call one by hand."""

from __future__ import annotations

from typing import Any

from rove.engine.served.owned_sessions import DEFAULT
from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.methods.method import Client, Method, arg, method
from rove.surfaces.gateway.tokens import Scope


@method("tools.list", Scope.VIEW, "{tools: [{name, description, inputSchema, asks}]}")
class ListTools(Method):
    """List the tools that can be called, with the JSON schema of their arguments."""

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        return {"tools": gateway.tools.describe() if gateway.tools.are_for(client.token) else []}


@method("tools.call", Scope.ACT, "{ok, text, attachments, structured}")
class CallTool(Method):
    """Call a tool without a model. It takes the same way as a model's call: approval, policy, record."""

    name: str = arg("The tool.")
    arguments: dict[str, Any] = arg("Its arguments.", default=None)
    session_key: str = arg("The session to call it in.", default=DEFAULT)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        gateway.tools.refuse(client.token)
        result = await gateway.tools.call(self.name, self.arguments or {}, self.session_key, run=None)
        return result.as_data()
