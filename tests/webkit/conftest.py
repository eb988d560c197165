"""WebKit through its driver, where one is installed."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.site import OWN_SITES

from rove import Session
from rove.browser.webkit.install import installed
from rove.engine.sessions import Sessions
from rove.settings.tree import Deadlines, Settings


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip these tests where there is no WebKit."""
    if installed() is None:
        here = str(Path(__file__).parent)
        for item in items:
            if str(item.path).startswith(here):
                item.add_marker(pytest.mark.skip(reason="no WebKitWebDriver and Xvfb; `rove install webkit` gets them"))


@pytest.fixture(scope="module")
def webkit_settings(home: Path) -> Settings:
    deadlines = Deadlines(action=30, launch=60, approval=30)
    return Settings(home=home, allow_host=OWN_SITES, engine="webkit", deadlines=deadlines)


@pytest.fixture(scope="module")
async def webkit(webkit_settings: Settings) -> AsyncGenerator[Session]:
    """A session on WebKit, which the tests of a module share."""
    async with Sessions(webkit_settings) as sessions:
        yield Session(sessions, "default")
