"""User agent strings of devices, as Firefox on each would send them."""

from __future__ import annotations

from rove.browser.emulation.devices import DEVICES, DeviceName, System
from rove.browser.emulation.safari import SAFARI_USER_AGENTS
from rove.validation.pattern import pattern

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


def user_agent_of(device: DeviceName, own: str) -> str:
    """Return the user agent of a device; `own` is that of the Firefox that runs, whose version it has."""
    made, found = DEVICES[device], _MAJOR.search(own)
    kind = "Mobile" if made.is_mobile else "Tablet"
    return _USER_AGENTS[made.system].format(major=found[1] if found else "", kind=kind)
