"""Checks whether the machine has what rove needs. Each finding that is not good says how to repair it."""

from __future__ import annotations

import asyncio
import platform
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import get_args

from rove.browser.browser import Finding
from rove.browser.engines import load_engine
from rove.errors import RoveError
from rove.guard.policy_rules import policy_from
from rove.guard.secrets.secrets import secrets_from
from rove.settings.sections import EngineName
from rove.settings.tree import Settings

ENGINES: tuple[EngineName, ...] = get_args(EngineName)
MIN_MEMORY_MB = 512
MIN_DISK_MB = 200
# Chromium makes a socket in its profile folder, and a socket's path must fit in 108 characters.
MAX_HOME_LENGTH = 60


async def examine(settings: Settings) -> AsyncIterator[Finding]:
    """Yield the result of each check, the quick ones first."""
    yield Finding("python", "good", f"{platform.python_version()} on {platform.system()} {platform.machine()}")
    yield _check_folder("home", settings.home_folder)
    yield _check_folder("workspace", settings.workspace_folder)
    yield _check_secrets(settings)
    yield _check_policy(settings)
    yield _check_memory()
    yield Finding("engine", "good", settings.engine)
    async for finding in load_engine(settings.engine).diagnose(settings):
        yield finding
    for name in ENGINES:
        if name != settings.engine and (other := await asyncio.to_thread(_check_other_engine, name, settings)):
            yield other


def _check_other_engine(name: EngineName, settings: Settings) -> Finding | None:
    """Tell of an engine that sessions can be opened with; None if its browser is not installed."""
    try:
        installed = load_engine(name).installed(replace(settings, engine=name, browser=None))
    except RoveError:
        return None
    return Finding(name, "good", f"{installed}; for sessions opened with it") if installed else None


def _check_folder(subject: str, path: Path) -> Finding:
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        return Finding(subject, "broken", f"{path}: {error.strerror}", f"Make it writable, or pass --{subject} FOLDER.")
    if subject == "home" and len(str(path)) > MAX_HOME_LENGTH:
        return Finding(
            subject, "worth knowing", f"{path} is a long path", "A browser with a window needs a shorter one."
        )
    free = shutil.disk_usage(path).free // 2**20
    if free < MIN_DISK_MB:
        return Finding(
            subject, "broken", f"{path}: {free} MB free", f"Free some space: a profile needs {MIN_DISK_MB} MB."
        )
    return Finding(subject, "good", f"{path} (writable, {free // 1024} GB free)")


def _check_secrets(settings: Settings) -> Finding:
    try:
        names = secrets_from(settings).names
    except RoveError as error:
        return Finding("secrets", "broken", error.message, error.hint)
    return Finding("secrets", "good", f"{len(names)} in {settings.secrets_file}" if names else "none defined")


def _check_policy(settings: Settings) -> Finding:
    try:
        policy = policy_from(settings)
    except RoveError as error:
        return Finding("policy", "broken", error.message, "Repair the file; `rove policy check` checks it again.")
    if not policy.rules and not policy.defaults:
        return Finding("policy", "good", f"the default one, as {_default_reason(Path(policy.source))}")
    return Finding("policy", "good", f"{policy.source} ({len(policy.rules)} rules)")


def _default_reason(path: Path) -> str:
    return f"{path} has no rules" if path.exists() else f"there is no {path}"


def _check_memory() -> Finding:
    if sys.platform != "linux":
        return Finding("memory", "good", "not measured on this system")
    rows = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
    free = int(rows["MemAvailable"].split()[0]) // 1024
    if free < MIN_MEMORY_MB:
        return Finding("memory", "broken", f"{free} MB available", f"A browser needs about {MIN_MEMORY_MB} MB.")
    return Finding("memory", "good", f"{free} MB available")
