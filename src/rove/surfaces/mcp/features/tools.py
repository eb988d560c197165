"""Tools: their list, and calls of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from rove.action import Effect
from rove.surfaces.mcp.calls import Calls
from rove.surfaces.mcp.exchange import Exchange
from rove.surfaces.mcp.messages import INVALID_PARAMS, Message, ProtocolError
from rove.surfaces.mcp.pending_approvals import InvalidState
from rove.surfaces.mcp.server import TOOLS_STAY_VALID_MS, Handler
from rove.toolsets.catalogue import PREFIX, group_of
from rove.toolsets.tool import Tool
from rove.toolsets.toolset import Toolset
from rove.validation.spelling import nearest

# Tells clients of revision 2026-07-28 to send this argument as the header `Mcp-Param-Session` as well.
SESSION_HEADER = {"x-mcp-header": "Session"}

OWNER_ONLY = "forbidden: These tools are for the owner alone. Use a token with the scope `own`."


class ToolsFeature:
    """The tools of a toolset.

    `has_headers`: whether the transport has headers, by which a balancer can route a call to its session.
    """

    def __init__(self, tools: Toolset, calls: Calls, *, has_headers: bool = False) -> None:
        self._tools = tools
        self._calls = calls
        self._has_headers = has_headers

    @property
    def capabilities(self) -> Message:
        return {"tools": {"listChanged": True} if self._tools.follows_sessions else {}}

    @property
    def methods(self) -> Mapping[str, Handler]:
        return {"tools/list": self._list, "tools/call": self._call}

    async def close(self) -> None:
        await self._calls.close()

    def input_schema(self, name: str) -> Mapping[str, Any]:
        """Return the schema of a tool as clients of a stateless revision see it; an empty one if there is none."""
        return described(self._tools[name], self._has_headers)["inputSchema"] if name in self._tools else {}

    async def _list(self, exchange: Exchange) -> Message:
        is_allowed = self._is_allowed(exchange)
        shown = [tool for tool in self._tools.values() if is_allowed and self._calls.offers(tool, exchange.client)]
        tools = [described(tool, self._has_headers and exchange.is_stateless) for tool in shown]
        return {"tools": tools, **(self._lasting if exchange.is_stateless else {})}

    def _is_allowed(self, exchange: Exchange) -> bool:
        """Whether the client may use these tools: some toolsets are for the owner alone."""
        return self._tools.access == "all" or exchange.client.owner is None

    @property
    def _lasting(self) -> Message:
        """For how long a list is valid, and for whom."""
        if self._tools.follows_sessions or self._tools.access == "owner":
            return {"ttlMs": 0, "cacheScope": "private"}
        return {"ttlMs": TOOLS_STAY_VALID_MS, "cacheScope": "public"}

    async def _call(self, exchange: Exchange) -> Message:
        name, arguments = exchange.params.get("name"), exchange.params.get("arguments") or {}
        if not isinstance(name, str) or name not in self._tools:
            raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {name}" + self._other_than(str(name)))
        if not self._is_allowed(exchange):
            raise ProtocolError(INVALID_PARAMS, OWNER_ONLY)
        if not self._calls.offers(self._tools[name], exchange.client):
            raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {name}. {self._until_session()}")
        if not isinstance(arguments, dict):
            raise ProtocolError(INVALID_PARAMS, "arguments must be an object")
        try:
            return await self._calls.call(self._tools[name], cast(Message, arguments), exchange)
        except InvalidState:
            message = "requestState belongs to another call, was used or has expired: call again without it"
            raise ProtocolError(INVALID_PARAMS, message) from None

    def _until_session(self) -> str:
        """Say which tool has to be called before the others are there."""
        opener = next((name for name, tool in self._tools.items() if not tool.needs_session), "a tool that opens one")
        return f"It is there only while a session is open: open one with {opener} first."

    def _other_than(self, name: str) -> str:
        """Return a hint for an unknown tool: the flag that shows it, or the nearest name."""
        if group := group_of(name):
            verb = name.removeprefix(PREFIX)
            return f". It is a tool only when rove is started with `--with {group}`; {PREFIX}batch has it as {verb!r}."
        # All names begin alike, which would make any of them seem near.
        verbs = {tool.removeprefix(PREFIX): tool for tool in self._tools}
        near = nearest(name.lower().removeprefix(PREFIX), verbs)
        return f". Did you mean {verbs[near]}?" if near else ""


def described(tool: Tool, has_headers: bool = False) -> Message:
    """Return a tool as clients are told of it."""
    schema = _with_header(tool.schema) if has_headers else tool.schema
    shown = {"name": tool.name, "description": tool.description, "inputSchema": schema}
    return {**shown, "annotations": _annotations(tool)}


def _annotations(tool: Tool) -> Message:
    """Return hints for the client's own rules; models are not sent them."""
    reads = tool.effect is Effect.READ
    destroys = {} if reads else {"destructiveHint": tool.effect in (Effect.ACT, Effect.SCRIPT)}
    return {"readOnlyHint": reads, "openWorldHint": True, **destroys}


def _with_header(schema: Mapping[str, Any]) -> Message:
    """Return a schema whose `session` is marked to be sent as a header too."""
    properties = schema["properties"]
    if "session" not in properties:
        return dict(schema)
    return {**schema, "properties": {**properties, "session": {**properties["session"], **SESSION_HEADER}}}
