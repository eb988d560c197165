"""The tools that the official conformance suite calls. Each does what the suite's descriptions say."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from rove.surfaces.mcp.messages import INVALID_PARAMS, MISSING_CAPABILITY, Message, ProtocolError
from rove.surfaces.mcp.protocol import Handler
from rove.surfaces.mcp.request import Exchange

# A red pixel, and a sound of no samples.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
STEP_SECONDS = 0.05
KEY = b"the conformance fixture"
Call = Callable[[Exchange, Message], Awaitable[Message]]


def text(content: str) -> Message:
    return {"content": [{"type": "text", "text": content}]}


def ask(message: str, **properties: Message) -> Message:
    """Return an elicitation of an object with these properties, all required."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def sample(prompt: str, most: int = 100) -> Message:
    messages = [{"role": "user", "content": {"type": "text", "text": prompt}}]
    return {"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": most}}


ROOTS: Message = {"method": "roots/list", "params": {}}
STRING, BOOLEAN = {"type": "string"}, {"type": "boolean"}
NAME = ask("What is your name?", name=STRING)


def require(state: str | None = None, **requests: Message) -> Message:
    result: Message = {"resultType": "input_required", "inputRequests": requests}
    return result if state is None else {**result, "requestState": _signed(state)}


def _signed(state: str) -> str:
    return f"{state}.{hmac.new(KEY, state.encode(), hashlib.sha256).hexdigest()}"


def _state(exchange: Exchange) -> str:
    """Return the state that the client sent back. Raises ProtocolError if it is not ours."""
    given = exchange.params.get("requestState")
    state = given.rpartition(".")[0] if isinstance(given, str) else ""
    if given != _signed(state):
        raise ProtocolError(INVALID_PARAMS, "requestState is not valid")
    return state


def responses(exchange: Exchange) -> Mapping[str, Any]:
    """Return the inputs that the client sent and that are objects."""
    given = exchange.params.get("inputResponses", {})
    if not isinstance(given, dict):
        raise ProtocolError(INVALID_PARAMS, "inputResponses must be an object")
    return {key: value for key, value in given.items() if isinstance(value, dict)}


async def simple_text(exchange: Exchange, arguments: Message) -> Message:
    return text("This is a simple text response for testing.")


async def image(exchange: Exchange, arguments: Message) -> Message:
    return {"content": [{"type": "image", "data": PNG, "mimeType": "image/png"}]}


