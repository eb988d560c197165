"""A browser with stealth for the tests of this folder."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest

from rove import Session
from rove.engine.sessions.sessions import Sessions
from rove.settings.tree import Settings


@pytest.fixture(scope="package")
async def stealth_sessions(settings: Settings) -> AsyncGenerator[Sessions]:
    async with Sessions(replace(settings, stealth=True)) as sessions:
        yield sessions


@pytest.fixture
async def stealthy(stealth_sessions: Sessions) -> AsyncGenerator[Session]:
    """A new session with stealth."""
    name = await stealth_sessions.open_session("stealthy")
    yield Session(stealth_sessions, name)
    await stealth_sessions.close_session(name)
