"""How Chromium is started: which flags, and whether its sandbox can stay on."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Literal

# Nothing of the browser's own goes out: no updates, no sync, no hints, no reports.
_SILENT = (
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
    # The last keeps no process in reserve for the next site: docs/decisions/0010.
    "--disable-features=AimEnabled,AutofillServerCommunication,HttpsFirstBalancedModeAutoEnable,HttpsUpgrades,"
    "LensOverlay,MediaRouter,NetworkTimeServiceQuerying,OptimizationHints,PaintHolding,PreconnectToSearch,Translate,"
    "SpareRendererForSitePerProcess",
)
# Measured with a page that tries every way out: without these some go round a proxy.
_GUARDED = (
    "--proxy-bypass-list=<-loopback>",
    # Two spellings of one policy: the headless shell knows only the first, full Chromium only the second.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    # WebRTC would still look names up by itself; names under .local even by asking everyone on the link.
    "--host-resolver-rules=MAP *.local 240.0.0.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)
# The same page behaves the same way whether or not anyone looks at its window.
_STEADY = (
    "--allow-pre-commit-input",
    "--disable-back-forward-cache",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-dev-shm-usage",
    # They would ask a person, of whom there is none: a code sent to a phone, a passport, what is said aloud.
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
# Of its log, errors alone: what pages write to their consoles would be in it too, and could fill the disk.
_LOGGED = ("--enable-logging=stderr", "--log-level=2")
# A window-less browser has no mouse either, unless told so: pages ask before they show what hovering opens.
_HEADLESS = (
    "--headless",
    "--hide-scrollbars",
    "--mute-audio",
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
)


def arguments(profile: str | Path, headless: bool, sandbox: Sandbox, proxy: str) -> list[str]:
    """The command line of a browser that is driven through its pipe.

    The proxy is for what belongs to no context of ours: the browser's own chatter, which nobody has asked for.
    """
    return [
        f"--proxy-server={proxy}",
        *_GUARDED,
        *_SILENT,
        *_STEADY,
        *_LOGGED,
        *(_HEADLESS if headless else ()),
        *(() if sandbox.on else ("--no-sandbox",)),
        f"--user-data-dir={profile}",
        "--remote-debugging-pipe",
    ]


class Sandbox:
    """Whether Chromium's sandbox is on, and why."""

    def __init__(self, on: bool, reason: str) -> None:
        self.on = on
        self.reason = reason


def decide_sandbox(setting: Literal["auto", "on", "off"], browser: str | Path) -> Sandbox:
    """On wherever the kernel allows it."""
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


def has_display() -> bool:
    """Whether a window could be shown at all."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _user_namespaces_work() -> bool:
    import subprocess

    try:
        done = subprocess.run(["unshare", "--user", "--map-root-user", "true"], capture_output=True, timeout=5)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
