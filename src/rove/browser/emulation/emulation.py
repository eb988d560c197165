"""What pages are told of the device, of where it is and of what its user prefers."""

from __future__ import annotations

from typing import Literal

from rove.browser.emulation.devices import DeviceName
from rove.validation.record import dataclass

ColorScheme = Literal["light", "dark"]
ForcedColors = Literal["active", "none"]
Contrast = Literal["more", "no-preference"]
Media = Literal["screen", "print"]


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
