"""A browser with stealth for the tests of this folder."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
from tests.shared_sessions import has_mark, shared_session
from tests.site import Site

from rove import Session
from rove.engine.sessions import Sessions
from rove.settings.tree import Settings

SECRET = "quiet-walrus-93"


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
async def stealthy(request: pytest.FixtureRequest, stealth_sessions: Sessions) -> AsyncGenerator[Session]:
    """A session with stealth; tests of a module that is marked `one_session` share one, as each starts a browser."""
    is_shared = has_mark(request, "one_session") and not has_mark(request, "own_session")
    async with shared_session(stealth_sessions, "shared" if is_shared else "stealthy") as session:
        yield session
    if not is_shared:
        await stealth_sessions.close_session("stealthy")
