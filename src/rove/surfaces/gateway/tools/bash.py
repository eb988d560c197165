"""The tool `bash`: one shell command in the workspace, after approval."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rove.errors import DeadlineExceeded, Denied, InvalidArguments
from rove.guard.cleaning import readable, visible_line
from rove.guard.wrapping import wrapped
from rove.outcome import Passage
from rove.page_text import NOWHERE
from rove.records import dataclass
from rove.surfaces.gateway.tools.tool import ToolContext, ToolResult

SECONDS = 60.0
# Seconds that output has to arrive after the command has ended and its processes were killed.
DRAIN_SECONDS = 1.0
# Characters of output that are told: the first half from its beginning, the other half from its end.
MOST_OUTPUT = 20_000
CHUNK = 65_536
LONGEST_SUMMARY = 200
# Nothing else of the server's environment, where the keys of models are, reaches a command.
KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "TZ", "USER")


@dataclass(frozen=True)
class Command:
    """A command, and the folder that it runs in."""

    command: str
    folder: Path


class BashTool:
    """Runs a shell command with the rights of the user who runs rove, so a person approves each one."""

    name = "bash"
    description = (
        f"Run a shell command in the workspace. It may take {SECONDS:g} s, and every process that it started is ended "
        "with it."
    )
    asks = True
    is_for_owner = True
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "command": {"type": "string"},
            "workingDir": {"type": "string", "description": "A folder of the workspace. Default: the workspace."},
        },
        "required": ["command"],
        "additionalProperties": False,
    }

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds

    def read(self, arguments: Mapping[str, Any], context: ToolContext) -> Command:
        if unknown := sorted({*arguments} - {"command", "workingDir"}):
            raise InvalidArguments(f"`{unknown[0]}` is not an argument of bash, which takes: command, workingDir.")
        command, folder = arguments.get("command"), arguments.get("workingDir") or "."
        if not isinstance(command, str) or not command.strip() or "\0" in command:
            raise InvalidArguments("`command` must be a shell command.")
        if not isinstance(folder, str) or "\0" in folder:
            raise InvalidArguments("`workingDir` must be the path of a folder.")
        return Command(command, _folder(context.sessions.settings.workspace_folder, folder))

    def summary(self, request: Command) -> str:
        return f"Run: {visible_line(request.command, LONGEST_SUMMARY)}"

    def details(self, request: Command) -> dict[str, Any]:
        return {"command": request.command, "workingDir": str(request.folder)}

    async def run(self, request: Command, context: ToolContext) -> ToolResult:
        context.report("Running command...")
        output = _Output()
        try:
            async with asyncio.timeout(self._seconds):
                status = await _run(request, output)
        except TimeoutError:
            raise DeadlineExceeded(
                f"The command did not end within {self._seconds:g} s and was killed. {output.told()}",
                hint="Run something that takes less time.",
            ) from None
        return ToolResult(f"Exit status {status}.\n{output.told()}")


class _Output:
    """The beginning and the end of what a command printed. What is between them is counted and dropped."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def add(self, data: bytes) -> None:
        room = MOST_OUTPUT // 2
        taken = max(room - len(self._head), 0)
        self._head += data[:taken]
        self._tail += data[taken:]
        if (excess := len(self._tail) - room) > 0:
            self._dropped += excess
            del self._tail[:excess]

    def told(self) -> str:
        """Return the output as text that cannot pose as rove's: a command may print what a web page wrote."""
        parts = [self._head.decode(errors="replace"), self._tail.decode(errors="replace")]
        if self._dropped:
            parts.insert(1, f"\n[{self._dropped} bytes left out]\n")
        text = readable("".join(parts)).strip("\n")
        return wrapped([Passage(text, NOWHERE, is_raw=True)]) if text else "It printed nothing."


def _folder(workspace: Path, wanted: str) -> Path:
    """Return a folder of the workspace. Raises Denied if it lies outside of it, also by way of a link."""
    workspace.mkdir(parents=True, exist_ok=True, mode=0o700)
    root = workspace.resolve()
    folder = (root / wanted).resolve()
    if not folder.is_relative_to(root):
        raise Denied(f"`workingDir`: {wanted} lies outside the workspace {root}.", hint="Name a folder inside it.")
    if not folder.is_dir():
        raise InvalidArguments(f"`workingDir`: there is no folder {wanted} in the workspace {root}.")
    return folder


async def _run(request: Command, output: _Output) -> int:
    """Run a command in a process group of its own, which is killed when the command ends or is given up."""
    reading, writing = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            "bash",
            "-c",
            request.command,
            cwd=request.folder,
            env=_environment(request.folder),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=writing,
            stderr=writing,
            start_new_session=True,
        )
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    collecting = asyncio.create_task(_collect(reading, output))
    try:
        return await process.wait()
    finally:
        _kill_group(process.pid)
        # A process that left the group may hold the pipe open: its output is not waited for.
        await asyncio.wait({collecting}, timeout=DRAIN_SECONDS)
        collecting.cancel()


async def _collect(reading: int, output: _Output) -> None:
    """Read a pipe until its end."""
    reader = asyncio.StreamReader()
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), pipe
        )
        try:
            while data := await reader.read(CHUNK):
                output.add(data)
        finally:
            transport.close()


def _kill_group(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return {**kept, "HOME": str(folder), "TERM": "dumb"}
