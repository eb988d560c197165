"""The files of a user's daemon, and the way to connect to it. Every command imports this, so it imports little."""

from __future__ import annotations

# The part of `socket` that is written in C: importing all of it takes as long as starting Python.
import _socket
import os
import stat
import sys
from _socket import AF_UNIX, SOL_SOCKET, socket

FOLDER = "daemon"
SOCKET = "socket"
# Locked by the daemon for as long as it runs.
RUNNING = "running"
# Locked by a client while it starts the daemon.
STARTING = "starting"
LOG = "log"
# Bytes that the path of a socket may have, on every system.
LONGEST_PATH = 100


class DaemonFailed(Exception):
    """The daemon cannot be used: a sentence that says why, and what to do about it."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def unusable(folder: str, error: OSError) -> DaemonFailed:
    """Return the error for a folder that cannot be made or read."""
    return DaemonFailed(f"{folder} cannot be used: {error.strerror}.", "Choose another home with --home or ROVE_HOME.")


def daemon_folder(home: str) -> str:
    return os.path.join(home, FOLDER)


def check_folder(folder: str) -> None:
    """Raise DaemonFailed unless the folder is this user's alone: a socket in it could be another user's.

    Raises FileNotFoundError if there is none.
    """
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise DaemonFailed(f"{folder} is not this user's alone.", f"Run: chmod 700 {folder}")


class Inside:
    """Work in a folder for a moment, where the path of a socket in it would be too long."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        self._before = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.chdir(self._folder)
        except OSError:
            os.close(self._before)
            raise

    def __exit__(self, *error: object) -> None:
        os.fchdir(self._before)
        os.close(self._before)


def connect(folder: str) -> socket | None:
    """Return a connection to the daemon; None if none runs. Raises DaemonFailed."""
    connection = socket(AF_UNIX)
    try:
        check_folder(folder)
        path = os.path.join(folder, SOCKET)
        if len(os.fsencode(path)) <= LONGEST_PATH:
            connection.connect(path)
        else:
            with Inside(folder):
                connection.connect(SOCKET)
    except (FileNotFoundError, ConnectionRefusedError):
        connection.close()
        return None
    except (NotADirectoryError, PermissionError) as error:
        connection.close()
        raise unusable(folder, error) from error
    _check_peer(connection, folder)
    return connection


def _check_peer(connection: socket, folder: str) -> None:
    """Raise DaemonFailed unless this user listens: whoever may write beside the folder can have replaced it by now."""
    option = getattr(_socket, "SO_PEERCRED", None)
    if option is None:
        return
    # Three numbers: process, user, group.
    user = int.from_bytes(connection.getsockopt(SOL_SOCKET, option, 12)[4:8], sys.byteorder)
    if user != os.getuid():
        connection.close()
        raise DaemonFailed(f"Another user listens in {folder}.", "Choose another home with --home or ROVE_HOME.")