async def audio(exchange: Exchange, arguments: Message) -> Message:
    return {"content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]}


def resource(uri: str, kind: str, content: str) -> Message:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": content}}


async def embedded_resource(exchange: Exchange, arguments: Message) -> Message:
    return {"content": [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")]}


async def mixed(exchange: Exchange, arguments: Message) -> Message:
    first = {"type": "text", "text": "Multiple content types test:"}
    data = resource("test://mixed-content-resource", "application/json", json.dumps({"test": "data", "value": 123}))
    return {"content": [first, {"type": "image", "data": PNG, "mimeType": "image/png"}, data]}


async def failing(exchange: Exchange, arguments: Message) -> Message:
    return {**text("This tool intentionally returns an error for testing"), "isError": True}


async def logging_steps(exchange: Exchange, arguments: Message) -> Message:
    """Send three log messages, which revision 2026-07-28 forbids unless the client asked for them."""
    for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        if not exchange.is_stateless:
            await exchange.notify("notifications/message", {"level": "info", "data": said})
        await asyncio.sleep(STEP_SECONDS)
    return text("Logged.")


async def with_progress(exchange: Exchange, arguments: Message) -> Message:
    token = exchange.params.get("_meta", {}).get("progressToken")
    for done in (0, 50, 100):
        if token is not None:
            await exchange.notify("notifications/progress", {"progressToken": token, "progress": done, "total": 100})
        await asyncio.sleep(STEP_SECONDS)
    return text("Done.")


async def _from_client(exchange: Exchange, asked: Message) -> Any:
    if exchange.request is None:
        raise ProtocolError(INVALID_PARAMS, "the client cannot be asked")
    return await exchange.request(asked["method"], asked["params"])


async def sampling(exchange: Exchange, arguments: Message) -> Message:
    answer = await _from_client(exchange, sample(arguments["prompt"]))
    return text(f"LLM response: {answer['content']['text']}")


async def elicitation(exchange: Exchange, arguments: Message) -> Message:
    fields = {"username": "User's response", "email": "User's email address"}
    asked = ask(arguments["message"], **{name: {**STRING, "description": about} for name, about in fields.items()})
    return text(f"User response: {json.dumps(await _from_client(exchange, asked))}")


async def elicitation_defaults(exchange: Exchange, arguments: Message) -> Message:
    fields: dict[str, Message] = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    }
    return text(f"Elicitation completed: {json.dumps(await _from_client(exchange, ask('Defaults', **fields)))}")


async def elicitation_enums(exchange: Exchange, arguments: Message) -> Message:
    options = ["option1", "option2", "option3"]
    titled = [{"const": f"value{number}", "title": f"Choice {number}"} for number in (1, 2, 3)]
    fields: dict[str, Message] = {
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }
    return text(f"Elicitation completed: {json.dumps(await _from_client(exchange, ask('Choices', **fields)))}")


async def missing_capability(exchange: Exchange, arguments: Message) -> Message:
    if "sampling" not in exchange.capabilities:
        raise ProtocolError(MISSING_CAPABILITY, "sampling is needed", {"requiredCapabilities": {"sampling": {}}})
    return text("The client can sample.")


async def streaming_elicitation(exchange: Exchange, arguments: Message) -> Message:
    return require(user_name=NAME)


async def input_elicitation(exchange: Exchange, arguments: Message) -> Message:
    answer = responses(exchange).get("user_name")
    return require(user_name=NAME) if answer is None else text(f"Hello, {answer['content']['name']}!")


async def input_sampling(exchange: Exchange, arguments: Message) -> Message:
    answer = responses(exchange).get("capital_question")
    asked = sample("What is the capital of France?")
    return require(capital_question=asked) if answer is None else text(answer["content"]["text"])


async def input_roots(exchange: Exchange, arguments: Message) -> Message:
    answer = responses(exchange).get("client_roots")
    return require(client_roots=ROOTS) if answer is None else text(json.dumps(answer["roots"]))


async def input_state(exchange: Exchange, arguments: Message) -> Message:
    if "confirm" not in responses(exchange):
        return require("confirming", confirm=ask("Please confirm", ok=BOOLEAN))
    return text(f"state-ok: {_state(exchange)}")


async def input_multiple(exchange: Exchange, arguments: Message) -> Message:
    wanted = {"user_name": NAME, "greeting": sample("Generate a greeting", 50), "client_roots": ROOTS}
    if wanted.keys() - responses(exchange).keys():
        return require("several", **wanted)
    return text(f"All there: {_state(exchange)}")


async def input_rounds(exchange: Exchange, arguments: Message) -> Message:
    given = responses(exchange)
    if "step1" in given and _state(exchange) == "1":
        return require("2", step2=ask("Step 2: What is your favorite color?", color=STRING))
    if "step2" in given and _state(exchange) == "2":
        return text("Both steps are done.")
    return require("1", step1=ask("Step 1: What is your name?", name=STRING))


async def input_capabilities(exchange: Exchange, arguments: Message) -> Message:
    offered = {"sampling": sample("Say something."), "elicitation": NAME}
    return require(None, **{name: asked for name, asked in offered.items() if name in exchange.capabilities})


CALLS: dict[str, Call] = {
    "test_simple_text": simple_text,
    "test_image_content": image,
    "test_audio_content": audio,
    "test_embedded_resource": embedded_resource,
    "test_multiple_content_types": mixed,
    "test_error_handling": failing,
    "test_tool_with_logging": logging_steps,
    "test_logging_tool": logging_steps,
    "test_tool_with_progress": with_progress,
    "test_sampling": sampling,
    "test_elicitation": elicitation,
    "test_elicitation_sep1034_defaults": elicitation_defaults,
    "test_elicitation_sep1330_enums": elicitation_enums,
    "test_missing_capability": missing_capability,
    "test_streaming_elicitation": streaming_elicitation,
    "test_input_required_result_elicitation": input_elicitation,
    "test_input_required_result_sampling": input_sampling,
    "test_input_required_result_list_roots": input_roots,
    "test_input_required_result_request_state": input_state,
    "test_input_required_result_multiple_inputs": input_multiple,
    "test_input_required_result_multi_round": input_rounds,
    "test_input_required_result_tampered_state": input_state,
    "test_input_required_result_capabilities": input_capabilities,
    "test_headers": simple_text,
    "json_schema_2020_12_tool": simple_text,
}
SCHEMAS: dict[str, Message] = {
    "test_sampling": {"type": "object", "properties": {"prompt": STRING}, "required": ["prompt"]},
    "test_elicitation": {"type": "object", "properties": {"message": STRING}, "required": ["message"]},
    "test_headers": {"type": "object", "properties": {"region": {**STRING, "x-mcp-header": "Region"}}},
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {"$anchor": "addressDef", "type": "object", "properties": {"street": STRING, "city": STRING}}
        },
        "properties": {
            "name": STRING,
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": STRING,
            "email": STRING,
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
}


def schema_of(name: str) -> Message:
    return SCHEMAS.get(name, {"type": "object"})


class FixtureTools:
    """The suite's tools as a feature of the server."""

    @property
    def capabilities(self) -> Message:
        return {"tools": {}}

    @property
    def methods(self) -> Mapping[str, Handler]:
        return {"tools/list": self._list, "tools/call": self._call}

    async def close(self) -> None:
        pass

    async def _list(self, exchange: Exchange) -> Message:
        listed = [{"name": name, "description": f"Tests {name}.", "inputSchema": schema_of(name)} for name in CALLS]
        return {"tools": listed, **cached(exchange)}

    async def _call(self, exchange: Exchange) -> Message:
        name = exchange.params.get("name")
        if name not in CALLS:
            raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {name}")
        return await CALLS[name](exchange, exchange.params.get("arguments", {}))


def cached(exchange: Exchange) -> Message:
    return {"ttlMs": 1000, "cacheScope": "public"} if exchange.is_stateless else {}
