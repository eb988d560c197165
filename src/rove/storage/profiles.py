"""Profiles: folders in which a browser keeps everything, each used by one session at a time."""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from pathlib import Path
from typing import Any

from rove.errors import InvalidArguments, ProfileInUse, StateUnusable
from rove.owned_names import mark_in, without_mark
from rove.storage.private_files import make_private_folder
from rove.storage.saved_states import NAME_PATTERN

FOLDER = "profiles"
LOCK_FILE = "owner.lock"
# The user data folder of the browser.
DATA_FOLDER = "browser"
MAX_LOCK_BYTES = 1000


class LockedProfile:
    """A profile that this process holds until `release`, or until the process ends, in whichever way."""

    def __init__(self, folder: Path, lock: int, name: str) -> None:
        self.folder = folder
        self.name = name
        self._lock: int | None = lock

    @property
    def data(self) -> Path:
        return self.folder / DATA_FOLDER

    def release(self) -> None:
        """Let another session use the profile."""
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)


def lock_profile(home: Path, name: str, session: str, mark: str = "") -> LockedProfile:
    """Create a profile if it is new, and lock it for a session. Raises ProfileInUse.

    `mark`: tells profiles of clients of a server apart, each of which has names of its own.
    """
    folder = profile_folder(home, name, mark)
    make_private_folder(folder.parent)
    make_private_folder(folder)
    make_private_folder(folder / DATA_FOLDER)
    return LockedProfile(folder, _lock(folder / LOCK_FILE, name, session), name)


def profile_folder(home: Path, name: str, mark: str = "") -> Path:
    """Return the folder of a profile. Raises InvalidArguments for what cannot be a name."""
    if not re.fullmatch(NAME_PATTERN, name):
        raise InvalidArguments(f"{name!r} is not a name for a profile: use letters, digits, - and _.")
    return home / FOLDER / f"{name}{mark}"


def profile_holder(home: Path, name: str) -> str | None:
    """Return which session uses a profile; None if none does."""
    try:
        lock = os.open(
            profile_folder(home, without_mark(name), mark_in(name)) / LOCK_FILE,
            os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC,
        )
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return _holder(os.pread(lock, MAX_LOCK_BYTES, 0))
    finally:
        os.close(lock)
    return None


def profile_names(home: Path) -> list[str]:
    """Return the names of all profiles, those of clients of a server with a mark at their ends."""
    folders = (home / FOLDER).iterdir() if (home / FOLDER).is_dir() else ()
    return sorted(
        path.name for path in folders if path.is_dir() and re.fullmatch(NAME_PATTERN, without_mark(path.name))
    )


def _lock(path: Path, name: str, session: str) -> int:
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StateUnusable(f"{path} cannot be written: {error.strerror}.") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        holder = {"pid": os.getpid(), "session": session, "since": time.time()}
        os.ftruncate(lock, 0)
        os.pwrite(lock, json.dumps(holder).encode(), 0)
    except BlockingIOError:
        holder_now = _holder(os.pread(lock, MAX_LOCK_BYTES, 0))
        os.close(lock)
        raise _in_use(name, holder_now) from None
    except BaseException:
        os.close(lock)
        raise
    return lock


def _holder(content: bytes) -> str:
    try:
        holder: dict[str, Any] = json.loads(content)
        since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(holder["since"]))
        return f"the session {holder['session']} of the process {holder['pid']}, since {since}"
    except (ValueError, KeyError, TypeError):
        return "another process"  # which has just locked it and not yet written who it is


def _in_use(name: str, by: str) -> ProfileInUse:
    return ProfileInUse(
        f"The profile {name} is in use by {by}.",
        hint="Close that session first, or use another profile: a browser cannot share its profile.",
    )
