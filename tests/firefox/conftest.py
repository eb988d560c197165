"""Tests of Firefox itself, which run whatever `--engine` says, where Firefox is installed."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.site import OWN_SITES

from rove.browser.firefox.install import find
from rove.engine.sessions import Sessions
from rove.settings.tree import Deadlines, Settings

FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if find(None, FOLDER) is None:
        skip = pytest.mark.skip(reason="Firefox is not installed: apt-get install firefox-esr")
        for item in items:
            if item.path.is_relative_to(FOLDER):
                item.add_marker(skip)


@pytest.fixture(scope="module")
async def firefox(home: Path) -> AsyncGenerator[Sessions]:
    """Sessions that run on Firefox unless they ask for another engine."""
    settings = Settings(
        home=home / "firefox",
        engine="firefox",
        allow_host=OWN_SITES,
        deadlines=Deadlines(action=30, launch=60),
    )
    async with Sessions(settings) as sessions:
        yield sessions
