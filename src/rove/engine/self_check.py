"""Is everything there that rove needs? Each finding carries the fix for its problem."""

from __future__ import annotations

import platform
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from rove.browser.browser import Finding, load_engine
from rove.errors import RoveError
from rove.guard.policy.policy_file import policy_from
from rove.guard.secrets.secrets import secrets_from
from rove.settings import Settings

ENOUGH_MEMORY = 512
# Chromium makes a socket in its profile folder, and a socket's path must fit in 108 characters.
LONGEST_HOME = 60


async def examine(settings: Settings) -> AsyncIterator[Finding]:
    """Look at one thing after another, the cheap ones first."""
    yield Finding("python", "good", f"{platform.python_version()} on {platform.system()} {platform.machine()}")
    yield _folder("home", settings.home_folder)
    yield _folder("workspace", settings.workspace_folder)
    yield _secrets(settings)
    yield _policy(settings)
    yield _memory()
    async for finding in load_engine().diagnose(settings):
        yield finding


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
