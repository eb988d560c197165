"""Failures of clean-up and checks in the background: they are logged, and do not fail a call."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from threading import Event

import pytest

from rove.browser.chromium.browser import Browser, launch, start_process
from rove.browser.shared import machine
from rove.engine import browsers as watching
from rove.engine.browsers import BrowserSupervisor
from rove.settings.tree import Deadlines, Settings


@pytest.fixture
def own(home: Path) -> Settings:
    return Settings(home=home / "background", deadlines=Deadlines(launch=20))


@pytest.fixture
async def launched(own: Settings) -> AsyncGenerator[Callable[[], asyncio.Future[Browser]]]:
    """Launch a browser, which is closed after the test; leave nothing running if the launch fails."""
    process = await start_process(own, None)
    started: list[asyncio.Future[Browser]] = []

    def start() -> asyncio.Future[Browser]:
        started.append(asyncio.ensure_future(launch(own, process, Browser)))
        return started[0]

    yield start
    try:
        await (await started[0]).close()
    finally:
        await asyncio.to_thread(process.release)


async def test_a_launch_survives_a_failed_sweep(
    launched: Callable[[], asyncio.Future[Browser]], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(runs: Path) -> list[Path]:
        raise PermissionError(13, "Permission denied", str(runs))

    monkeypatch.setattr(machine, "sweep", fail)
    browser = await launched()
    assert browser.is_alive
    assert await browser.answers_within(10)
    assert [record.levelno for record in caplog.records if record.name == machine.__name__] == [logging.ERROR]


async def test_a_launch_waits_for_a_sweep_no_longer_than_its_own_time(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = Event()
    monkeypatch.setattr(machine, "sweep", lambda runs: released.wait(60))
    own = Settings(home=home / "background", deadlines=Deadlines(launch=5))
    process = await start_process(own, None)
    began = time.monotonic()
    try:
        browser = await asyncio.wait_for(launch(own, process, Browser), 30)
        assert time.monotonic() - began < 15
        assert browser.is_alive
        await browser.close()
    finally:
        released.set()
        await asyncio.to_thread(process.release)


async def test_checks_go_on_after_one_that_failed(
    own: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(watching, "HEARTBEAT_INTERVAL", 0.01)
    asked: list[float] = []
    went_on = asyncio.Event()

    def is_needed() -> bool:
        asked.append(time.monotonic())
        if len(asked) == 1:
            raise RuntimeError("the first check fails")
        went_on.set()
        return True

    browsers = BrowserSupervisor(own, lambda: False, is_needed, lambda _: None)
    browsers.start_early()
    try:
        async with asyncio.timeout(10):
            await went_on.wait()
    finally:
        await browsers.close()
    assert "the first check fails" in caplog.text
