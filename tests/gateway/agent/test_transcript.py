"""The transcript of a chat: entries of the session's journal, pictures inside."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from tests.gateway.agent.conftest import OpenChats
from tests.gateway.agent.model_server import Calls, Fails, ModelServer, Says
from tests.gateway.desk import Desk
from tests.site import Site

from rove import Session
from rove.engine.sessions import Sessions
from rove.storage.ledger import LedgerFiles
from rove.storage.ledger_verification import verify
from rove.surfaces.gateway.chat.chats import Chats
from rove.surfaces.gateway.gateway import read_entries


def entries_of(sessions: Sessions, session: Session) -> list[dict[str, Any]]:
    path = sessions.settings.journal_folder / f"{session.name}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.contract("A8")
async def test_messages_calls_and_actions_are_one_record(
    chats: Chats, model: ModelServer, desk: Desk, session: Session, sessions: Sessions, site: Site
) -> None:
    url = site.page("/", "<h1>Tea</h1>")
    actions = {"actions": [{"type": "navigate", "url": url}, {"type": "screenshot"}]}
    model.plays(Calls("browser", json.dumps(actions)), Says(("A tea.",)))
    run = await chats.send(session.name, "Go there")
    await desk.until("chat.final")
    entries = entries_of(sessions, session)
    told = [(entry.get("kind"), entry.get("role") or entry.get("phase") or entry.get("action")) for entry in entries]
    assert told == [
        ("message", "user"),
        ("tool", "call"),
        (entries[2]["kind"], "navigate"),
        (entries[3]["kind"], "screenshot"),
        (entries[4]["kind"], "batch"),
        ("tool", "result"),
        ("message", "assistant"),
    ]
    assert {entry["runId"] for entry in entries if entry["kind"] in ("message", "tool")} == {run}
    assert entries[5]["arguments"] == actions
    (picture,) = entries[3]["attachments"]
    assert base64.b64decode(picture["data"]).startswith(b"\x89PNG")
    assert (picture["type"], picture["mimeType"], picture["name"]) == ("image", "image/png", "screenshot.png")
    assert (entries[5]["attachments"], entries[5]["earlierAttachments"]) == ([], [picture["sha256"]])
    history, _ = read_entries(sessions.settings.journal_folder, session.name, 0, 100, False)
    assert history[5]["attachments"] == [picture]
    assert entries[6]["text"] == "A tea."
    assert entries[6]["usage"]["requests"] == 2


async def test_a_failed_run_is_in_it(
    chats: Chats, model: ModelServer, desk: Desk, session: Session, sessions: Sessions
) -> None:
    model.plays(Fails(401))
    await chats.send(session.name, "Hello")
    await desk.until("chat.error")
    assert entries_of(sessions, session)[-1]["failure"]["code"] == "model_key_rejected"


async def test_text_that_was_refused_to_a_password_field_is_not_in_it(
    chats: Chats, model: ModelServer, desk: Desk, session: Session, sessions: Sessions, site: Site
) -> None:
    url = site.page("/", "<input type=password aria-label=Password>")
    actions = [{"type": "navigate", "url": url}, {"type": "type", "selector": "input", "text": "hunter2"}]
    model.plays(Calls("browser", json.dumps({"actions": actions})), Says(("I may not.",)))
    await chats.send(session.name, "Log in")
    await desk.until("chat.final")
    assert "hunter2" not in json.dumps(entries_of(sessions, session))


async def test_the_chain_of_the_journal_stays_whole(
    open_chats: OpenChats, desk: Desk, session: Session, sessions: Sessions
) -> None:
    await open_chats().send(session.name, "Hello")
    await desk.until("chat.final")
    assert [entry["role"] for entry in entries_of(sessions, session)] == ["user", "assistant"]
    verdict = verify(LedgerFiles(sessions.settings.journal_folder, session.name))
    assert verdict.is_whole
