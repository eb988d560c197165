"""A session that a person may drive, at a page with a form."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
from tests.browser.driving.people import FORM, Gateway
from tests.site import Site

from rove import Session
from rove.engine.session import Session as EngineSession
from rove.engine.sessions import Sessions
from rove.settings.tree import Deadlines, Settings


@pytest.fixture
def gateway() -> Gateway:
    return Gateway()


@pytest.fixture(scope="module")
def held_briefly(settings: Settings) -> Settings:
    return replace(settings, deadlines=Deadlines(action=30, launch=60, held=0.3, handoff=20))


@pytest.fixture
async def open_sessions(held_briefly: Settings, gateway: Gateway) -> AsyncGenerator[Sessions]:
    async with Sessions(held_briefly, watcher=gateway, people=gateway) as sessions:
        yield sessions


@pytest.fixture
async def agent(open_sessions: Sessions, site: Site) -> Session:
    """An agent at a page with a form."""
    session = Session(open_sessions, None)
    await session.navigate(site.page("/form", FORM))
    return session


@pytest.fixture
def engine(open_sessions: Sessions, agent: Session) -> EngineSession:
    return open_sessions.session(agent.name)
