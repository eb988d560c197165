"""Emulation of devices, places, preferences and permissions in the pages, frames and workers of a context.

A headless browser names itself `HeadlessChrome`. A user agent that is given on its command line holds everywhere, in
each worker and request, but empties the client hints that have details; these are set for each page, frame and worker.
"""

from __future__ import annotations

import asyncio
import contextlib
import platform
import sys
from collections.abc import Coroutine, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from rove.browser.chromium.connection import CdpError, CdpSession
from rove.browser.emulation import (
    DEVICES,
    SAFARI_USER_AGENTS,
    Device,
    DeviceName,
    Emulation,
    Overrides,
    Size,
    System,
)
from rove.browser.shared import resources
from rove.errors import InvalidArguments
from rove.patterns import pattern
from rove.records import dataclass
from rove.tasks import BackgroundTasks

if TYPE_CHECKING:
    from rove.browser.chromium.interception import Interceptor
    from rove.browser.chromium.network import NetworkLog

_CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{major}.0.0.0"
_USER_AGENTS: dict[System, str] = {
    **SAFARI_USER_AGENTS,
    "Android": f"Mozilla/5.0 (Linux; Android 10; K) {_CHROME}{{mobile}} Safari/537.36",
    "macOS": f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {_CHROME} Safari/537.36",
    "Windows": f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {_CHROME} Safari/537.36",
    "Linux": f"Mozilla/5.0 (X11; Linux x86_64) {_CHROME} Safari/537.36",
}
# The system that a user agent names, and what Chromium there tells: its name, its version, `navigator.platform`.
_SYSTEMS = (
    ("Android", "Android", "16.0.0", "Linux armv81"),
    ("Windows", "Windows", "19.0.0", "Win32"),
    ("iPhone", "iOS", "", "iPhone"),
    ("iPad", "iOS", "", "iPad"),
    ("CrOS", "Chrome OS", "16328.0.0", "Linux x86_64"),
    ("Macintosh", "macOS", "26.0.0", "MacIntel"),
    ("Linux", "Linux", "6.12.0", "Linux x86_64"),
)
_VERSION = pattern(r"(\d+)\.[\d.]+")
_CHROME_VERSION = pattern(r"\bChrome/((\d+)[\d.]*)")
_ARMS = frozenset({"Android", "macOS"})

# The kind of a CDP session: of a page, of a frame in another process, or of a worker.
TargetKind = Literal["page", "frame", "worker"]
Command = tuple[str, dict[str, Any]]
NOTHING = Emulation()
TOUCH_POINTS = 5
_PORTRAIT = {"type": "portraitPrimary", "angle": 0}
_LANDSCAPE = {"type": "landscapePrimary", "angle": 90}
USER_AGENT_COMMAND = "Emulation.setUserAgentOverride"
_PRODUCT_AND_VERSION = pattern(r"^(.*?) ((\d+)\.\d+\.\d+\.\d+)")
_OWN_SYSTEMS = {"darwin": ("Macintosh; Intel Mac OS X 10_15_7", "macOS"), "linux": ("X11; Linux x86_64", "Linux")}
# How Chromium makes up the brand that stands for nothing, and the order of the brands, from its version.
_SIGNS = " (:-./);=?_"
_MADE_UP_VERSIONS = ("8", "99", "24")
_ORDERS = {2: ((0, 1), (1, 0)), 3: ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))}

# These belong to a process. Where pages share one, the first that sets them wins, and ends them when it is closed.
_OF_PROCESS = ("Emulation.setLocaleOverride", "Emulation.setTimezoneOverride")

# Every permission for which a browser prompts. Headless browsers deny most of them by themselves; a browser with a
# window would show a prompt that stays unanswered.
DENIED = (
    "background-fetch", "camera", "captured-surface-control", "clipboard-read", "clipboard-write", "display-capture",
    "geolocation", "idle-detection", "local-fonts", "local-network", "local-network-access", "loopback-network",
    "microphone", "midi", "nfc", "notifications", "payment-handler", "periodic-background-sync", "persistent-storage",
    "screen-wake-lock", "window-management",
)  # fmt: skip


def user_agent_of(device: DeviceName, product: str) -> str:
    """Return the user agent of a device; `product` is that of the browser, such as `HeadlessChrome/156.0.1.2`."""
    made = DEVICES[device]
    major = product.partition("/")[2].partition(".")[0]
    return _USER_AGENTS[made.system].format(major=major, mobile=" Mobile" if made.is_mobile else "")


def own_user_agent(version: str, is_headless: bool, is_shell: bool) -> str:
    """Return the user agent that Chromium has by itself; `version` is what it prints, such as `Chromium 156.0.1.2`.

    `is_shell`: it is the build without a window, which tells all of its version.
    """
    system: System = "macOS" if sys.platform == "darwin" else "Windows" if sys.platform == "win32" else "Linux"
    found = _VERSION.search(version)
    user_agent = _USER_AGENTS[system].format(major=found[1] if found else "", mobile="")
    if found and is_shell:
        user_agent = user_agent.replace(f"{found[1]}.0.0.0", found[0])
    return user_agent.replace("Chrome/", "HeadlessChrome/") if is_headless else user_agent


