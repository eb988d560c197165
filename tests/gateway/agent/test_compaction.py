"""Long conversations are shortened, oldest parts first, and a note says what was left out."""

from __future__ import annotations

import json

from pydantic_ai import BinaryContent
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from tests.gateway.agent.conftest import OpenChats
from tests.gateway.agent.model_server import Calls, ModelServer, Says
from tests.gateway.desk import Desk
from tests.site import Site

from rove import Session
from rove.surfaces.gateway.chat.requests import KEPT_RESULTS, compacted, tokens_of

PICTURE = BinaryContent(b"png", media_type="image/png")


def exchange(number: int, calls: int, text: str = "x" * 4000) -> list[ModelMessage]:
    """Return a message of the person, some calls with long results and pictures, and the answer."""
    messages: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart(f"message {number}")])]
    for call in range(calls):
        name = f"{number}.{call}"
        messages += [
            ModelResponse(parts=[ToolCallPart("browser", "{}", tool_call_id=name)]),
            ModelRequest(parts=[ToolReturnPart("browser", text, tool_call_id=name), UserPromptPart([PICTURE])]),
        ]
    return [*messages, ModelResponse(parts=[TextPart(f"answer {number}")])]


def test_a_short_conversation_is_left_as_it_is() -> None:
    messages = exchange(1, 2)
    shorter = compacted(messages, 100_000)
    assert shorter.messages == messages
    assert shorter.note == ""


def test_old_results_are_shortened_before_anything_is_dropped() -> None:
    messages = exchange(1, 8)
    shorter = compacted(messages, 20_000)
    assert tokens_of(shorter.messages) < 10_000
    assert (shorter.exchanges, shorter.results, shorter.pictures) == (0, 8 - KEPT_RESULTS, 8 - KEPT_RESULTS)
    assert "5 older picture(s)" in shorter.note
    assert len(shorter.messages) == len(messages)
    assert compacted(shorter.messages, 20_000).note == ""


def test_old_exchanges_are_dropped_whole_and_the_model_is_told() -> None:
    messages = [message for number in range(30) for message in exchange(number, 0)]
    long = [ModelRequest(parts=[UserPromptPart("y" * 2000)]), *messages, *exchange(99, 1)]
    shorter = compacted(long, 400)
    assert shorter.exchanges > 0
    first = shorter.messages[0]
    assert isinstance(first, ModelRequest)
    assert shorter.note in str(first.parts[0])
    calls = [
        part.tool_call_id for message in shorter.messages for part in message.parts if part.part_kind == "tool-call"
    ]
    returns = [
        part.tool_call_id for message in shorter.messages for part in message.parts if part.part_kind == "tool-return"
    ]
    assert calls == returns


def test_the_exchange_that_runs_now_is_never_dropped() -> None:
    shorter = compacted(exchange(1, 2), 10)
    assert shorter.exchanges == 0
    assert "message 1" in str(shorter.messages[0])


async def test_a_long_chat_is_shortened_and_everyone_is_told(
    open_chats: OpenChats, model: ModelServer, desk: Desk, session: Session, site: Site
) -> None:
    chats = open_chats(model="played", model_url=model.url, tokens=8000)
    url = site.page("/", "<h1>Tea</h1>")
    call = json.dumps({"actions": [{"type": "navigate", "url": url}, {"type": "screenshot"}]})
    model.plays(*(Calls("browser", call) for _ in range(KEPT_RESULTS + 1)), Says(("Done.",)))
    await chats.send(session.name, "Take many pictures")
    await desk.until("chat.final")
    assert "older picture(s)" in desk.all("chat.compacted")[0]["text"]
    assert json.dumps(model.messages()).count("data:image/png") == KEPT_RESULTS
