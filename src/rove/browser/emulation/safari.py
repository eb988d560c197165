"""The user agents of Apple's devices, which are the same in every browser there but for their version."""

from __future__ import annotations

from collections.abc import Mapping

from rove.browser.emulation.devices import System

_SAFARI = "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0"
SAFARI_USER_AGENTS: Mapping[System, str] = {
    "iOS": f"Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) {_SAFARI} Mobile/15E148 Safari/604.1",
    # An iPad asks for desktop sites, and so says to be a Mac.
    "iPadOS": f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {_SAFARI} Safari/605.1.15",
}
