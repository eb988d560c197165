"""Running a server until its client leaves or a signal says so."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import signal
import sys

from rove.engine.guard_notice import UNGUARDED
from rove.engine.sessions.sessions import EarlyLaunch, Sessions
from rove.settings import Settings
from rove.surfaces.approvers import appointed
from rove.surfaces.mcp.stdio import serve
from rove.surfaces.toolsets import Toolset


def serve_mcp(settings: Settings, begun: EarlyLaunch | None) -> int:
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="rove: %(message)s")
    if settings.attach is not None:
        print(f"rove: {UNGUARDED}", file=sys.stderr, flush=True)
    asyncio.run(_serve(settings, Toolset(settings.with_), begun))
    return 0


async def _serve(settings: Settings, tools: Toolset, begun: EarlyLaunch | None) -> None:
    serving = asyncio.current_task()
    assert serving is not None
    loop = asyncio.get_running_loop()
    for ending in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(ending, serving.cancel)
    _settle_in()
    with contextlib.suppress(asyncio.CancelledError):
        async with Sessions(settings, approver=appointed(settings)) as sessions:
            sessions.start_early(begun)
            await serve(sessions, tools)


def _settle_in() -> None:
    """What is loaded by now stays: not counted, garbage is collected sooner, and a round of it takes 2 ms, not 18.

    Otherwise it may grow to a quarter of all there is before anyone looks at it.
    """
    gc.freeze()
    gc.collect()
