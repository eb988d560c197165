"""An emulation as commands of the DevTools protocol."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from rove.browser.emulation.emulation import Emulation, Size
from rove.chromium.emulation.user_agents import override_params, user_agent_of

# The kind of a CDP session: of a page, of a frame in another process, or of a worker.
TargetKind = Literal["page", "frame", "worker"]
Command = tuple[str, dict[str, Any]]
NOTHING = Emulation()
TOUCH_POINTS = 5
_PORTRAIT = {"type": "portraitPrimary", "angle": 0}
_LANDSCAPE = {"type": "landscapePrimary", "angle": 90}


def metrics(emulation: Emulation, size: Size) -> Command:
    """Return the command that sets the viewport of a page."""
    params: dict[str, Any] = {"width": size.width, "height": size.height, "mobile": emulation.is_mobile}
    if emulation.size is not None:
        params |= {"screenWidth": size.width, "screenHeight": size.height}
    if emulation.is_mobile:
        params["screenOrientation"] = _LANDSCAPE if size.width > size.height else _PORTRAIT
    return "Emulation.setDeviceMetricsOverride", {**params, "deviceScaleFactor": emulation.density or 0}


def changes(kind: TargetKind, before: Emulation, after: Emulation, product: str) -> Iterator[Command]:
    """Yield the commands that lead from one emulation to another, except for the size of the viewport."""
    if _identity(before) != _identity(after):
        yield "Emulation.setUserAgentOverride", _identity_params(after, product)
    if before.locale != after.locale:
        yield "Emulation.setLocaleOverride", {"locale": after.locale} if after.locale else {}
    if before.time_zone != after.time_zone:
        yield "Emulation.setTimezoneOverride", {"timezoneId": after.time_zone or ""}
    if kind != "worker":
        yield from _document_changes(before, after)


def _identity(emulation: Emulation) -> tuple[str | None, str | None, str | None]:
    """Return what the user agent override is made of."""
    return emulation.device, emulation.user_agent, emulation.locale


def _identity_params(emulation: Emulation, product: str) -> dict[str, Any]:
    user_agent = emulation.user_agent or (user_agent_of(emulation.device, product) if emulation.device else "")
    return override_params(user_agent, emulation.device, emulation.locale)


def _document_changes(before: Emulation, after: Emulation) -> Iterator[Command]:
    if before.has_touch != after.has_touch:
        points = {"maxTouchPoints": TOUCH_POINTS} if after.has_touch else {}
        yield "Emulation.setTouchEmulationEnabled", {"enabled": after.has_touch, **points}
    if before.location != after.location:
        yield _location(after)
    if _media(before) != _media(after):
        yield _media(after)


def _location(emulation: Emulation) -> Command:
    place = emulation.location
    if place is None:
        return "Emulation.clearGeolocationOverride", {}
    position = {"latitude": place.latitude, "longitude": place.longitude, "accuracy": place.accuracy}
    return "Emulation.setGeolocationOverride", position


def _media(emulation: Emulation) -> Command:
    motion = {None: "", True: "reduce", False: "no-preference"}[emulation.reduces_motion]
    features = {"prefers-color-scheme": emulation.color_scheme or "", "prefers-reduced-motion": motion}
    features |= {"forced-colors": emulation.forced_colors or "", "prefers-contrast": emulation.contrast or ""}
    return "Emulation.setEmulatedMedia", {
        "media": emulation.media or "",
        "features": [{"name": name, "value": value} for name, value in features.items()],
    }
