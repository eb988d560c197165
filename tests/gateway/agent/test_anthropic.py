"""The same chat with a model of Anthropic, whose protocol the test's server speaks."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

import pytest
from tests.gateway.agent.conftest import OpenChats
from tests.gateway.agent.model_server import ModelServer
from tests.gateway.desk import Desk
from tests.site import Site

from rove import Session


@dataclass(frozen=True)
class Message:
    """A message of one block, as Anthropic streams it."""

    block: dict[str, Any]
    delta: dict[str, Any]
    reason: str

    async def send(self, writer: asyncio.StreamWriter) -> None:
        start = {"id": "m1", "type": "message", "role": "assistant", "model": "played", "content": []}
        usage = {"input_tokens": 9, "output_tokens": 1}
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": {**start, "stop_reason": None, "usage": usage}},
            {"type": "content_block_start", "index": 0, "content_block": self.block},
            {"type": "content_block_delta", "index": 0, "delta": self.delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": self.reason}, "usage": {"output_tokens": 5}},
            {"type": "message_stop"},
        ]
        body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)


def says(text: str) -> Message:
    return Message({"type": "text", "text": ""}, {"type": "text_delta", "text": text}, "end_turn")


def calls(*actions: dict[str, Any]) -> Message:
    block = {"type": "tool_use", "id": "call-1", "name": "browser", "input": {}}
    arguments = json.dumps({"actions": actions})
    return Message(block, {"type": "input_json_delta", "partial_json": arguments}, "tool_use")


async def test_a_model_of_anthropic_calls_tools_and_sees_pictures(
    open_chats: OpenChats,
    model: ModelServer,
    desk: Desk,
    session: Session,
    site: Site,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a key")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", model.url.removesuffix("/v1"))
    url = site.page("/", "<h1>Tea</h1>")
    model.plays(
        calls({"type": "navigate", "url": url}, {"type": "screenshot"}), calls({"type": "click"}), says("A tea.")
    )
    await open_chats(model="anthropic:claude-sonnet-5-5").send(session.name, "Look")
    final = await desk.until("chat.final")
    assert final["text"] == "A tea."
    assert final["usage"] == {"inputTokens": 27, "outputTokens": 15, "requests": 3}
    blocks = [block for message in model.messages() for block in message["content"] if isinstance(block, dict)]
    results = [block for block in blocks if block["type"] == "tool_result"]
    assert [bool(result.get("is_error")) for result in results] == [False, True]
    assert "image/png" in json.dumps(blocks)
