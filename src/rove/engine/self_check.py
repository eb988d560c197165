"""Is everything there that rove needs? Each finding carries the fix for its problem."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Literal

from rove.chromium.browser import launch, start_process
from rove.chromium.process.discovery import Installation, candidates, find, is_snap
from rove.chromium.process.installation import ensure, version
from rove.chromium.process.launch_arguments import decide_sandbox
from rove.chromium.process.run_folder import sweep
from rove.engine.sessions.guard_notice import UNGUARDED
from rove.errors import RoveError
from rove.guard.policy.policy_file import policy_from
from rove.guard.secrets.secrets import secrets_from
from rove.record import dataclass
from rove.settings import Settings

State = Literal["good", "worth knowing", "broken"]
ENOUGH_MEMORY = 512
ENOUGH_SHM = 64
# Chromium makes a socket in its profile folder, and a socket's path must fit in 108 characters.
LONGEST_HOME = 60


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    subject: str
    state: State
    detail: str
    fix: str = ""


def install(settings: Settings, progress: Callable[[str], None]) -> tuple[str, str]:
    """Find or fetch a browser; returns its version and where it is."""
    found = ensure(settings.browser, settings.headless, True, progress)
    return version(found.path) or "unknown version", f"{found.path} ({found.origin})"


async def examine(settings: Settings) -> AsyncIterator[Finding]:
    """Look at one thing after another, the cheap ones first."""
    yield Finding("python", "good", f"{platform.python_version()} on {platform.system()} {platform.machine()}")
    yield _folder("home", settings.home_folder)
    yield _folder("workspace", settings.workspace_folder)
    yield _secrets(settings)
    yield _policy(settings)
    yield _memory()
    yield _shared_memory()
    yield _leftovers(settings)
    if settings.attach is not None:
        yield await _attachment(settings)
        return
    found: Installation | None = None
    try:
        found = await asyncio.to_thread(find, settings.browser, settings.headless)
    except RoveError as error:
        yield Finding("browser", "broken", error.message, error.hint)
        return
    if found is None:
        yield _no_browser(settings)
        return
    yield await asyncio.to_thread(_browser, found)
    sandbox = await asyncio.to_thread(decide_sandbox, settings.sandbox, found.path)
    advice = "" if sandbox.on else "Run as an ordinary user, with user namespaces enabled, to have it on."
    yield Finding(
        "sandbox",
        "good" if sandbox.on else "worth knowing",
        f"{'on' if sandbox.on else 'off'}: {sandbox.reason}",
        advice,
    )
    yield await _start(settings)


def _folder(subject: str, path: Path) -> Finding:
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        return Finding(subject, "broken", f"{path}: {error.strerror}", f"Make it writable, or pass --{subject} FOLDER.")
    if subject == "home" and len(str(path)) > LONGEST_HOME:
        return Finding(
            subject, "worth knowing", f"{path} is a long path", "A browser with a window needs a shorter one."
        )
    free = shutil.disk_usage(path).free // 2**20
    if free < 200:
        return Finding(subject, "broken", f"{path}: {free} MB free", "Free some space: a profile needs 200 MB.")
    return Finding(subject, "good", f"{path} (writable, {free // 1024} GB free)")


def _secrets(settings: Settings) -> Finding:
    try:
        names = secrets_from(settings).names
    except RoveError as error:
        return Finding("secrets", "broken", error.message, error.hint)
    return Finding("secrets", "good", f"{len(names)} in {settings.secrets_file}" if names else "none defined")


def _policy(settings: Settings) -> Finding:
    try:
        policy = policy_from(settings)
    except RoveError as error:
        return Finding("policy", "broken", error.message, "Mend it: `rove policy check` says the same.")
    if not policy.rules and not policy.defaults:
        return Finding("policy", "good", f"the default one, as {_why_default(Path(policy.source))}")
    return Finding("policy", "good", f"{policy.source} ({len(policy.rules)} rules)")


def _why_default(path: Path) -> str:
    return f"{path} has no rules" if path.exists() else f"there is no {path}"


def _memory() -> Finding:
    if sys.platform != "linux":
        return Finding("memory", "good", "not measured on this system")
    rows = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
    free = int(rows["MemAvailable"].split()[0]) // 1024
    if free < ENOUGH_MEMORY:
        return Finding("memory", "broken", f"{free} MB available", f"A browser needs about {ENOUGH_MEMORY} MB.")
    return Finding("memory", "good", f"{free} MB available")


def _shared_memory() -> Finding:
    shm = Path("/dev/shm")
    if sys.platform != "linux":
        return Finding("/dev/shm", "good", "not used on this system")
    if not shm.is_dir() or not os.access(shm, os.W_OK):
        return Finding("/dev/shm", "worth knowing", "missing", "Not needed: Chromium is told to use files instead.")
    size = shutil.disk_usage(shm).total // 2**20
    state: State = "good" if size > ENOUGH_SHM else "worth knowing"
    return Finding("/dev/shm", state, f"{size} MB", "" if state == "good" else "Not needed: files are used instead.")


def _leftovers(settings: Settings) -> Finding:
    swept = sweep(settings.home_folder / "run")
    detail = f"swept {len(swept)} run folder(s) of a rove that was killed" if swept else "nothing left by earlier runs"
    return Finding("leftovers", "good", detail)


def _no_browser(settings: Settings) -> Finding:
    snaps = [found.path for found in candidates(settings.headless) if is_snap(found.path)]
    if snaps:
        return Finding(
            "browser",
            "broken",
            f"{snaps[0]} is a snap package, which rove cannot drive",
            "Run `rove install`.",
        )
    return Finding("browser", "broken", "none found", "Run `rove install`.")


def _browser(found: Installation) -> Finding:
    said = version(found.path)
    if said is None:
        return Finding(
            "browser", "broken", f"{found.path} does not run", "Run it by hand to see why, or `rove install`."
        )
    return Finding("browser", "good", f"{said}: {found.path} ({found.origin})")


async def _attachment(settings: Settings) -> Finding:
    from rove.chromium.attachment import attach

    try:
        browser = await attach(settings)
    except RoveError as error:
        return Finding("attach", "broken", error.message, error.hint)
    await browser.close()
    advice = "Leave --attach out to have a browser whose way out is guarded."
    return Finding("attach", "worth knowing", f"{browser.version} at {settings.attach}. {UNGUARDED}", advice)


async def _start(settings: Settings) -> Finding:
    loop = asyncio.get_running_loop()
    began = loop.time()
    try:
        browser = await launch(settings, await start_process(settings, lambda _: None))
    except RoveError as error:
        return Finding(
            "start",
            "broken",
            error.message,
            "Start it by hand with --headless --dump-dom about:blank to see why.",
        )
    seconds = loop.time() - began
    await browser.close()
    return Finding("start", "good", f"browser up in {seconds:.2f} s, and gone again")
