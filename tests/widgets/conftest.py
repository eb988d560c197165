"""A browser session that drives the pages of widget libraries, one after another."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator

import pytest
from tests.site import Site, serving
from tests.widgets.driver import Driver

from rove import Session
from rove.engine.sessions import Sessions


@pytest.fixture(scope="module")
def pages() -> Generator[Site]:
    """A site of its own, because `site` is emptied after each test."""
    with serving() as site:
        yield site


@pytest.fixture(scope="module")
async def driver(sessions: Sessions, pages: Site) -> AsyncGenerator[Driver]:
    name = await sessions.open_session("widgets")
    yield Driver(Session(sessions, name), pages)
    await sessions.close_session(name)
