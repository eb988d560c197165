"""The regular check of memory."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from rove.engine import admission
from rove.engine.admission import Admission
from rove.settings.tree import Settings


async def test_a_check_of_memory_that_fails_is_logged_and_the_next_one_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(admission, "CHECK_INTERVAL", 0.0)
    checked_again = asyncio.Event()

    async def check_memory(_: Admission) -> None:
        if caplog.records:
            checked_again.set()
        else:
            raise OSError("no /proc")

    monkeypatch.setattr(Admission, "_check_memory", check_memory)
    watching = asyncio.ensure_future(Admission(Settings(home=tmp_path), list, list).watch())
    async with asyncio.timeout(10):
        await checked_again.wait()
    watching.cancel()
    await asyncio.wait({watching})
    assert "no /proc" in caplog.text
