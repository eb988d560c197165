"""Requests for the frames of processes, which may not answer."""

from __future__ import annotations

import asyncio

from rove.chromium.protocol.connection import CdpResult, CdpSession


def request_tree(cdp: CdpSession) -> asyncio.Task[CdpResult]:
    """Ask for the frames of a process, without waiting for the answer."""
    task = asyncio.ensure_future(cdp.send("Page.getFrameTree"))
    # Retrieves the exception of a request that fails after its timeout, which asyncio would log otherwise.
    task.add_done_callback(has_failed)
    return task


def has_failed(request: asyncio.Task[CdpResult]) -> bool:
    """Return whether the process went away instead of answering."""
    return request.done() and (request.cancelled() or request.exception() is not None)


def tree_of(request: asyncio.Task[CdpResult]) -> CdpResult | None:
    """Return the answer; None if it has not arrived."""
    return request.result()["frameTree"] if request.done() else None
