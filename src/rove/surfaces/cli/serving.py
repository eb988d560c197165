"""Running a server until its client leaves or a signal says so."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sys

from rove.engine.sessions import HeadStart, Sessions
from rove.settings import Settings
from rove.surfaces.approvers import appointed
from rove.surfaces.mcp.stdio import serve
from rove.surfaces.toolsets import Toolset


def serve_mcp(settings: Settings, begun: HeadStart | None) -> int:
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="rove: %(message)s")
    asyncio.run(_serve(settings, Toolset(settings.with_), begun))
    return 0


async def _serve(settings: Settings, tools: Toolset, begun: HeadStart | None) -> None:
    serving = asyncio.current_task()
    assert serving is not None
    loop = asyncio.get_running_loop()
    for ending in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(ending, serving.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        async with Sessions(settings, approver=appointed(settings)) as sessions:
            sessions.warm_up(begun)
            await serve(sessions, tools)
