"""User agent strings, and the client hints (`Sec-CH-UA-*`, `navigator.userAgentData`) that go with them."""

from __future__ import annotations

import sys
from typing import Any

from rove.browser.emulation.devices import DEVICES, Device, DeviceName, System
from rove.browser.emulation.safari import SAFARI_USER_AGENTS
from rove.validation.pattern import pattern

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
