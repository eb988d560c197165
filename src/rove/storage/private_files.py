"""Files that their owner alone can read, written as a whole or not at all."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from collections.abc import Generator
from pathlib import Path

from rove.errors import StateUnusable

_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


def make_private_folder(folder: Path) -> None:
    """Create a folder that its owner alone can enter, or make an existing one so. Raises StateUnusable."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    except OSError as error:
        raise _unwritable(folder, error) from error


def write_private(path: Path, content: bytes) -> None:
    """Write a file that survives a crash of the machine: it is replaced when the new content is on the disk."""
    make_private_folder(path.parent)
    draft = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        with os.fdopen(os.open(draft, _NEW_FILE, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()


@contextlib.contextmanager
def locked(path: Path) -> Generator[None]:
    """Hold a lock file, which only one thread of all processes does at a time. Raises StateUnusable."""
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def write_private_new(path: Path, content: bytes) -> None:
    """Write a file that must not exist yet. Raises StateUnusable."""
    try:
        with os.fdopen(os.open(path, _NEW_FILE, 0o600), "wb") as file:
            file.write(content)
    except OSError as error:
        raise StateUnusable(f"{path} cannot be written: {error.strerror}.", hint="Name a file that is new.") from error


def read_private(path: Path) -> bytes | None:
    """Return the content of a file; None if there is none. Raises StateUnusable if other users can read it."""
    try:
        with os.fdopen(os.open(path, _READ), "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(mode) or mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise StateUnusable(
                    f"{path} is no file that its owner alone can read (mode {stat.S_IMODE(mode):o}).",
                    hint=f"If you trust its content, run: chmod 600 {path}",
                )
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StateUnusable(f"{path} cannot be read: {error.strerror}.", hint="Repair or remove the file.") from error


def _sync_folder(folder: Path) -> None:
    """Write the folder itself to the disk, where the file's new name is."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _unwritable(path: Path, error: OSError) -> StateUnusable:
    return StateUnusable(
        f"{path} cannot be written: {error.strerror}. What was saved before is still there.",
        hint="Free disk space, or set ROVE_HOME to a folder that can be written.",
    )
