"""The built-in script: a conversation about the demo site, without a model and without a key."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from tests.gateway.agent.conftest import OpenChats
from tests.gateway.desk import Desk
from tests.site import Site

from rove import Session
from rove.surfaces.cli.demo import tea_room
from rove.surfaces.gateway.chat.tea_room import Done, Scene, next_move

pytestmark = pytest.mark.one_session


@pytest.fixture
def tea() -> Generator[str]:
    with tea_room() as address:
        yield address


async def test_it_greets_and_says_what_it_is(open_chats: OpenChats, desk: Desk, session: Session, tea: str) -> None:
    chats = open_chats(tea)
    assert (chats.model.name, chats.model.is_scripted) == ("built-in script", True)
    await chats.send(session.name, "Hello!")
    final = await desk.until("chat.final")
    assert "built-in script" in final["text"]
    assert "order a Sencha" in final["text"]
    assert "ANTHROPIC_API_KEY" in final["text"]
    assert final["usage"] == {"inputTokens": 0, "outputTokens": 0, "requests": 1}
    assert len(desk.all("chat.delta")) > 3


@pytest.mark.parametrize("toolset", ["batch", "rove"])
async def test_it_orders_tea_with_approvals_progress_and_pictures(
    open_chats: OpenChats, desk: Desk, session: Session, tea: str, toolset: str
) -> None:
    await open_chats(tea, toolset=toolset).send(session.name, "Order a Darjeeling for Ann, please")
    final = await desk.until("chat.final")
    assert "Thank you, Ann: order" in final["text"]
    assert len(final["attachments"]) == 2
    assert desk.all("tool.progress")
    assert bool(desk.questions) == (toolset == "batch")
    rows = (await session.extract("tbody")).result
    assert "Darjeeling" in str(rows)


async def test_it_lists_the_teas(open_chats: OpenChats, desk: Desk, session: Session, tea: str) -> None:
    await open_chats(tea).send(session.name, "Which teas are there?")
    assert "Sencha" in (await desk.until("chat.final"))["text"]


async def test_it_stops_at_a_no(open_chats: OpenChats, desk: Desk, session: Session, tea: str) -> None:
    desk.answers_yes = False
    await open_chats(tea).send(session.name, "Order tea")
    final = await desk.until("chat.final")
    assert "I stop here" in final["text"]
    assert "not today" in final["text"]
    assert len(desk.questions) == 1


async def test_it_goes_where_it_is_told_and_takes_a_screenshot(
    open_chats: OpenChats, desk: Desk, session: Session, site: Site
) -> None:
    url = site.page("/", "<h1>Story</h1>")
    await open_chats().send(session.name, f"Go to {url} and take a screenshot")
    final = await desk.until("chat.final")
    assert desk.questions[0].summary == f"2 browser action(s) — first: Navigate to {url}"
    assert final["attachments"][0]["mimeType"] == "image/png"


async def test_it_is_refused_a_password_field_and_says_why(
    open_chats: OpenChats, desk: Desk, session: Session, site: Site
) -> None:
    url = site.page("/login", "<input type=password aria-label=Password>")
    await open_chats().send(session.name, f"Go to {url} and fill in the password field")
    text = (await desk.until("chat.final"))["text"]
    assert "did not happen" in text
    assert "password" in text


async def test_it_says_so_when_the_demo_site_does_not_run(open_chats: OpenChats, desk: Desk, session: Session) -> None:
    await open_chats().send(session.name, "Order tea")
    assert "demo site does not run" in (await desk.until("chat.final"))["text"]


def test_it_hands_the_page_over_where_that_can_be_done() -> None:
    ok = Done(True, "")
    scene = Scene("Order tea", (ok, ok), "http://127.0.0.1", frozenset({"handoff"}))
    assert [action["type"] for action in next_move(scene).actions][:2] == ["handoff", "click"]
    # A hand-over that no person took does not stop the order; a no to the call does.
    alone = Scene("Order tea", (ok, ok, Done(False, "1. handoff: failed.")), "http://127.0.0.1", scene.verbs)
    assert next_move(alone).actions[0]["type"] == "click"
    denied = Scene("Order tea", (ok, ok, Done(False, "denied: A person said no.")), "http://127.0.0.1", scene.verbs)
    assert not next_move(denied).actions


def test_what_was_asked_for_decides_on_the_actions() -> None:
    def actions(message: str) -> list[str]:
        return [action["type"] for action in next_move(Scene(message, (), None)).actions]

    assert actions("Go to https://news.ycombinator.com, take a screenshot, then extract the text of `.titleline`") == [
        "navigate",
        "screenshot",
        "extract",
    ]
    assert actions("Read https://example.com.") == ["navigate", "extract"]
    assert next_move(Scene("Visit https://example.com.", (), None)).actions[0]["url"] == "https://example.com"
