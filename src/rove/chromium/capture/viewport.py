"""The part of a page that is seen at once."""

from __future__ import annotations

from rove.chromium.protocol.connection import CdpSession


async def resize(cdp: CdpSession, width: int, height: int) -> None:
    """Make it so many CSS pixels wide and high."""
    screen = {"width": width, "height": height, "deviceScaleFactor": 0, "mobile": False}
    await cdp.send("Emulation.setDeviceMetricsOverride", screen)
