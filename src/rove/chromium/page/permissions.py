"""Permissions: all are denied unless granted to an origin, so that pages get an answer at once."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable

from rove.browser.emulation.overrides import PermissionGrant
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


async def set_grants(
    root: CdpSession, context: str, before: tuple[PermissionGrant, ...], after: tuple[PermissionGrant, ...]
) -> None:
    """Grant each origin its permissions, and deny what was granted before and is not any more."""
    for grant in before:
        kept = next((each.names for each in after if each.origin == grant.origin), ())
        await _set(root, context, grant.origin, [name for name in grant.names if name not in kept], "denied")
    for grant in after:
        await _set(root, context, grant.origin, grant.names, "granted")


async def _set(root: CdpSession, context: str, origin: str, names: Iterable[str], setting: str) -> None:
    for name in names:
        params = {"permission": {"name": name}, "setting": setting, "origin": origin, "browserContextId": context}
        await root.send("Browser.setPermission", params)


async def _deny(root: CdpSession, context: str, name: str) -> None:
    denial = {"permission": {"name": name}, "setting": "denied", "browserContextId": context}
    with contextlib.suppress(CdpError):  # this version of the browser does not have the permission
        await root.send("Browser.setPermission", denial)
