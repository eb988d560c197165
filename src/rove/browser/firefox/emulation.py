"""What a session emulates and grants, in the commands of WebDriver BiDi."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from rove.browser.emulation import (
    DEVICES,
    SAFARI_USER_AGENTS,
    DeviceName,
    Emulation,
    Overrides,
    Size,
    System,
    has_touch,
)
from rove.browser.firefox.connection import BidiConnection, BidiError, PageChannel
from rove.browser.firefox.interception import Interceptor
from rove.browser.shared import resources
from rove.errors import InvalidArguments, Unsupported
from rove.patterns import pattern

_MAJOR = pattern(r"Firefox/(\d+)")
_GECKO = "rv:{major}.0) Gecko/20100101 Firefox/{major}.0"
# Browsers on iOS are Safari inside, and say so.
_USER_AGENTS: dict[System, str] = {
    **SAFARI_USER_AGENTS,
    "Android": "Mozilla/5.0 (Android 16; {kind}; rv:{major}.0) Gecko/{major}.0 Firefox/{major}.0",
    "macOS": f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; {_GECKO}",
    "Windows": f"Mozilla/5.0 (Windows NT 10.0; Win64; x64; {_GECKO}",
    "Linux": f"Mozilla/5.0 (X11; Linux x86_64; {_GECKO}",
}
Command = tuple[str, dict[str, Any]]
NOTHING = Emulation()
# How Firefox refuses what its version does not have yet.
_UNKNOWN = ("unknown command", "unsupported operation")
# The preferences of a user that are media features, and the name of the argument that asks for each.
_PREFERENCES = {
    "prefers-color-scheme": "color_scheme",
    "prefers-reduced-motion": "reduced_motion",
    "forced-colors": "forced_colors",
    "prefers-contrast": "contrast",
}


def user_agent_of(device: DeviceName, own: str) -> str:
    """Return the user agent of a device; `own` is that of the Firefox that runs, whose version it has."""
    made, found = DEVICES[device], _MAJOR.search(own)
    kind = "Mobile" if made.is_mobile else "Tablet"
    return _USER_AGENTS[made.system].format(major=found[1] if found else "", kind=kind)


class SessionOverrides(resources.SessionOverrides):
    """Applies one `Overrides` to a user context. `size`: that of pages whose viewport nothing else sets."""

    def __init__(
        self, connection: BidiConnection, context: str, interceptor: Interceptor, size: Size, user_agent: str
    ) -> None:
        super().__init__()
        self._connection = connection
        self._context = context
        self._interceptor = interceptor
        self._size = size
        self._user_agent = user_agent

    @property
    def user_agent(self) -> str:
        """The user agent that pages send."""
        return self._user_agent_of(self.values.emulation) or self._user_agent

    async def open(self) -> None:
        """Give the pages of a new context their size."""
        await self._send(self._screen(NOTHING))

    def check(self, values: Overrides) -> None:
        """Raise Unsupported if something is to be emulated that WebDriver BiDi has no command for."""
        asked = ["media"] if values.emulation.media is not None else []
        if values.emulation.has_touch and not has_touch(values.emulation.device):
            asked.append("touch")
        if asked:
            raise _cannot(asked)

    async def restore(self, values: Overrides) -> None:
        self.values = values
        await self._emulate_preferences(NOTHING, values.emulation)
        for command in self._changes(NOTHING, values.emulation):
            await self._send(command)
        await self._send(self._screen(values.emulation))
        await self._interceptor.apply(values.rules, values.credentials)

    async def apply(self, values: Overrides) -> None:
        """Override this from now on, in all pages.

        Raises Unsupported if this Firefox cannot, and InvalidArguments if it refuses a value.
        """
        # A phone is emulated without its touch screen, which the action tells.
        values = replace(values, emulation=replace(values.emulation, has_touch=False))
        before, after = self.values.emulation, values.emulation
        has_other_screen = _screen_of(before) != _screen_of(after)
        if has_other_screen:
            values = replace(values, sizes={})  # every page gets the size that is emulated
        await self._emulate_preferences(before, after)
        try:
            for command in self._changes(before, after):
                await self._send(command)
            if has_other_screen:
                await self._send(self._screen(after))
        except BidiError as error:
            await self._undo(after, before)
            raise InvalidArguments(f"The browser refuses this: {error}.") from error
        self.values = values
        await self._interceptor.apply(values.rules, values.credentials)

    async def resize(self, channel: PageChannel, tab: str, size: Size) -> None:
        """Set the viewport of the page in a tab, which stays as dense as it is."""
        await channel.send("browsingContext.setViewport", {"viewport": {"width": size.width, "height": size.height}})
        self.values = replace(self.values, sizes={**self.values.sizes, tab: size})

    async def _emulate_preferences(self, before: Emulation, after: Emulation) -> None:
        """Say what the user prefers. What is emulated no longer is named too, as Firefox keeps what is not named."""
        old, new = _preferences(before), _preferences(after)
        if old == new:
            return
        features = {**dict.fromkeys(old), **new} if new else None
        try:
            await self._send(("emulation.setMediaFeaturesOverride", {"features": features}))
        except BidiError as error:
            if error.code in _UNKNOWN:
                raise _cannot(
                    _PREFERENCES[name] for name in new if name not in old or old[name] != new[name]
                ) from error
            raise

    async def _undo(self, after: Emulation, before: Emulation) -> None:
        await self._emulate_preferences(after, before)
        for command in (*self._changes(after, before), self._screen(before)):
            await self._send(command)

    async def _send(self, command: Command) -> None:
        method, params = command
        await self._connection.send(method, {**params, "userContexts": [self._context]})

    def _screen(self, emulation: Emulation) -> Command:
        size = emulation.size or self._size
        viewport = {"width": size.width, "height": size.height}
        return "browsingContext.setViewport", {"viewport": viewport, "devicePixelRatio": emulation.density}

    def _changes(self, before: Emulation, after: Emulation) -> Iterator[Command]:
        """Yield the commands that lead from one emulation to another, except for the size of the viewport."""
        if self._user_agent_of(before) != self._user_agent_of(after):
            yield "emulation.setUserAgentOverride", {"userAgent": self._user_agent_of(after)}
        if before.locale != after.locale:
            yield "emulation.setLocaleOverride", {"locale": after.locale}
        if before.time_zone != after.time_zone:
            yield "emulation.setTimezoneOverride", {"timezone": after.time_zone}
        if before.location != after.location:
            yield "emulation.setGeolocationOverride", {"coordinates": _coordinates(after)}
        if before.size != after.size:
            area = {"width": after.size.width, "height": after.size.height} if after.size is not None else None
            yield "emulation.setScreenSettingsOverride", {"screenArea": area}
        if _orientation(before) != _orientation(after):
            yield "emulation.setScreenOrientationOverride", {"screenOrientation": _orientation(after)}

    def _user_agent_of(self, emulation: Emulation) -> str | None:
        if emulation.user_agent is not None or emulation.device is None:
            return emulation.user_agent
        return user_agent_of(emulation.device, self._user_agent)


def _cannot(asked: Iterable[str]) -> Unsupported:
    return Unsupported(
        f"This Firefox cannot emulate this: {', '.join(asked)}.",
        hint="Open a session with the engine chromium for it, or leave it out; color_scheme needs Firefox 159.",
    )


def _preferences(emulation: Emulation) -> dict[str, str]:
    """Return what the user is said to prefer, by media feature."""
    motion = emulation.reduces_motion
    found = {
        "prefers-color-scheme": emulation.color_scheme,
        "prefers-reduced-motion": None if motion is None else "reduce" if motion else "no-preference",
        "forced-colors": emulation.forced_colors,
        "prefers-contrast": emulation.contrast,
    }
    return {name: value for name, value in found.items() if value is not None}


def _screen_of(emulation: Emulation) -> tuple[Any, ...]:
    return emulation.size, emulation.density


def _coordinates(emulation: Emulation) -> dict[str, float] | None:
    place = emulation.location
    if place is None:
        return None
    return {"latitude": place.latitude, "longitude": place.longitude, "accuracy": place.accuracy}


def _orientation(emulation: Emulation) -> dict[str, str] | None:
    if emulation.size is None or not emulation.is_mobile:
        return None
    is_wide = emulation.size.width > emulation.size.height
    return {"natural": "portrait", "type": "landscape-primary" if is_wide else "portrait-primary"}