def override_params(user_agent: str, device: DeviceName | None, locale: str | None) -> dict[str, Any]:
    """Return the parameters of `Emulation.setUserAgentOverride`. An empty user agent leaves that of the browser."""
    params: dict[str, Any] = {"userAgent": user_agent}
    if locale is not None:
        params["acceptLanguage"] = locale
    system = next((facts for facts in _SYSTEMS if facts[0] in user_agent), None)
    if system is None:
        return params
    params["platform"] = system[3]
    # Browsers other than those made of Chromium send no client hints.
    if hints := _client_hints(user_agent, system[1], system[2], DEVICES[device] if device else None):
        params["userAgentMetadata"] = hints
    return params


def _client_hints(user_agent: str, system: str, system_version: str, device: Device | None) -> dict[str, Any] | None:
    version = _CHROME_VERSION.search(user_agent)
    if version is None:
        return None
    is_mobile = " Mobile" in user_agent
    return {
        "brands": _brands(version[2], "24"),
        "fullVersionList": _brands(version[1], "24.0.0.0"),
        "platform": system,
        "platformVersion": system_version,
        "architecture": "arm" if system in _ARMS else "x86",
        "bitness": "" if is_mobile else "64",
        "model": device.model if device is not None else "",
        "mobile": is_mobile,
        "wow64": False,
    }


def _brands(version: str, other: str) -> list[dict[str, str]]:
    """Return the brands in the form of Chrome, with one that stands for nothing, so that servers ignore such."""
    names = {"Chromium": version, "Google Chrome": version, "Not-A.Brand": other}
    return [{"brand": name, "version": number} for name, number in names.items()]


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


@dataclass(frozen=True)
class Identity:
    """What a browser is called: its user agent, and the client hints that go with it."""

    user_agent: str
    client_hints: dict[str, Any]

    def completed(self, commands: Iterable[Command], is_new: bool) -> Iterator[Command]:
        """Yield commands that emulate something, with this identity where they leave the browser its own.

        `is_new`: whether they are for a target that has no identity yet.
        """
        for method, params in commands:
            if method == USER_AGENT_COMMAND:
                is_new = False
                params = {**params, **({} if params["userAgent"] else self.params)}
            yield method, params
        if is_new:
            yield USER_AGENT_COMMAND, self.params

    @property
    def params(self) -> dict[str, Any]:
        return {"userAgent": self.user_agent, "userAgentMetadata": self.client_hints}


def identity_of(version: str) -> Identity | None:
    """Return the identity of a browser that prints this version; None if it says nothing that is known."""
    found = _PRODUCT_AND_VERSION.search(version)
    if found is None or sys.platform not in _OWN_SYSTEMS:
        return None
    product, full, major = found[1], found[2], found[3]
    place, system = _OWN_SYSTEMS[sys.platform]
    user_agent = f"Mozilla/5.0 ({place}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{major}.0.0.0 Safari/537.36"
    return Identity(user_agent, _own_client_hints(system, product, full, int(major)))


def _own_client_hints(system: str, product: str, full: str, major: int) -> dict[str, Any]:
    made_up = _MADE_UP_VERSIONS[major % len(_MADE_UP_VERSIONS)]
    return {
        "brands": _own_brands(product, major, str(major), made_up),
        "fullVersionList": _own_brands(product, major, full, f"{made_up}.0.0.0"),
        "fullVersion": full,
        "platform": system,
        "platformVersion": platform.mac_ver()[0],  # empty on Linux, where Chromium tells none
        "architecture": "arm" if platform.machine() in ("arm64", "aarch64") else "x86",
        "bitness": "64",
        "model": "",
        "mobile": False,
        "wow64": False,
        "formFactors": ["Desktop"],
    }


def _own_brands(product: str, major: int, version: str, made_up_version: str) -> list[dict[str, str]]:
    made_up = f"Not{_SIGNS[major % len(_SIGNS)]}A{_SIGNS[(major + 1) % len(_SIGNS)]}Brand"
    # Chromium and Chrome for Testing name no brand besides Chromium.
    names = [made_up, "Chromium", *(["Google Chrome"] if product == "Google Chrome" else [])]
    orders = _ORDERS[len(names)]
    placed = dict(zip(orders[major % len(orders)], names, strict=True))
    ordered = [placed[place] for place in range(len(names))]
    return [{"brand": name, "version": made_up_version if name == made_up else version} for name in ordered]


@dataclass(frozen=True)
class Target:
    """A CDP session that is emulated. `size`: that of a page whose viewport nothing else sets."""

    kind: TargetKind
    size: Size | None = None


