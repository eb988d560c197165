"""The server that the official conformance suite is run against: rove's own classes with the suite's features."""

from __future__ import annotations

import json
from collections.abc import Mapping

from starlette.types import ASGIApp, Receive, Scope, Send
from tests.surfaces.mcp_http.conformance_tools import (
    PNG,
    STRING,
    FixtureTools,
    ask,
    cached,
    require,
    resource,
    responses,
    schema_of,
)
from tests.surfaces.mcp_http.serving import Holder, KnownTokens

from rove.surfaces.mcp.http_access import Places
from rove.surfaces.mcp.http_endpoint import Limits, McpEndpoint
from rove.surfaces.mcp.messages import INVALID_PARAMS, Message, ProtocolError
from rove.surfaces.mcp.protocol import Handler, McpServer
from rove.surfaces.mcp.request import Exchange

TOKEN = "conformance"
TEMPLATE = "test://template/{id}/data"
STATIC: dict[str, Message] = {
    "test://static-text": {"mimeType": "text/plain", "text": "This is the content of the static text resource."},
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
    "test://watched-resource": {"mimeType": "text/plain", "text": "Watched."},
}
PROMPTS: dict[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}


class FixtureResources:
    """The suite's resources."""

    @property
    def capabilities(self) -> Message:
        return {"resources": {}}

    @property
    def methods(self) -> Mapping[str, Handler]:
        return {
            "resources/list": self._list,
            "resources/templates/list": self._list_templates,
            "resources/read": self._read,
            "resources/subscribe": _nothing,
            "resources/unsubscribe": _nothing,
        }

    async def close(self) -> None:
        pass

    async def _list(self, exchange: Exchange) -> Message:
        listed = [
            {
                "uri": uri,
                "name": uri.removeprefix("test://"),
                "description": "Tests resources.",
                "mimeType": kept["mimeType"],
            }
            for uri, kept in STATIC.items()
        ]
        return {"resources": listed, **cached(exchange)}

    async def _list_templates(self, exchange: Exchange) -> Message:
        listed = [{"uriTemplate": TEMPLATE, "name": "template", "description": "Tests templates."}]
        return {"resourceTemplates": listed, **cached(exchange)}

    async def _read(self, exchange: Exchange) -> Message:
        uri = str(exchange.params.get("uri"))
        kept = STATIC.get(uri) or _from_template(uri)
        if kept is None:
            raise ProtocolError(INVALID_PARAMS, "Resource not found", {"uri": uri})
        return {"contents": [{"uri": uri, **kept}], **cached(exchange)}


def _from_template(uri: str) -> Message | None:
    before, _, after = TEMPLATE.partition("{id}")
    if not (uri.startswith(before) and uri.endswith(after)):
        return None
    name = uri.removeprefix(before).removesuffix(after)
    data = {"id": name, "templateTest": True, "data": f"Data for ID: {name}"}
    return {"mimeType": "application/json", "text": json.dumps(data)}


class FixturePrompts:
    """The suite's prompts, completions and log level."""

    @property
    def capabilities(self) -> Message:
        return {"prompts": {}, "completions": {}, "logging": {}}

    @property
    def methods(self) -> Mapping[str, Handler]:
        return {
            "prompts/list": self._list,
            "prompts/get": self._get,
            "completion/complete": self._complete,
            "logging/setLevel": _nothing,
        }

    async def close(self) -> None:
        pass

    async def _list(self, exchange: Exchange) -> Message:
        listed = [
            {
                "name": name,
                "description": f"Tests {name}.",
                "arguments": [{"name": each, "description": "An argument.", "required": True} for each in arguments],
            }
            for name, arguments in PROMPTS.items()
        ]
        return {"prompts": listed, **cached(exchange)}

    async def _get(self, exchange: Exchange) -> Message:
        name, given = exchange.params.get("name"), exchange.params.get("arguments", {})
        if name == "test_input_required_result_prompt" and "user_context" not in responses(exchange):
            return require(user_context=ask("What context should the prompt use?", context=STRING))
        return {"messages": [{"role": "user", "content": content} for content in _contents(str(name), given)]}

    async def _complete(self, exchange: Exchange) -> Message:
        begun = exchange.params["argument"]["value"]
        values = [word for word in ("paris", "park", "party") if word.startswith(begun)]
        return {"completion": {"values": values, "total": len(values), "hasMore": False}}


def _contents(name: str, given: Message) -> list[Message]:
    if name == "test_prompt_with_arguments":
        return [_text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")]
    if name == "test_prompt_with_embedded_resource":
        embedded = resource(given["resourceUri"], "text/plain", "Embedded resource content for testing.")
        return [embedded, _text("Please process the embedded resource above.")]
    if name == "test_prompt_with_image":
        return [{"type": "image", "data": PNG, "mimeType": "image/png"}, _text("Please analyze the image above.")]
    if name in PROMPTS:
        return [_text("This is a simple prompt for testing.")]
    raise ProtocolError(INVALID_PARAMS, f"Unknown prompt: {name}")


def _text(content: str) -> Message:
    return {"type": "text", "text": content}


async def _nothing(exchange: Exchange) -> Message:
    return {}


def conformance_endpoint() -> McpEndpoint:
    server = McpServer(FixtureTools(), FixtureResources(), FixturePrompts(), input_schema=schema_of)
    return McpEndpoint(server, KnownTokens(**{TOKEN: Holder("suite")}), Places(), Limits(requests_per_second=1000))


def with_token(app: ASGIApp) -> ASGIApp:
    """Add the token to each request, as the suite sends none."""

    async def authorized(scope: Scope, receive: Receive, send: Send) -> None:
        token = (b"authorization", f"Bearer {TOKEN}".encode())
        await app({**scope, "headers": [*scope["headers"], token]}, receive, send)

    return authorized
