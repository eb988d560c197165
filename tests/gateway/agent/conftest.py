"""Fixtures: a chat over a played model, with the browser of the other tests."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.gateway.agent.model_server import ModelServer, model_server
from tests.gateway.desk import Desk

from rove.engine.sessions import Sessions
from rove.settings.tree import Serving
from rove.surfaces.gateway.chat.chats import Chats
from rove.surfaces.gateway.tools.registration import registered_tools
from rove.surfaces.gateway.tools.tool import Tools

OpenChats = Callable[..., Chats]


@pytest.fixture
async def model() -> AsyncGenerator[ModelServer]:
    async with model_server() as played:
        yield played


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
async def open_chats(desk: Desk, sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[OpenChats]:
    """Make chats with settings of `rove serve`, and with a toolset: `open_chats(steps=3)`."""
    made: list[Chats] = []
    before = sessions.settings

    def open_chats(demo_site: str | None = None, toolset: str | None = None, **serving: Any) -> Chats:
        settings = replace(before, toolset=toolset, serve=Serving(**serving))
        monkeypatch.setattr(sessions, "settings", settings)
        tools = Tools(registered_tools(settings), desk, desk, sessions)
        made.append(Chats(tools, desk, sessions, settings, demo_site))
        return made[-1]

    yield open_chats
    for chats in made:
        await chats.close()


@pytest.fixture
def chats(open_chats: OpenChats, model: ModelServer) -> Chats:
    """Chats whose model is played by the model server."""
    return open_chats(model="played", model_url=model.url)
