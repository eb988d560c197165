"""The client of the daemon: sends it a command line, and shows what it answers.

Every command of an action starts a process of Python, so this imports almost nothing.
"""

from __future__ import annotations

import os
import sys

from rove.settings.home import given, home_from
from rove.surfaces.cli.daemon.location import DaemonFailed, connect, daemon_folder
from rove.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

FAILED = 1
INTERRUPTED = 130
_RECEIVED_AT_ONCE = 1 << 16
# How often a command is given to a daemon, each of which may be just about to end.
ATTEMPTS = 5
# Set for commands that coding agents run, also in a terminal of theirs: no person reads what is asked there.
AGENTS = {"CLAUDECODE", "CODEX_SANDBOX", "CODEX_THREAD_ID", "CURSOR_AGENT", "GEMINI_CLI", "OPENCODE", "AI_AGENT", "CI"}
# The daemon runs with the code that started it; another version, or another installation, replaces it.
IDENTITY = f"{VERSION} {os.path.abspath(__file__)}"


class DaemonEnds(Exception):
    """The daemon ends, and has not begun to run the command."""


def run(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a command line in the daemon, which is started if it does not run; return the exit code."""
    folder = daemon_folder(home_from(given("--home", arguments), environment))
    try:
        code = _run(folder, arguments, environment)
        if arguments[0] == "stop":
            from rove.surfaces.cli.daemon.startup import wait_for_end

            wait_for_end(folder)
        return code
    except DaemonFailed as error:
        return _fail(error, arguments)
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(folder: str, arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    connection = connect(folder)
    for _ in range(ATTEMPTS):
        if connection is None:
            from rove.surfaces.cli.daemon.startup import checked, start

            code = checked(arguments)
            if code is not None:
                return code
            connection = start(folder, environment)
        try:
            return converse(connection, request(arguments, environment))
        except DaemonEnds:
            from rove.surfaces.cli.daemon.startup import wait_for_end

            wait_for_end(folder)
            connection = connect(folder)
    raise DaemonFailed("The daemon ends again and again.", "`rove logs` shows why.")


class FileUnwritable(DaemonFailed):
    """The daemon has done what it was asked for, and the file that `--out` names cannot be written."""


def _fail(error: DaemonFailed, arguments: Sequence[str]) -> int:
    from rove.errors import BrowserUnavailable, InvalidArguments
    from rove.surfaces.cli.failures import failure_answer

    kind = InvalidArguments if isinstance(error, FileUnwritable) else BrowserUnavailable
    failure = kind(error.message, hint=error.hint)
    output, told = failure_answer(failure, arguments, sys.stdout.encoding)
    sys.stdout.write(output)
    sys.stderr.write(told)
    return FAILED


def request(arguments: Sequence[str], environment: Mapping[str, str]) -> dict[str, Any]:
    """Return what the daemon is told of a command."""
    return {
        "identity": IDENTITY,
        "arguments": list(arguments),
        "folder": _folder(),
        "environment": dict(environment),
        "columns": _columns(environment),
        "encoding": sys.stdout.encoding,
        "has_colour": sys.stdout.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb",
        "shows_progress": sys.stderr.isatty() and environment.get("TERM") != "dumb",
        "has_person": sys.stdin.isatty() and sys.stdout.isatty() and not AGENTS & environment.keys(),
    }


def converse(connection: socket | None, message: Mapping[str, Any]) -> int:
    """Send a request, show what comes back, and return the exit code.

    Raises DaemonEnds if it can be sent again, and DaemonFailed if the daemon goes away while it runs.
    """
    import json

    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal may not know all characters
    if connection is None:
        raise DaemonEnds
    is_accepted = has_progress = False
    for line in _lines(connection, json.dumps(message).encode() + b"\n"):
        answer = json.loads(line)
        is_accepted = is_accepted or "accepted" in answer
        if has_progress and "progress" not in answer:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
        has_progress = "progress" in answer
        if "exit" in answer:
            return int(answer["exit"])
        _answer(answer, connection)
        _show(answer)
    if not is_accepted:
        raise DaemonEnds
    raise DaemonFailed(
        "The daemon has gone away, and its browser with it, while the command ran.",
        "It may be done all the same. Open the page again to see; `rove logs` shows what happened.",
    )


def _answer(answer: Mapping[str, Any], connection: socket) -> None:
    """Send what the daemon asks for: standard input, or a person's answer. That it is gone is noticed later."""
    import json

    if "input" in answer:
        told = {"input": _input()}
    elif "ask" in answer:
        from rove.surfaces.cli.daemon.question import ask

        told = {answer["name"]: ask(answer["ask"], connection)}
    else:
        return
    try:
        connection.sendall(json.dumps(told).encode() + b"\n")
    except (BrokenPipeError, ConnectionResetError):
        return


def _input() -> str:
    if sys.stdin.isatty():
        print("One step a line, such as: click e12. Ctrl-D ends the input.", file=sys.stderr)
    return sys.stdin.read()


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it has been deleted
        return "/"


def _show(answer: Mapping[str, Any]) -> None:
    if "progress" in answer:
        sys.stderr.write(f"\r{answer['progress']}\033[K")
        sys.stderr.flush()
        return
    sys.stdout.write(answer.get("output", ""))
    sys.stdout.flush()
    if "error" in answer:
        sys.stderr.write(answer["error"])
    if "browse" in answer:
        import webbrowser

        webbrowser.open(answer["browse"])
    if "file" in answer:
        _write(answer["file"], answer["data"])


def _write(path: str, data: str) -> None:
    from base64 import b64decode

    if path == "-":
        sys.stdout.buffer.write(b64decode(data))
        sys.stdout.flush()
        return
    try:
        with open(path, "wb") as file:
            file.write(b64decode(data))
    except OSError as error:
        hint = "Choose another --out. The action itself is done."
        raise FileUnwritable(f"{path} cannot be written: {error.strerror}.", hint) from error


def _lines(connection: socket, sent: bytes) -> Iterator[bytes]:
    """Yield the lines that answer what is sent, until the daemon closes the connection or is gone."""
    received = bytearray()
    try:
        connection.sendall(sent)
        while chunk := connection.recv(_RECEIVED_AT_ONCE):
            received += chunk
            if b"\n" in chunk:
                *lines, rest = received.split(b"\n")
                received = bytearray(rest)
                yield from map(bytes, lines)
    except (ConnectionResetError, BrokenPipeError):
        return
    finally:
        connection.close()


def _columns(environment: Mapping[str, str]) -> int:
    try:
        return int(environment["COLUMNS"])
    except (KeyError, ValueError):
        pass
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except (ValueError, OSError):
        return 80
