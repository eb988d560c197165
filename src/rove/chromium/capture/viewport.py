"""The size of a page's viewport."""

from __future__ import annotations

from rove.chromium.protocol.connection import CdpSession


async def resize(cdp: CdpSession, width: int, height: int) -> None:
    """Set the viewport's size in CSS pixels."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 0, "mobile": False}
    await cdp.send("Emulation.setDeviceMetricsOverride", metrics)
