"""The page of a person, the tabs of their browser, and commands that attach to it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.person import Person

from rove import Session

WARNING = "NOT GUARDED"
MINE = "<title>Mine</title><h1>Mine</h1><button onclick=\"this.textContent = 'Pressed'\">Press</button>"


async def listed(session: Session) -> list[tuple[str, str]]:
    return [(tab.id, tab.url) for tab in (await session.tabs()).result.tabs]


async def open_tab(session: Session, person: Person, url: str) -> str:
    """Open a tab as the person does; return its id."""
    await asyncio.to_thread(person.open, url)
    async with asyncio.timeout(30):
        while not (ids := [identity for identity, address in await listed(session) if address == url]):
            await asyncio.sleep(0.02)
    return ids[0]


async def eventually(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.02)


def rove(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rove", *words, "--home", str(home)],
        capture_output=True, text=True, timeout=100, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
