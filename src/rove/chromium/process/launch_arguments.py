"""The command line of Chromium, and whether its sandbox can be on."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Literal

# The browser sends no requests of its own: no updates, no sync, no hints, no reports.
_NO_BACKGROUND_REQUESTS = (
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-field-trial-config",
    "--disable-quic",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--metrics-recording-only",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--no-service-autorun",
    # With the last feature off, Chromium keeps no spare process for the next site: docs/decisions/0010.
    "--disable-features=AimEnabled,AutofillServerCommunication,HttpsFirstBalancedModeAutoEnable,HttpsUpgrades,"
    "LensOverlay,MediaRouter,NetworkTimeServiceQuerying,OptimizationHints,PaintHolding,PreconnectToSearch,Translate,"
    "SpareRendererForSitePerProcess",
)
# Measured with a page that tries every kind of request: without these arguments, some bypass the proxy.
_NO_PROXY_BYPASS = (
    "--proxy-bypass-list=<-loopback>",
    # Two names of one policy: the headless shell knows only the first, full Chromium only the second.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    # WebRTC would still resolve names by itself, and names under .local by multicast to the local network.
    "--host-resolver-rules=MAP *.local 240.0.0.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)
# A page behaves the same way whether or not its window is visible.
_SAME_BEHAVIOUR = (
    "--allow-pre-commit-input",
    "--disable-back-forward-cache",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-dev-shm-usage",
    # These need a person at the machine: speech, identity documents, a code sent to a phone.
    "--disable-blink-features=ScriptedSpeechRecognition,WebIdentityDigitalCredentials,WebOTP",
    "--disable-extensions",
    "--disable-hang-monitor",
    "--disable-infobars",
    "--disable-popup-blocking",
    "--site-per-process",
    "--disable-prompt-on-repost",
    "--disable-renderer-backgrounding",
    "--enable-unsafe-swiftshader",
    "--force-color-profile=srgb",
    "--no-startup-window",
    "--password-store=basic",
    "--use-mock-keychain",
)
# Log errors only: at lower levels the log holds the console messages of pages, which could fill the disk.
_LOG_ERRORS = ("--enable-logging=stderr", "--log-level=2")
# A headless browser reports no mouse unless told to: pages check for one before they offer menus that open on hover.
_HEADLESS = (
    "--headless",
    "--hide-scrollbars",
    "--mute-audio",
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
)


def launch_arguments(profile: str | Path, headless: bool, sandbox: Sandbox, proxy: str) -> list[str]:
    """Return the arguments of a browser that is driven through its pipe.

    The proxy is for requests that belong to no context of rove, such as those of the browser itself.
    """
    return [
        f"--proxy-server={proxy}",
        *_NO_PROXY_BYPASS,
        *_NO_BACKGROUND_REQUESTS,
        *_SAME_BEHAVIOUR,
        *_LOG_ERRORS,
        *(_HEADLESS if headless else ()),
        *(() if sandbox.on else ("--no-sandbox",)),
        f"--user-data-dir={profile}",
        "--remote-debugging-pipe",
    ]


def with_extensions(arguments: list[str]) -> list[str]:
    """Return the arguments of a browser into which extensions are loaded through its pipe."""
    return [*(word for word in arguments if word != "--disable-extensions"), "--enable-unsafe-extension-debugging"]


class Sandbox:
    """Whether Chromium's sandbox is on, and why."""

    def __init__(self, on: bool, reason: str) -> None:
        self.on = on
        self.reason = reason


def decide_sandbox(setting: Literal["auto", "on", "off"], browser: str | Path) -> Sandbox:
    """Return whether to use Chromium's sandbox; with `auto`, it is on if the kernel allows it."""
    if setting != "auto":
        return Sandbox(setting == "on", f"set to {setting}")
    if sys.platform != "linux":
        return Sandbox(True, "supported on this system")
    if os.geteuid() == 0:
        return Sandbox(False, "running as root, which Chromium's sandbox refuses")
    if os.path.exists(f"{os.path.dirname(browser)}/chrome-sandbox"):
        return Sandbox(True, "the setuid helper chrome-sandbox lies beside the browser")
    if _user_namespaces_work():
        return Sandbox(True, "the kernel grants user namespaces")
    return Sandbox(False, "the kernel grants no user namespaces here")


def _user_namespaces_work() -> bool:
    import subprocess

    try:
        result = subprocess.run(["unshare", "--user", "--map-root-user", "true"], capture_output=True, timeout=5)
    except (OSError, subprocess.SubprocessError):
        return False
    return result.returncode == 0
