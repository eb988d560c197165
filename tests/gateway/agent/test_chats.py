"""The chat over real HTTP, with a model that plays what a test gives it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from tests.gateway.agent.conftest import OpenChats
from tests.gateway.agent.model_server import Calls, ModelServer, Says
from tests.gateway.desk import Desk
from tests.site import Site

from rove import Session
from rove.errors import InvalidArguments, LimitReached, NotOpen
from rove.surfaces.gateway.chat.chats import MOST_WAITING, Chats

pytestmark = pytest.mark.one_session


def browse(*actions: dict[str, Any], text: str = "") -> Calls:
    return Calls("browser", json.dumps({"actions": actions}), text)


async def test_text_is_streamed_and_ends_with_its_usage(
    chats: Chats, model: ModelServer, desk: Desk, session: Session
) -> None:
    model.plays(Says(("Good ", "day.")))
    run = await chats.send(session.name, "Hello")
    final = await desk.until("chat.final")
    assert "".join(delta["text"] for delta in desk.all("chat.delta")) == "Good day."
    assert final == {
        "sessionKey": session.name,
        "runId": run,
        "text": "Good day.",
        "usage": {"inputTokens": 11, "outputTokens": 7, "requests": 1},
        "attachments": [],
        "attachmentsLeftOut": 0,
        "stopReason": "done",
    }
    assert desk.all("chat.message")[0]["text"] == "Hello"
    assert model.messages()[-1] == {"role": "user", "content": "Hello"}


async def test_a_tool_is_called_after_approval_and_its_picture_goes_to_the_model(
    chats: Chats, model: ModelServer, desk: Desk, session: Session, site: Site
) -> None:
    url = site.page("/", "<h1>Tea</h1>")
    model.plays(browse({"type": "navigate", "url": url}, {"type": "screenshot"}, text="Let me see."), Says(("A tea.",)))
    run = await chats.send(session.name, f"Go to {url} and take a screenshot")
    final = await desk.until("chat.final")
    assert desk.questions[0].summary == f"2 browser action(s) — first: Navigate to {url}"
    assert desk.questions[0].run == run
    progress = [data["message"] for data in desk.all("tool.progress")]
    assert progress == [f"Navigating to {url}...", "Taking screenshot..."]
    assert final["text"] == "Let me see.\n\nA tea."
    assert final["usage"] == {"inputTokens": 22, "outputTokens": 14, "requests": 2}
    assert [attachment["mimeType"] for attachment in final["attachments"]] == ["image/png"]
    assert 'heading "Tea"' in next(model.told_by_tools())
    assert "data:image/png;base64," in json.dumps(model.messages())
    assert {tool["function"]["name"] for tool in model.requests[0]["tools"]} == {"browser"}


async def test_a_no_is_told_to_the_model_with_the_reason(
    chats: Chats, model: ModelServer, desk: Desk, session: Session, site: Site
) -> None:
    desk.answers_yes = False
    model.plays(browse({"type": "navigate", "url": site.page("/", "")}), Says(("As you wish.",)))
    await chats.send(session.name, "Go there")
    await desk.until("chat.final")
    assert "not today" in next(model.told_by_tools())
    assert not site.requests


async def test_a_bad_action_is_told_to_the_model_and_asks_nobody(
    chats: Chats, model: ModelServer, desk: Desk, session: Session
) -> None:
    model.plays(browse({"type": "click"}), Says(("Sorry.",)))
    await chats.send(session.name, "Click")
    await desk.until("chat.final")
    assert "`actions[0].selector`" in next(model.told_by_tools())
    assert not desk.questions


async def test_the_conversation_is_kept_for_each_session(
    chats: Chats, model: ModelServer, desk: Desk, session: Session
) -> None:
    other = await session.another()
    model.plays(Says(("One",)), Says(("Two",)), Says(("Three",)))
    for number, (name, message) in enumerate([(session.name, "a"), (session.name, "b"), (other.name, "c")], 1):
        await chats.send(name, message)
        await desk.until("chat.final", number)
    said = [[message["content"] for message in model.messages(number)[1:]] for number in range(3)]
    assert said == [["a"], ["a", "One", "b"], ["c"]]


async def test_messages_of_a_session_wait_in_order_and_others_do_not(
    chats: Chats, model: ModelServer, desk: Desk, session: Session
) -> None:
    hold = asyncio.Event()
    model.plays(Says(("First",), hold=hold), Says(("Other",)), Says(("Second",)))
    await chats.send(session.name, "1")
    await desk.until("chat.delta")
    waiting = await chats.send(session.name, "2")
    assert [message["isQueued"] for message in desk.all("chat.message")] == [False, True]
    other = await chats.send((await session.another()).name, "3")
    assert (await desk.until("chat.final"))["runId"] == other
    hold.set()
    assert (await desk.until("chat.final", 3))["runId"] == waiting


async def test_too_many_waiting_messages_are_refused(
    chats: Chats, model: ModelServer, desk: Desk, session: Session
) -> None:
    model.plays(Says(("First",), hold=asyncio.Event()))
    for _ in range(MOST_WAITING + 1):
        await chats.send(session.name, "more")
    with pytest.raises(LimitReached):
        await chats.send(session.name, "more")
    assert await chats.abort(None, session.name) == MOST_WAITING + 1
    finals = desk.all("chat.final")
    assert len(finals) == MOST_WAITING + 1
    assert {final["stopReason"] for final in finals} == {"aborted"}


async def test_a_run_is_aborted_in_the_middle_of_its_text_and_the_conversation_goes_on(
    chats: Chats, model: ModelServer, desk: Desk, session: Session
) -> None:
    model.plays(Says(("Once upon",), hold=asyncio.Event()), Says(("Yes.",)))
    run = await chats.send(session.name, "Tell me a story")
    await desk.until("chat.delta")
    assert await chats.abort(run, None) == 1
    final = desk.all("chat.final")[0]
    assert (final["text"], final["stopReason"]) == ("Once upon", "aborted")
    await chats.send(session.name, "Still there?")
    assert (await desk.until("chat.final", 2))["text"] == "Yes."
    assert "Tell me a story" in json.dumps(model.messages())


async def test_a_run_is_aborted_while_a_person_is_asked(
    chats: Chats, model: ModelServer, desk: Desk, session: Session, site: Site
) -> None:
    desk.may_answer.clear()
    model.plays(browse({"type": "navigate", "url": site.page("/", "")}), Says(("Fine.",)))
    run = await chats.send(session.name, "Go")
    await desk.until("exec.approval_request")
    await chats.abort(run, None)
    assert desk.all("chat.final")[0]["stopReason"] == "aborted"
    assert desk.all("tool.result")[0]["code"] == "aborted"
    assert not site.requests
    await chats.send(session.name, "And now?")
    assert (await desk.until("chat.final", 2))["stopReason"] == "done"


async def test_the_limit_on_steps_ends_a_run_and_says_so(
    open_chats: OpenChats, model: ModelServer, desk: Desk, session: Session, site: Site
) -> None:
    chats = open_chats(model="played", model_url=model.url, steps=2)
    url = site.page("/", "")
    model.plays(*(browse({"type": "navigate", "url": url}) for _ in range(3)))
    await chats.send(session.name, "Go on and on")
    final = await desk.until("chat.final")
    assert final["stopReason"] == "limit"
    assert "limit of 2 requests" in final["text"]
    assert len(model.requests) == 2


async def test_the_limit_on_tokens_ends_a_run(
    open_chats: OpenChats, model: ModelServer, desk: Desk, session: Session, site: Site
) -> None:
    chats = open_chats(model="played", model_url=model.url, tokens=1000)
    model.plays(Calls("browser", '{"actions": []}', usage=(900, 200)), Says(("More.",)))
    await chats.send(session.name, "Go")
    assert (await desk.until("chat.final"))["stopReason"] == "limit"
    assert len(model.requests) == 1


async def test_a_session_that_was_closed_as_idle_is_opened_again_for_its_chat(
    chats: Chats, model: ModelServer, desk: Desk, session: Session
) -> None:
    with pytest.raises(NotOpen):
        await chats.send("never-opened", "Hello")
    model.plays(Says(("One",)), Says(("Two",)))
    other = await session.another()
    name = other.name
    await chats.send(name, "a")
    await desk.until("chat.final")
    await session.close_session(name)
    await chats.send(name, "b")
    assert (await desk.until("chat.final", 2))["text"] == "Two"
    assert [message["content"] for message in model.messages()[1:]] == ["a", "One", "b"]


async def test_only_the_last_conversations_of_closed_sessions_are_kept(
    chats: Chats, model: ModelServer, desk: Desk, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rove.surfaces.gateway.chat.chats.MOST_CLOSED", 1)
    names: list[str] = []
    for number in range(1, 4):
        names.append((await session.another()).name)
        model.plays(Says(("Yes.",)))
        await chats.send(names[-1], "Hello")
        await desk.until("chat.final", number)
        await session.close_session(names[-1])
    model.plays(Says(("Yes.",)), Says(("Yes.",)))
    await chats.send(session.name, "Hello")
    with pytest.raises(NotOpen):
        await chats.send(names[0], "Are you there?")
    await chats.send(names[2], "Are you there?")
    await desk.until("chat.final", 5)


async def test_a_message_must_have_text(chats: Chats, session: Session) -> None:
    with pytest.raises(InvalidArguments):
        await chats.send(session.name, "  ")


async def test_all_actions_are_tools_of_the_model_if_the_settings_say_so(
    open_chats: OpenChats, model: ModelServer, desk: Desk, session: Session, site: Site
) -> None:
    chats = open_chats(model="played", model_url=model.url, toolset="rove")
    url = site.page("/", "<h1>Tea</h1>")
    model.plays(Calls("browser_navigate", json.dumps({"url": url})), Says(("Done.",)))
    await chats.send(session.name, "Go")
    await desk.until("chat.final")
    assert 'heading "Tea"' in next(model.told_by_tools())
    names = {tool["function"]["name"] for tool in model.requests[0]["tools"]}
    assert "browser_click" in names
    assert "browser" not in names
