"""What a session overrides: device, place and preferences that pages see, permissions, rules for requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from rove.browser.network import RequestRule
from rove.records import dataclass

DeviceName = Literal[
    "iPhone SE", "iPhone 16e", "iPhone 17", "iPhone 17 Pro Max", "iPad", "iPad Pro 13",
    "Pixel 10", "Galaxy S25", "Galaxy Tab S10+", "MacBook Air 13", "Windows laptop", "Desktop 1080p",
]  # fmt: skip
System = Literal["iOS", "iPadOS", "Android", "macOS", "Windows", "Linux"]

_SAFARI = "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0"
SAFARI_USER_AGENTS: Mapping[System, str] = {
    "iOS": f"Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) {_SAFARI} Mobile/15E148 Safari/604.1",
    # An iPad asks for desktop sites, and so says to be a Mac.
    "iPadOS": f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {_SAFARI} Safari/605.1.15",
}
ColorScheme = Literal["light", "dark"]
ForcedColors = Literal["active", "none"]
Contrast = Literal["more", "no-preference"]
Media = Literal["screen", "print"]


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


@dataclass(frozen=True)
class Size:
    """The size of a viewport, in CSS pixels."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width} x {self.height}"


@dataclass(frozen=True)
class Location:
    """A place on Earth, in degrees, and the radius in metres within which the device is said to be."""

    latitude: float
    longitude: float
    accuracy: float

    def __str__(self) -> str:
        return f"{self.latitude:g}, {self.longitude:g} (within {self.accuracy:g} m)"


@dataclass(frozen=True)
class Emulation:
    """What is emulated. None, or False, leaves what the browser says by itself."""

    device: DeviceName | None = None
    size: Size | None = None
    density: float | None = None
    is_mobile: bool = False
    has_touch: bool = False
    user_agent: str | None = None
    location: Location | None = None
    locale: str | None = None
    time_zone: str | None = None
    color_scheme: ColorScheme | None = None
    reduces_motion: bool | None = None
    forced_colors: ForcedColors | None = None
    contrast: Contrast | None = None
    media: Media | None = None


@dataclass(frozen=True)
class PermissionGrant:
    """The permissions that pages of one origin have. All others are denied."""

    origin: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class HttpCredential:
    """The user name and password for a server that asks for them. `password` may be `secret:NAME`."""

    origin: str
    username: str
    password: str


@dataclass(frozen=True)
class Overrides:
    """What differs from what the browser does by itself. `rules_given` counts the rules that there have been."""

    emulation: Emulation = Emulation()
    grants: tuple[PermissionGrant, ...] = ()
    rules: tuple[RequestRule, ...] = ()
    rules_given: int = 0
    credentials: tuple[HttpCredential, ...] = ()
    # The viewports that were set for single tabs, by their ids.
    sizes: Mapping[str, Size] = field(default_factory=dict[str, Size])
