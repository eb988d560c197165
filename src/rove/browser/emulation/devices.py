"""Devices that can be emulated: the screen of each, and which browser it says to have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from rove.validation.record import dataclass

DeviceName = Literal[
    "iPhone SE", "iPhone 16e", "iPhone 17", "iPhone 17 Pro Max", "iPad", "iPad Pro 13",
    "Pixel 10", "Galaxy S25", "Galaxy Tab S10+", "MacBook Air 13", "Windows laptop", "Desktop 1080p",
]  # fmt: skip
System = Literal["iOS", "iPadOS", "Android", "macOS", "Windows", "Linux"]


@dataclass(frozen=True)
class Device:
    """A device in its usual orientation. `model` is what Chromium tells servers that ask for it."""

    width: int
    height: int
    density: float
    system: System
    is_mobile: bool = True
    has_touch: bool = True
    model: str = ""


DEVICES: Mapping[DeviceName, Device] = {
    "iPhone SE": Device(375, 667, 2, "iOS"),
    "iPhone 16e": Device(390, 844, 3, "iOS"),
    "iPhone 17": Device(402, 874, 3, "iOS"),
    "iPhone 17 Pro Max": Device(440, 956, 3, "iOS"),
    "iPad": Device(820, 1180, 2, "iPadOS"),
    "iPad Pro 13": Device(1032, 1376, 2, "iPadOS"),
    "Pixel 10": Device(412, 923, 2.625, "Android", model="Pixel 10"),
    "Galaxy S25": Device(360, 780, 3, "Android", model="SM-S931B"),
    "Galaxy Tab S10+": Device(876, 1400, 2, "Android", is_mobile=False, model="SM-X820"),
    "MacBook Air 13": Device(1470, 956, 2, "macOS", is_mobile=False, has_touch=False),
    "Windows laptop": Device(1536, 864, 1.25, "Windows", is_mobile=False, has_touch=False),
    "Desktop 1080p": Device(1920, 1080, 1, "Linux", is_mobile=False, has_touch=False),
}


def has_touch(name: DeviceName | None) -> bool:
    """Return whether a device of this name has a touch screen; no device has none."""
    return name is not None and DEVICES[name].has_touch
