"""An unused browser is closed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.processes import marked
from tests.site import OWN_SITES, Site

from rove import Session
from rove.engine import browsers
from rove.engine.sessions import Sessions
from rove.settings.tree import Deadlines, Settings


async def until(condition: Callable[[], object], timeout: float = 60) -> None:
    async with asyncio.timeout(timeout):
        while not condition():
            await asyncio.sleep(0.02)


async def test_40_an_unused_browser_is_closed_and_started_again_when_needed(
    home: Path, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browsers, "HEARTBEAT_INTERVAL", 0.05)
    settings = Settings(allow_host=OWN_SITES, home=home / "idle", deadlines=Deadlines(action=30, launch=60))
    async with Sessions(settings) as sessions:
        sessions.start_early()
        await until(lambda: marked(home / "idle"))
        monkeypatch.setattr(browsers, "UNUSED_SECONDS", 0.1)
        await until(lambda: not marked(home / "idle"))
        session = Session(sessions, None)
        assert (await session.navigate(site.page("/", "<h1>Here</h1>"))).result.status == 200
        await session.close_session()
        await until(lambda: not marked(home / "idle"))
