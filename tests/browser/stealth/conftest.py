"""A browser with stealth for the tests of this folder."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
from tests.site import Site

from rove import Session
from rove.engine.sessions.sessions import Sessions
from rove.settings.tree import Settings

SECRET = "correct-horse-17"


@pytest.fixture(scope="package")
async def stealth_sessions(
    settings: Settings, _server: Site, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Sessions]:
    """Sessions with stealth, and with a secret for the site."""
    file = tmp_path_factory.mktemp("owner") / "secrets.toml"
    file.write_text(f'[shop]\norigins = ["{_server.url("")}"]\nvalue = "{SECRET}"', encoding="utf-8")
    file.chmod(0o600)
    async with Sessions(replace(settings, stealth=True, secrets=file)) as sessions:
        yield sessions


@pytest.fixture
async def stealthy(stealth_sessions: Sessions) -> AsyncGenerator[Session]:
    """A new session with stealth."""
    name = await stealth_sessions.open_session("stealthy")
    yield Session(stealth_sessions, name)
    await stealth_sessions.close_session(name)
