"""What a page may not have, and is told so at once rather than left waiting for a person to answer."""

from __future__ import annotations

import asyncio
import contextlib

from rove.chromium.protocol.connection import CdpError, CdpSession

# Everything that a person would be asked for. A browser without a window refuses most of it by itself, one with a
# window would show a question that nobody answers.
DENIED = (
    "background-fetch", "camera", "captured-surface-control", "clipboard-read", "clipboard-write", "display-capture",
    "geolocation", "idle-detection", "local-fonts", "local-network", "local-network-access", "loopback-network",
    "microphone", "midi", "nfc", "notifications", "payment-handler", "periodic-background-sync", "persistent-storage",
    "screen-wake-lock", "window-management",
)  # fmt: skip


async def deny_all(root: CdpSession, context: str) -> None:
    """For every origin of a context, all in one go."""
    await asyncio.gather(*(_deny(root, context, name) for name in DENIED))


async def _deny(root: CdpSession, context: str, name: str) -> None:
    denial = {"permission": {"name": name}, "setting": "denied", "browserContextId": context}
    with contextlib.suppress(CdpError):  # what this browser does not know, it cannot give
        await root.send("Browser.setPermission", denial)
