"""Emulation of a device, of where it is and of what its user prefers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from rove.action import ContextAction, Effect, action, arg
from rove.browser.emulation import (
    DEVICES,
    ColorScheme,
    Contrast,
    DeviceName,
    Emulation,
    ForcedColors,
    Location,
    Media,
    Size,
    has_touch,
)
from rove.errors import InvalidArguments
from rove.outcome import Own, Result
from rove.validation.record import dataclass
from rove.validation.spelling import nearest

if TYPE_CHECKING:
    from rove.browser.shared.context import Context


def checked_time_zone(name: str) -> str:
    """Return the name of a time zone. Raises ValueError if there is no such zone, as far as this machine knows them."""
    from zoneinfo import available_timezones  # reads the time zones of the machine, which may have none

    known = available_timezones()
    if known and name not in known:
        near = nearest(name, known)
        raise ValueError(f"there is no time zone {name!r}{f': did you mean {near}?' if near else ''}")
    return name


Preference = Literal["color_scheme", "reduced_motion", "forced_colors", "contrast", "media"]
# What each preference is called in an emulation.
PREFERENCES: dict[Preference, str] = {
    "color_scheme": "color_scheme",
    "reduced_motion": "reduces_motion",
    "forced_colors": "forced_colors",
    "contrast": "contrast",
    "media": "media",
}
LANGUAGE_TAG = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$"


@dataclass(frozen=True)
class Emulated(Result):
    emulated: tuple[Own, ...]

    def __str__(self) -> str:
        if not self.emulated:
            return "Nothing is emulated."
        return f"All tabs: {'; '.join(self.emulated)}. Reload a page to make sure that it takes all of it."


@action(Effect.ACT, group="emulation")
class Emulate(ContextAction[Emulated]):
    """Show pages another device, place, language or preference, in all tabs of the session. What is not given stays."""

    device: DeviceName | None = arg("Sets size, density, touch and user agent.", default=None)
    landscape: bool = arg("Turn the device.", default=False)
    width: int | None = arg("CSS pixels; with height.", default=None, ge=1, le=10_000)
    height: int | None = arg("CSS pixels; with width.", default=None, ge=1, le=10_000)
    density: float | None = arg("Device pixels for each CSS pixel.", default=None, ge=0.1, le=10)
    mobile: bool | None = arg("Heed the viewport meta tag, as phones do.", default=None)
    touch: bool | None = arg("A touch screen.", default=None)
    user_agent: str | None = arg("User agent; client hints follow it.", default=None, max_length=1000,
                                 pattern=r"^[\x20-\x7e]+$")  # fmt: skip
    latitude: float | None = arg("Degrees; pages need the permission geolocation.", default=None, ge=-90, le=90)
    longitude: float | None = arg("Degrees.", default=None, ge=-180, le=180)
    accuracy: float = arg("Metres.", default=10, ge=0)
    locale: str | None = arg("Such as de-DE.", default=None, pattern=LANGUAGE_TAG)
    time_zone: str | None = arg("Such as Europe/Berlin.", default=None, check=checked_time_zone)
    color_scheme: ColorScheme | None = arg("What the user prefers.", default=None)
    reduced_motion: bool | None = arg("Whether the user prefers less motion.", default=None)
    forced_colors: ForcedColors | None = arg("Whether colours are forced.", default=None)
    contrast: Contrast | None = arg("What contrast the user prefers.", default=None)
    media: Media | None = arg("CSS media type.", default=None)
    clear: tuple[Preference, ...] = arg("Preferences to emulate no longer.", default=(), rare=True)
    reset: bool = arg("End what is emulated before what is given here begins.", default=False)

    def complete(self) -> None:
        for one, other in (("width", "height"), ("latitude", "longitude")):
            if (getattr(self, one) is None) != (getattr(self, other) is None):
                raise InvalidArguments(f"`{one}` and `{other}` go together: give both.")

    async def perform(self, context: Context) -> Emulated:
        before = Emulation() if self.reset else context.overrides.emulation
        cleared = {PREFERENCES[name]: None for name in self.clear}
        after = replace(before, **{**cleared, **self._device_values(), **self._given()})
        if after != context.overrides.emulation:
            await context.override(replace(context.overrides, emulation=after))
        return Emulated(tuple(map(Own, _lines(context.overrides.emulation))))

    def _device_values(self) -> dict[str, Any]:
        """Return what the device sets, except for what is given beside it."""
        if self.device is None:
            return {}
        device = DEVICES[self.device]
        width, height = (device.height, device.width) if self.landscape else (device.width, device.height)
        values = {
            "device": self.device,
            "size": Size(width, height),
            "density": device.density,
            "is_mobile": device.is_mobile,
            "has_touch": device.has_touch,
            "user_agent": None,
        }
        return {name: value for name, value in values.items() if name not in self._given()}

    def _given(self) -> dict[str, Any]:
        """Return what the arguments besides the device set."""
        size = Size(self.width, self.height) if self.width and self.height else None
        given = {
            "size": size,
            "density": self.density,
            "is_mobile": self.mobile,
            "has_touch": self.touch,
            "user_agent": self.user_agent,
            "location": self._location(),
            "locale": self.locale,
            "time_zone": self.time_zone,
            "color_scheme": self.color_scheme,
            "reduces_motion": self.reduced_motion,
            "forced_colors": self.forced_colors,
            "contrast": self.contrast,
            "media": self.media,
        }
        return {name: value for name, value in given.items() if value is not None}

    def _location(self) -> Location | None:
        if self.latitude is None or self.longitude is None:
            return None
        return Location(self.latitude, self.longitude, self.accuracy)


def _lines(emulation: Emulation) -> Iterator[str]:
    """Yield what is emulated, each in a few words."""
    if emulation.device:
        yield emulation.device
    if emulation.size:
        yield f"{emulation.size} at density {emulation.density or 1:g}"
    elif emulation.density:
        yield f"density {emulation.density:g}"
    yield from (word for word, is_on in (("mobile", emulation.is_mobile), ("touch", emulation.has_touch)) if is_on)
    if has_touch(emulation.device) and not emulation.has_touch:
        yield "no touch screen"
    named = {
        "user agent": emulation.user_agent,
        "location": emulation.location,
        "locale": emulation.locale,
        "time zone": emulation.time_zone,
        "color scheme": emulation.color_scheme,
        "forced colors": emulation.forced_colors,
        "contrast": emulation.contrast,
        "media": emulation.media,
    }
    yield from (f"{name} {value}" for name, value in named.items() if value is not None)
    if emulation.reduces_motion is not None:
        yield "reduced motion" if emulation.reduces_motion else "motion not reduced"
