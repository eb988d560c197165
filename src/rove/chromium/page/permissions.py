"""Permissions: all are denied, so that pages get an answer at once instead of waiting for a person."""

from __future__ import annotations

import asyncio
import contextlib

from rove.chromium.protocol.connection import CdpError, CdpSession

# Every permission for which a browser prompts. Headless browsers deny most of them by themselves; a browser with a
# window would show a prompt that stays unanswered.
DENIED = (
    "background-fetch", "camera", "captured-surface-control", "clipboard-read", "clipboard-write", "display-capture",
    "geolocation", "idle-detection", "local-fonts", "local-network", "local-network-access", "loopback-network",
    "microphone", "midi", "nfc", "notifications", "payment-handler", "periodic-background-sync", "persistent-storage",
    "screen-wake-lock", "window-management",
)  # fmt: skip


async def deny_all(root: CdpSession, context: str) -> None:
    """Deny every permission to every origin of a context."""
    await asyncio.gather(*(_deny(root, context, name) for name in DENIED))


async def _deny(root: CdpSession, context: str, name: str) -> None:
    denial = {"permission": {"name": name}, "setting": "denied", "browserContextId": context}
    with contextlib.suppress(CdpError):  # this version of the browser does not have the permission
        await root.send("Browser.setPermission", denial)