class SessionOverrides(resources.SessionOverrides):
    """Applies one `Overrides` to the CDP sessions of a context, also to those that are added later."""

    def __init__(self, root: CdpSession, interceptor: Interceptor, tasks: BackgroundTasks) -> None:
        super().__init__()
        self._root = root
        self._interceptor = interceptor
        self._tasks = tasks
        self._targets: dict[CdpSession, Target] = {}
        # The product of the browser, which user agents of devices name: `HeadlessChrome/156.0.1.2`.
        self._product = ""
        # What pages are told that the browser is, where nothing else is emulated.
        self.identity: Identity | None = None

    def add(
        self, cdp: CdpSession, kind: TargetKind, log: NetworkLog | None = None, size: Size | None = None
    ) -> list[Coroutine[Any, Any, object]]:
        """Follow a CDP session; return the commands that set it up, to be sent before its first script runs."""
        if cdp not in self._targets:
            cdp.on("closed", lambda _: self._remove(cdp))
        self._targets[cdp] = target = Target(kind, size)
        commands = list(self._changes(kind, NOTHING))
        if (viewport := self._size_of(target)) is not None:
            commands.append(metrics(self.values.emulation, viewport))
        return [*(_tolerate(cdp, command) for command in commands), *self._interceptor.add(cdp, log)]

    async def restore(self, values: Overrides) -> None:
        await self._learn_product(values.emulation)
        self.values = values
        await self._interceptor.apply(values.rules, values.credentials)

    async def apply(self, values: Overrides) -> None:
        await self._learn_product(values.emulation)
        if _screen(self.values.emulation) != _screen(values.emulation):
            values = replace(values, sizes={})  # every page gets the size that is emulated
        before, self.values = self.values, values
        try:
            await asyncio.gather(*(self._change(cdp, before.emulation) for cdp in list(self._targets)))
        except CdpError as error:
            self.values = before
            await asyncio.gather(*(self._change(cdp, values.emulation, True) for cdp in list(self._targets)))
            raise InvalidArguments(f"The browser refuses this: {error}.") from error
        await self._interceptor.apply(values.rules, values.credentials)

    async def resize(self, cdp: CdpSession, tab: str, size: Size) -> None:
        """Set the viewport of the page in a tab, which stays as dense and as mobile as it is."""
        await cdp.send(*metrics(self.values.emulation, size))
        self.values = replace(self.values, sizes={**self.values.sizes, tab: size})

    def note_window(self, tab: str, size: Size) -> bool:
        """Note the size of a page that its window is to give it; False if a size or a density is emulated."""
        if _screen(self.values.emulation) != _screen(NOTHING):
            return False
        self.values = replace(self.values, sizes={**self.values.sizes, tab: size})
        return True

    async def _learn_product(self, emulation: Emulation) -> None:
        if emulation.device is not None and not self._product:
            self._product = (await self._root.send("Browser.getVersion"))["product"]

    async def _change(self, cdp: CdpSession, before: Emulation, tolerates: bool = False) -> None:
        target, after = self._targets[cdp], self.values.emulation
        for command in self._changes(target.kind, before):
            must_succeed = target.kind == "page" and (command[0] not in _OF_PROCESS or self._is_first(cdp))
            await (_send(cdp, command) if must_succeed and not tolerates else _tolerate(cdp, command))
        size = self._size_of(target)
        if size is not None and _screen(before) != _screen(after):
            await _send(cdp, metrics(after, size))

    def _changes(self, kind: TargetKind, before: Emulation) -> Iterable[Command]:
        """Return the commands that lead from an emulation to the one that holds now."""
        found = changes(kind, before, self.values.emulation, self._product)
        return found if self.identity is None else self.identity.completed(found, is_new=before is NOTHING)

    def _is_first(self, cdp: CdpSession) -> bool:
        return cdp is next((each for each, target in self._targets.items() if target.kind == "page"), None)

    def _size_of(self, target: Target) -> Size | None:
        if target.kind != "page":
            return None
        return self.values.emulation.size or target.size

    def _remove(self, cdp: CdpSession) -> None:
        self._targets.pop(cdp, None)
        self._interceptor.remove(cdp)
        emulation = self.values.emulation
        if emulation.locale or emulation.time_zone:
            self._tasks.start(self._renew_of_process())

    async def _renew_of_process(self) -> None:
        """Set what belongs to a process again, as the CDP session that had set it may be gone."""
        for cdp, target in list(self._targets.items()):
            for command in self._changes(target.kind, NOTHING):
                if command[0] in _OF_PROCESS:
                    await _tolerate(cdp, command)


def _screen(emulation: Emulation) -> tuple[Any, ...]:
    return emulation.size, emulation.density, emulation.is_mobile


async def _send(cdp: CdpSession, command: Command) -> None:
    try:
        await cdp.send(*command)
    except CdpError:
        if not cdp.is_closed:  # the page was closed meanwhile
            raise


async def _tolerate(cdp: CdpSession, command: Command) -> None:
    """Send a command that the browser may refuse: for this kind of target, or as the process has it already."""
    with contextlib.suppress(CdpError):
        await cdp.send(*command)


async def deny_all(root: CdpSession, context: str) -> None:
    """Deny every permission to every origin of a context."""
    await asyncio.gather(*(_deny(root, context, name) for name in DENIED))


async def _deny(root: CdpSession, context: str, name: str) -> None:
    denial = {"permission": {"name": name}, "setting": "denied", "browserContextId": context}
    with contextlib.suppress(CdpError):  # this version of the browser does not have the permission
        await root.send("Browser.setPermission", denial)
