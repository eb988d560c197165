"""Starts the daemon. Imported only by a command that finds none."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from _socket import socket
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from rove.surfaces.cli.daemon.location import LOG, RUNNING, STARTING, DaemonFailed, check_folder, connect, unusable

# Commands about the daemon itself, which do not start one.
DAEMON_COMMANDS = ("sessions", "close", "stop", "approve")
LARGEST_LOG = 5_000_000
SHOWN_OF_LOG = 2000
# Seconds for a process to end that has closed its files.
ENDING = 5.0


def checked(arguments: Sequence[str]) -> int | None:
    """Answer a command line that needs no daemon, such as one that is not valid; return None for any other."""
    from rove.surfaces.cli.action_arguments import parse_command
    from rove.surfaces.cli.command_names import SESSION_COMMANDS
    from rove.surfaces.cli.command_parser import Finished, parse_session_command
    from rove.surfaces.cli.failures import JSON, finished_answer

    parse = parse_session_command if arguments[0] in SESSION_COMMANDS else parse_command
    try:
        parse(arguments, _columns())
    except Finished as finished:
        output, error = finished_answer(finished, arguments, sys.stdout.encoding)
        sys.stdout.write(output)
        sys.stderr.write(error)
        return finished.code
    if arguments[0] in DAEMON_COMMANDS:
        print("[]" if JSON in arguments else "No session is open, and no daemon runs. `rove open URL` starts both.")
        return 0
    return None


def _columns() -> int:
    import shutil

    return shutil.get_terminal_size().columns


def start(folder: str, environment: Mapping[str, str]) -> socket | None:
    """Start the daemon, unless another client has just done so, and return a connection to it; None if it ends."""
    try:
        Path(folder).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        Path(folder).mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise unusable(folder, error) from error
    check_folder(folder)
    with _locked(Path(folder) / STARTING):
        connection = connect(folder)
        if connection is None:
            _spawn(Path(folder), environment)
            connection = connect(folder)
    return connection


def wait_for_end(folder: str) -> None:
    """Wait until no daemon runs, and none has a browser left to close."""
    if Path(folder).exists():
        with _locked(Path(folder) / RUNNING):
            pass


def _spawn(folder: Path, environment: Mapping[str, str]) -> None:
    """Start the process, and wait until it accepts commands, or is killed. Raises DaemonFailed with what it wrote."""
    ready, when_ready = os.pipe()
    log = _open_log(folder / LOG)
    try:
        began = os.fstat(log).st_size
        process = subprocess.Popen(
            [sys.executable, "-m", "rove.surfaces.cli.daemon", str(folder), str(when_ready)],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", env=dict(environment),
            pass_fds=[when_ready], start_new_session=True,
        )  # fmt: skip
        os.close(when_ready)
        if not os.read(ready, 1) and not _is_killed(process):
            said = os.pread(log, SHOWN_OF_LOG, began).decode(errors="replace").strip()
            raise DaemonFailed(f"The daemon did not start. {said}", "`rove logs` shows more.")
    finally:
        os.close(ready)
        os.close(log)


def _is_killed(process: subprocess.Popen[bytes]) -> bool:
    """Whether a signal has ended a daemon before it was ready: the next one may live longer."""
    try:
        return process.wait(ENDING) < 0
    except subprocess.TimeoutExpired:
        return False


def _open_log(path: Path) -> int:
    """Open the log of the daemon, without what is too old to matter."""
    log = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    if os.fstat(log).st_size > LARGEST_LOG:
        os.truncate(log, 0)
    return log


@contextmanager
def _locked(path: Path) -> Generator[None]:
    """Hold a lock, after waiting for the process that holds it."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)
