"""What type checkers make of the Python library. It is checked, not run."""

from __future__ import annotations

import asyncio
from typing import assert_type

import rove
from rove.actions.input import Clicked
from rove.actions.navigation import Navigated


async def coroutines() -> None:
    """Methods are coroutines, and take any sequence."""
    async with rove.open() as session:
        assert_type(session, rove.Session)
        assert_type(await session.navigate("https://example.com"), rove.Outcome[Navigated])
        task = asyncio.create_task(session.click("a", modifiers=["Shift"]))
        async with asyncio.TaskGroup() as group:
            group.create_task(session.select("select", ["Sencha"]))
            group.create_task(session.fill_form([{"target": "e1", "value": "Bea"}]))
        assert_type(await task, rove.Outcome[Clicked])
        async with await session.another("second") as second:
            assert_type(second, rove.Session)
        assert_type(await rove.tools(session).call("browser_click", {"target": "a"}), rove.Answer)


async def start_and_close() -> None:
    opening = rove.open(headless=True)
    session = await opening.start()
    assert_type(session.using(timeout=5).using(quiet=True), rove.Session)
    await opening.close()


def waiting() -> None:
    with rove.sync.open() as session:
        assert_type(session, rove.sync.Session)
        assert_type(session.click("a"), rove.Outcome[Clicked])
        assert_type(session.another("second"), rove.sync.Session)
