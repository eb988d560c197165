"""Closing a page with more and more force: Chromium may acknowledge a close and not do it while a page navigates."""

from __future__ import annotations

import asyncio
import contextlib

from rove.chromium.protocol.connection import CdpError, CdpSession

# Seconds to wait for the page to close after each step.
STEP_TIMEOUT = 0.7


async def close_target(root: CdpSession, cdp: CdpSession, target: str) -> bool:
    """Close a page; False if it is still open after all steps."""
    # A page that waits for the debugger blocks its opener in the same process, so it is resumed first.
    for method in ("Runtime.runIfWaitingForDebugger", "Page.stopLoading", "Page.crash"):
        steps = [asyncio.ensure_future(_send(cdp, method)), asyncio.ensure_future(_close(root, cdp, target))]
        try:
            await asyncio.wait({steps[1]}, timeout=STEP_TIMEOUT)
        finally:
            for step in steps:
                step.cancel()
        if cdp.is_closed:
            return True
    return False


async def _close(root: CdpSession, cdp: CdpSession, target: str) -> None:
    with contextlib.suppress(CdpError):  # the page is closed already
        await root.send("Target.closeTarget", {"targetId": target})
        await cdp.wait_closed()


async def _send(cdp: CdpSession, method: str) -> None:
    with contextlib.suppress(CdpError):
        await cdp.send(method)
