"""Emulation: device, viewport, place, preferences, permissions, HTTP credentials, slow or no network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from rove.action import ContextAction, Effect, TabAction, action, arg
from rove.advice import nearest
from rove.browser.emulation import (
    DEVICES,
    ColorScheme,
    Contrast,
    DeviceName,
    Emulation,
    ForcedColors,
    HttpCredential,
    Location,
    Media,
    PermissionGrant,
    Size,
    has_touch,
)
from rove.browser.network import Throttling
from rove.errors import Denied, InvalidArguments
from rove.outcome import Result
from rove.page_text import Own
from rove.records import dataclass
from rove.target import Origin, secret_named

if TYPE_CHECKING:
    from rove.browser.shared.context import Context
    from rove.browser.shared.tab import Tab

# As Chrome's developer tools define them: milliseconds, kilobits per second down and up.
PRESETS = {
    "none": Throttling(),
    "slow-3g": Throttling(2000, 400, 400),
    "slow-4g": Throttling(562.5, 1440, 675),
    "fast-4g": Throttling(165, 8100, 1350),
}

# Not among them: what would give a page the clipboard, the screen, the camera, the microphone or the network of the
# machine that the browser runs on.
PermissionName = Literal[
    "accelerometer", "ambient-light-sensor", "background-sync", "geolocation", "gyroscope", "idle-detection",
    "magnetometer", "midi", "notifications", "payment-handler", "persistent-storage", "screen-wake-lock",
    "storage-access", "window-management",
]  # fmt: skip


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


@dataclass(frozen=True)
class Resized(Result):
    width: int
    height: int

    def __str__(self) -> str:
        return f"The viewport is {self.width} x {self.height}."


@action(Effect.ACT, group="emulation")
class Resize(TabAction[Resized]):
    """Change the size of the tab's viewport."""

    width: int = arg("CSS pixels.", le=10_000)
    height: int = arg("CSS pixels.", le=10_000)

    @property
    def is_about_page(self) -> bool:
        return False  # the next page is as large

    async def perform(self, tab: Tab) -> Resized:
        if self.width <= 0 or self.height <= 0:
            raise InvalidArguments("Invalid dimensions: width and height must be positive")
        await tab.resize(self.width, self.height)
        return Resized(self.width, self.height)


@dataclass(frozen=True)
class NetworkSwitched(Result):
    offline: bool

    def __str__(self) -> str:
        return "The session is offline." if self.offline else "The session is online."


@action(Effect.ACT, group="emulation")
class Offline(ContextAction[NetworkSwitched]):
    """Take the session's network away, or give it back."""

    offline: bool = arg("False to be online again.", default=True)

    async def perform(self, context: Context) -> NetworkSwitched:
        await context.network_conditions.set_offline(self.offline)
        return NetworkSwitched(self.offline)


@dataclass(frozen=True)
class Throttled(Result):
    latency: float
    download: float | None
    upload: float | None
    cpu: float

    def __str__(self) -> str:
        facts = [f"{self.latency:g} ms latency"] if self.latency else []
        facts += [f"{self.download:g} kbit/s down"] if self.download is not None else []
        facts += [f"{self.upload:g} kbit/s up"] if self.upload is not None else []
        facts += [f"scripts {self.cpu:g} times slower"] if self.cpu != 1 else []
        return f"The session is throttled: {', '.join(facts)}." if facts else "The session is not throttled."


@action(Effect.ACT, observes=False, group="emulation")
class Throttle(ContextAction[Throttled]):
    """Slow down the session's network and scripts. Without arguments, end that."""

    network: Literal["none", "slow-3g", "slow-4g", "fast-4g"] = arg("A kind of network.", default="none")
    latency: float | None = arg("Milliseconds added to each request.", default=None, ge=0, le=60_000)
    download: float | None = arg("Kilobits per second.", default=None, ge=1)
    upload: float | None = arg("Kilobits per second.", default=None, ge=1)
    cpu: float = arg("How many times slower scripts run.", default=1, ge=1, le=100)

    async def perform(self, context: Context) -> Throttled:
        preset = PRESETS[self.network]
        wanted = Throttling(
            preset.latency if self.latency is None else self.latency,
            self.download or preset.download,
            self.upload or preset.upload,
            self.cpu,
        )
        await context.network_conditions.throttle(wanted)
        return Throttled(wanted.latency, wanted.download, wanted.upload, wanted.cpu)


@dataclass(frozen=True)
class Permitted(Result):
    grants: tuple[Own, ...]

    def __str__(self) -> str:
        return "\n".join(self.grants) if self.grants else "No origin has any permission."


@action(Effect.ACT, group="emulation")
class Permissions(ContextAction[Permitted]):
    """Set the permissions that pages of one origin have; all others are denied. Without an origin, list them."""

    origin: Origin | None = arg("Which pages.", default=None)
    names: tuple[PermissionName, ...] = arg("All that it may do from now on; none takes them back.", default=())

    def complete(self) -> None:
        if self.names and self.origin is None:
            raise InvalidArguments("`origin` is missing: say which pages get the permissions.")

    @property
    def destination(self) -> str | None:
        return self.origin

    async def perform(self, context: Context) -> Permitted:
        if self.origin is not None:
            await context.override(replace(context.overrides, grants=self._grants(context)))
        return Permitted(tuple(Own(f"{each.origin}: {', '.join(each.names)}") for each in context.overrides.grants))

    def _grants(self, context: Context) -> tuple[PermissionGrant, ...]:
        others = tuple(each for each in context.overrides.grants if each.origin != self.origin)
        own = (PermissionGrant(self.origin, tuple(dict.fromkeys(self.names))),) if self.origin and self.names else ()
        return (*others, *own)


@dataclass(frozen=True)
class CredentialsSet(Result):
    credentials: tuple[Own, ...]

    def __str__(self) -> str:
        return "\n".join(self.credentials) if self.credentials else "There are no credentials."


@action(Effect.ACT, group="emulation")
class Credentials(ContextAction[CredentialsSet]):
    """Answer a server that asks for a password in the browser's own prompt (HTTP authentication)."""

    origin: Origin = arg("The server.")
    username: str | None = arg("User name; none to forget the credentials.", default=None, max_length=500)
    password: str | None = arg("secret:NAME, a secret that the owner has bound to the origin.", default=None)

    def complete(self) -> None:
        if (self.username is None) != (self.password is None):
            raise InvalidArguments("`username` and `password` go together: give both, or none to forget them.")

    @property
    def destination(self) -> str | None:
        return self.origin

    @property
    def secrets(self) -> tuple[str, ...]:
        name = secret_named(self.password or "")
        return (name,) if name else ()

    async def perform(self, context: Context) -> CredentialsSet:
        self._check_password(context)
        kept = tuple(each for each in context.overrides.credentials if each.origin != self.origin)
        if self.username is not None and self.password is not None:
            kept = (*kept, HttpCredential(self.origin, self.username, self.password))
        await context.override(replace(context.overrides, credentials=kept))
        return CredentialsSet(tuple(Own(f"{each.username} at {each.origin}") for each in kept))

    def _check_password(self, context: Context) -> None:
        """Raise Denied unless the password is a secret of this origin, or the owner lets agents write any."""
        name = secret_named(self.password or "")
        if name is not None and context.secrets is not None:
            context.secrets.use(name, self.origin)
        elif self.password is not None and context.settings.guard.passwords == "refuse":
            hint = context.secrets.offer(self.origin) if context.secrets is not None else None
            raise Denied("Only a named secret is sent to a server as a password.", hint=hint)
