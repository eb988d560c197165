"""Closing a page for good: Chromium may acknowledge a close and not do it, where the page was just navigating."""

from __future__ import annotations

import asyncio
import contextlib

from rove.chromium.protocol.connection import CdpError, CdpSession

# Each step is given this long to be seen to have worked.
PATIENCE = 0.7


async def close_target(root: CdpSession, cdp: CdpSession, target: str) -> bool:
    """Close a page, with more and more force; False if it is still there."""
    # One that waits to be let go holds up its opener, with which it may share a process: that comes first.
    for force in ("Runtime.runIfWaitingForDebugger", "Page.stopLoading", "Page.crash"):
        steps = [asyncio.ensure_future(_sent(cdp, force)), asyncio.ensure_future(_closed(root, cdp, target))]
        try:
            await asyncio.wait({steps[1]}, timeout=PATIENCE)
        finally:
            for step in steps:
                step.cancel()
        if cdp.is_closed:
            return True
    return False


async def _closed(root: CdpSession, cdp: CdpSession, target: str) -> None:
    with contextlib.suppress(CdpError):  # it went away by itself
        await root.send("Target.closeTarget", {"targetId": target})
        await cdp.wait_closed()


async def _sent(cdp: CdpSession, method: str) -> None:
    with contextlib.suppress(CdpError):
        await cdp.send(method)
