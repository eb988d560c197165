"""The user agent and client hints that a headless browser would have with a window.

A headless browser names itself `HeadlessChrome`. A user agent that is given on its command line holds everywhere, in
each worker and request, but empties the client hints that have details; these are set for each page, frame and worker.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from rove.chromium.emulation.commands import Command
from rove.validation.pattern import pattern
from rove.validation.record import dataclass

USER_AGENT_COMMAND = "Emulation.setUserAgentOverride"
_VERSION = pattern(r"^(.*?) ((\d+)\.\d+\.\d+\.\d+)")
_SYSTEMS = {"darwin": ("Macintosh; Intel Mac OS X 10_15_7", "macOS"), "linux": ("X11; Linux x86_64", "Linux")}
# How Chromium makes up the brand that stands for nothing, and the order of the brands, from its version.
_SIGNS = " (:-./);=?_"
_MADE_UP_VERSIONS = ("8", "99", "24")
_ORDERS = {2: ((0, 1), (1, 0)), 3: ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))}


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
    found = _VERSION.search(version)
    if found is None or sys.platform not in _SYSTEMS:
        return None
    product, full, major = found[1], found[2], found[3]
    place, system = _SYSTEMS[sys.platform]
    user_agent = f"Mozilla/5.0 ({place}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{major}.0.0.0 Safari/537.36"
    return Identity(user_agent, _client_hints(system, product, full, int(major)))


def _client_hints(system: str, product: str, full: str, major: int) -> dict[str, Any]:
    made_up = _MADE_UP_VERSIONS[major % len(_MADE_UP_VERSIONS)]
    return {
        "brands": _brands(product, major, str(major), made_up),
        "fullVersionList": _brands(product, major, full, f"{made_up}.0.0.0"),
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


def _brands(product: str, major: int, version: str, made_up_version: str) -> list[dict[str, str]]:
    made_up = f"Not{_SIGNS[major % len(_SIGNS)]}A{_SIGNS[(major + 1) % len(_SIGNS)]}Brand"
    # Chromium and Chrome for Testing name no brand besides Chromium.
    names = [made_up, "Chromium", *(["Google Chrome"] if product == "Google Chrome" else [])]
    orders = _ORDERS[len(names)]
    placed = dict(zip(orders[major % len(orders)], names, strict=True))
    ordered = [placed[place] for place in range(len(names))]
    return [{"brand": name, "version": made_up_version if name == made_up else version} for name in ordered]
