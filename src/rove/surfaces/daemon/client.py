"""The client of the daemon: sends it a command line, and shows what it answers.

Every command of an action starts a process of Python, so this imports almost nothing.
"""

from __future__ import annotations

import os
import sys
from socket import AF_UNIX, socket

from rove.settings.home import given, home_from
from rove.surfaces.daemon.location import SOCKET, DaemonFailed, Inside, check_folder, daemon_folder
from rove.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

FAILED = 1
INTERRUPTED = 130
PIPE_CLOSED = 141
_RECEIVED_AT_ONCE = 1 << 16
# The daemon runs with the code that started it; another version, or another installation, replaces it.
IDENTITY = f"{VERSION} {os.path.abspath(__file__)}"


class DaemonReplaced(Exception):
    """The daemon is of another version, and has begun to end."""


def run(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a command line in the daemon, which is started if it does not run; return the exit code."""
    folder = daemon_folder(home_from(given("--home", arguments), environment))
    try:
        return _run(folder, arguments, environment)
    except DaemonFailed as error:
        print(f"rove: {error.message}\n      {error.hint}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe (`| head`) has gone: Python must not fail to flush the rest at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED


def connect(folder: str) -> socket | None:
    """Return a connection to the daemon; None if none runs. Raises DaemonFailed."""
    connection = socket(AF_UNIX)
    try:
        check_folder(folder)
        with Inside(folder):
            connection.connect(SOCKET)
    except (FileNotFoundError, ConnectionRefusedError):
        connection.close()
        return None
    return connection


def _run(folder: str, arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    connection = connect(folder)
    if connection is None:
        from rove.surfaces.daemon.startup import checked, start

        code = checked(arguments)
        if code is not None:
            return code
        connection = start(folder, environment)
    try:
        return converse(connection, request(arguments, environment))
    except DaemonReplaced:
        from rove.surfaces.daemon.startup import start_after

        return converse(start_after(folder, environment), request(arguments, environment))


def request(arguments: Sequence[str], environment: Mapping[str, str]) -> dict[str, Any]:
    """Return what the daemon is told of a command."""
    return {
        "identity": IDENTITY,
        "arguments": list(arguments),
        "folder": os.getcwd(),
        "environment": {name: value for name, value in environment.items() if name.startswith("ROVE_")},
        "columns": _columns(environment),
        "is_terminal": sys.stdout.isatty(),
    }


def converse(connection: socket, message: Mapping[str, Any]) -> int:
    """Send a request, show what comes back, and return the exit code."""
    import json

    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal may not know all characters
    with connection:
        connection.sendall(json.dumps(message).encode() + b"\n")
        for line in _lines(connection):
            answer = json.loads(line)
            if "exit" in answer:
                sys.stdout.flush()
                return int(answer["exit"])
            if "replaced" in answer:
                raise DaemonReplaced
            if "input" in answer:
                connection.sendall(json.dumps({"input": sys.stdin.read()}).encode() + b"\n")
            _show(answer)
    print("rove: The daemon has gone away.\n      Run the command again; `rove logs` shows why.", file=sys.stderr)
    return FAILED


def _show(answer: Mapping[str, Any]) -> None:
    sys.stdout.write(answer.get("output", ""))
    if "error" in answer:
        sys.stdout.flush()
        sys.stderr.write(answer["error"])
    if "file" in answer:
        from base64 import b64decode

        with open(answer["file"], "wb") as file:
            file.write(b64decode(answer["data"]))


def _lines(connection: socket) -> Iterator[bytes]:
    received = bytearray()
    while chunk := connection.recv(_RECEIVED_AT_ONCE):
        received += chunk
        if b"\n" in chunk:
            *lines, rest = received.split(b"\n")
            received = bytearray(rest)
            yield from map(bytes, lines)


def _columns(environment: Mapping[str, str]) -> int:
    try:
        return int(environment["COLUMNS"])
    except (KeyError, ValueError):
        pass
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except (ValueError, OSError):
        return 80
