"""What goes wrong between the chat and its model: each with its code, and what to do about it."""

from __future__ import annotations

import json
import time

import pytest
from tests.gateway.agent.conftest import OpenChats
from tests.gateway.agent.model_server import BreaksOff, Calls, Fails, ModelServer, Refuses, Says
from tests.gateway.desk import Desk
from tests.site import Site

from rove import Session
from rove.surfaces.gateway.chat.chats import Chats

pytestmark = pytest.mark.one_session

QUICK = {"Retry-After-Ms": "20"}


async def test_a_missing_key_names_its_variable(
    open_chats: OpenChats, desk: Desk, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, variable in (("anthropic:claude-x", "ANTHROPIC_API_KEY"), ("openai:gpt-x", "OPENAI_API_KEY")):
        monkeypatch.delenv(variable, raising=False)
        chats = open_chats(model=name)
        run = await chats.send(session.name, "Hello")
        failed = next(data for data in [await desk.until("chat.error", len(desk.all("chat.error")) + 1)])
        assert (failed["runId"], failed["code"]) == (run, "model_key_missing")
        assert variable in failed["hint"]


async def test_an_unknown_provider_is_an_error_of_the_settings(
    open_chats: OpenChats, desk: Desk, session: Session
) -> None:
    await open_chats(model="nowhere:gpt-x").send(session.name, "Hello")
    assert (await desk.until("chat.error"))["code"] == "invalid_settings"


async def test_a_rate_limit_is_waited_for_as_long_as_the_server_asks(
    chats: Chats, model: ModelServer, desk: Desk, session: Session
) -> None:
    model.plays(Fails(429, {"Retry-After": "1"}), Says(("There you are.",)))
    began = time.monotonic()
    await chats.send(session.name, "Hello")
    assert (await desk.until("chat.final"))["text"] == "There you are."
    assert time.monotonic() - began >= 1
    assert desk.all("chat.waiting")[0]["seconds"] == 1


async def test_a_rate_limit_that_stays_is_said(chats: Chats, model: ModelServer, desk: Desk, session: Session) -> None:
    model.plays(*(Fails(429, QUICK) for _ in range(5)))
    await chats.send(session.name, "Hello")
    assert (await desk.until("chat.error"))["code"] == "model_rate_limited"
    assert len(model.requests) == 3


async def test_a_server_that_wants_a_long_wait_is_not_waited_for(
    chats: Chats, model: ModelServer, desk: Desk, session: Session
) -> None:
    model.plays(Fails(429, {"Retry-After": "3600"}))
    await chats.send(session.name, "Hello")
    assert (await desk.until("chat.error"))["code"] == "model_rate_limited"
    assert len(model.requests) == 1


async def test_a_stream_that_breaks_off_is_said_and_the_next_message_works(
    chats: Chats, model: ModelServer, desk: Desk, session: Session
) -> None:
    model.plays(BreaksOff("Once upon"), Says(("Here I am.",)))
    await chats.send(session.name, "Tell me a story")
    failed = await desk.until("chat.error")
    assert failed["code"] == "model_connection"
    assert failed["hint"]
    assert desk.all("chat.delta")[0]["text"] == "Once upon"
    await chats.send(session.name, "Where are you?")
    assert (await desk.until("chat.final"))["text"] == "Here I am."


async def test_a_call_that_is_no_json_is_told_to_the_model(
    chats: Chats, model: ModelServer, desk: Desk, session: Session
) -> None:
    model.plays(Calls("browser", '{"actions": [{"type": '), Calls("browser", '["navigate"]'), Says(("Sorry.",)))
    await chats.send(session.name, "Go")
    assert (await desk.until("chat.final"))["text"] == "Sorry."
    assert "json" in "".join(model.told_by_tools()).lower()
    assert not desk.questions


async def test_a_call_of_an_unknown_tool_is_told_to_the_model(
    chats: Chats, model: ModelServer, desk: Desk, session: Session
) -> None:
    model.plays(Calls("approve", "{}"), Says(("Sorry.",)))
    await chats.send(session.name, "Go")
    assert (await desk.until("chat.final"))["text"] == "Sorry."
    assert "approve" in next(model.told_by_tools())


async def test_a_model_that_never_makes_sense_is_given_up(
    chats: Chats, model: ModelServer, desk: Desk, session: Session
) -> None:
    model.plays(*(Calls("browser", "{") for _ in range(20)))
    await chats.send(session.name, "Go")
    assert (await desk.until("chat.error"))["code"] == "model_confused"


async def test_a_refusal_is_said(chats: Chats, model: ModelServer, desk: Desk, session: Session) -> None:
    model.plays(Refuses("I cannot help with that."))
    await chats.send(session.name, "Go")
    failed = await desk.until("chat.error")
    assert failed["code"] == "model_refused"
    assert "I cannot help with that." in failed["message"]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Fails(401), "model_key_rejected"),
        (Fails(404), "model_not_found"),
        (Fails(400), "model_request_rejected"),
        (Fails(400, code="context_length_exceeded"), "model_context_full"),
        (Fails(429, code="insufficient_quota"), "model_quota"),
        (Fails(500), "model_unavailable"),
    ],
)
async def test_errors_of_the_server_have_codes(
    chats: Chats, model: ModelServer, desk: Desk, session: Session, answer: Fails, code: str
) -> None:
    model.plays(answer)
    await chats.send(session.name, "Hello")
    assert (await desk.until("chat.error"))["code"] == code


async def test_what_the_server_rejects_does_not_stay_in_the_conversation(
    chats: Chats, model: ModelServer, desk: Desk, session: Session
) -> None:
    model.plays(Fails(400), Says(("Good.",)))
    await chats.send(session.name, "something that it cannot take")
    await desk.until("chat.error")
    await chats.send(session.name, "Hello")
    await desk.until("chat.final")
    assert [message["content"] for message in model.messages()[1:]] == ["Hello"]


async def test_a_server_that_is_not_there_is_said(
    open_chats: OpenChats, desk: Desk, session: Session, unused_port: int
) -> None:
    chats = open_chats(model="played", model_url=f"http://127.0.0.1:{unused_port}/v1")
    await chats.send(session.name, "Hello")
    assert (await desk.until("chat.error"))["code"] == "model_connection"
    assert [data["seconds"] for data in desk.all("chat.waiting")] == [1.0, 2.0]


async def test_a_model_that_cannot_see_pictures_goes_on_without_them(
    chats: Chats, model: ModelServer, desk: Desk, session: Session, site: Site
) -> None:
    url = site.page("/", "<h1>Tea</h1>")
    call = json.dumps({"actions": [{"type": "navigate", "url": url}, {"type": "screenshot"}]})
    model.plays(Calls("browser", call), Fails(400), Says(("I see text.",)), Says(("Still.",)))
    await chats.send(session.name, "Look")
    assert (await desk.until("chat.final"))["text"] == "I see text."
    assert "rejected a picture" in desk.all("chat.compacted")[0]["text"]
    await chats.send(session.name, "And now?")
    await desk.until("chat.final", 2)
    assert ["data:image" in json.dumps(request) for request in model.requests] == [False, True, False, False]
