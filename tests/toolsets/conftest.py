"""One server with Playwright's tools for all tests of a worker."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.toolsets.playwright_client import PlaywrightClient, running


@pytest.fixture(scope="session")
async def client(home: Path) -> AsyncGenerator[PlaywrightClient]:
    with tempfile.TemporaryDirectory(prefix="pw") as folder:
        async with running(home, Path(folder).resolve()) as client:
            yield client
