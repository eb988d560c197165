"""What a driver is asked for when it starts a browser: WebDriver's capabilities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rove.webkit.process.discovery import Installation

# rove waits for pages itself, answers their dialogs itself, and ends scripts by deadlines of its own.
_BEHAVIOUR: dict[str, Any] = {
    "pageLoadStrategy": "none",
    "unhandledPromptBehavior": "ignore",
    "timeouts": {"script": None},
}
# A page that is kept when it is left would leave calls to it without an answer. The others would go around the proxy,
# by looking names up and over UDP.
_OPTIONS = (
    "--enable-page-cache=false",
    "--enable-dns-prefetching=false",
    "--features=-LinkDNSPrefetch",
    "--enable-webrtc=false",
    "--enable-media-stream=false",
)


def minibrowser_capabilities(installation: Installation, proxy: str) -> dict[str, Any]:
    """Return those of a MiniBrowser whose requests all go through a proxy."""
    # The driver's own `proxy` would speak TLS to the proxy for https: addresses. This one is for every address.
    options = {"binary": installation.browser, "args": ["--automation", f"--proxy={proxy}", *_OPTIONS]}
    return {**_BEHAVIOUR, "browserName": Path(installation.browser).name, "webkitgtk:browserOptions": options}


def safari_capabilities() -> dict[str, Any]:
    """Return those of the Safari of this Mac, and not of a phone that is connected to it."""
    return {**_BEHAVIOUR, "browserName": "safari", "platformName": "mac"}
