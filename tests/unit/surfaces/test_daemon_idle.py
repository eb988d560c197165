"""The daemon ends when there is nothing to do, or when no client can find it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from rove.surfaces.cli.daemon import server
from rove.surfaces.cli.daemon.location import SOCKET

PATIENCE = 10.0


async def serve(folder: Path) -> asyncio.Task[None]:
    ready, when_ready = os.pipe()
    serving = asyncio.create_task(server.Daemon(str(folder)).serve(when_ready))
    assert await asyncio.to_thread(os.read, ready, 1)
    os.close(ready)
    return serving


async def test_it_ends_when_it_is_idle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "IDLE_LIMIT", 0.1)
    monkeypatch.setattr(server, "CHECK_INTERVAL", 0.02)
    await asyncio.wait_for(await serve(tmp_path), PATIENCE)
    assert not (tmp_path / SOCKET).exists()


async def test_it_ends_when_its_socket_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "CHECK_INTERVAL", 0.02)
    serving = await serve(tmp_path)
    (tmp_path / SOCKET).unlink()
    await asyncio.wait_for(serving, PATIENCE)
