"""Runs commands in the daemon, those alone for which the session that they need is open."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rove.action import AnyAction, CompositeAction, ContextAction, Effect, PersonAction, TabAction, parse
from rove.actions.sessions import Tabs
from rove.engine.sessions import DEFAULT, Sessions
from rove.errors import Denied, InvalidArguments, NotOpen, RoveError
from rove.guard.policy import Approver
from rove.outcome import AnyOutcome
from rove.surfaces.cli.action_arguments import Command, parse_command, steps_in
from rove.surfaces.cli.command_advice import advise, advise_upload, command_lines
from rove.surfaces.cli.command_parser import Finished
from rove.surfaces.cli.daemon.answers import Progress, Reply, tell
from rove.surfaces.cli.daemon.engines import EngineRequest, Engines, resolved_for
from rove.surfaces.cli.daemon.people import CommandApprover, Observers, PendingApprovals, TimedApprover, WebPages
from rove.surfaces.cli.daemon.session_commands import SessionCommands
from rove.surfaces.cli.failures import error_line, failure_answer, finished_answer
from rove.toolsets.outcome_text import error_text

# Actions that prepare a session, which may be done before its first page is opened.
PREPARING = "emulation"
FAILED, MISUSE, DENIED, TIMED_OUT = 1, 2, 3, 4
EXIT_CODES = {
    "invalid_arguments": MISUSE,
    "invalid_settings": MISUSE,
    "denied": DENIED,
    "held_by_person": DENIED,
    "forbidden": DENIED,
    "deadline_exceeded": TIMED_OUT,
}


def loads_page(action: AnyAction) -> bool:
    """Whether an action, or the first step of a batch, loads a page or opens a tab, and so may open its session."""
    if isinstance(action, CompositeAction):
        return action.effect is Effect.NAVIGATE or loads_page(action.actions[0])
    return action.destination is not None or (isinstance(action, Tabs) and action.operation == "new")


def check_open(action: AnyAction, name: str | None, engines: Engines) -> None:
    """Raise NotOpen if an action needs a session that is not open: a blank page is not what the caller means."""
    chosen = name or DEFAULT
    if loads_page(action) or engines.with_session(chosen) is not None:
        return
    if chosen == DEFAULT and not _needs_page(action):
        return
    named = "" if chosen == DEFAULT else f" --session {chosen}"
    known = [each for engine in engines.all for each in engine.open_sessions(None)]
    listed = f" Open now: {', '.join(known)}; choose one with `--session`." if known else ""
    raise NotOpen(f"The session {chosen} is not open.", hint=f"Open a page first: `rove open URL{named}`.{listed}")


def _needs_page(action: AnyAction) -> bool:
    if isinstance(action, CompositeAction):
        return _needs_page(action.actions[0])
    return isinstance(action, TabAction | ContextAction | PersonAction) and action.group != PREPARING


class Commands:
    """The commands of all clients, and the engines in which they run."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self._observers = Observers()
        self._approvals = PendingApprovals()
        self._engines = Engines(self._observers)
        self._running = 0
        self._last_used = time.monotonic()
        self._pages = WebPages(self._observers, self._engines.protect_port)
        self._sessions = SessionCommands(self._engines, self._observers, self._pages, self._approvals, stop)

    @property
    def idle_seconds(self) -> float:
        """Seconds since there was last a command that ran or a session that was open."""
        if self._running or any(engine.open_sessions(None) for engine in self._engines.all):
            self._last_used = time.monotonic()
        return time.monotonic() - self._last_used

    async def run(self, request: Mapping[str, Any], reply: Reply) -> int:
        """Run one command line, and return its exit code."""
        self._running += 1
        try:
            if self._sessions.knows(request["arguments"][0]):
                return await self._sessions.run(request, reply)
            return await self._run_action(parse_command(request["arguments"], request["columns"]), request, reply)
        except RoveError as error:
            output, told = failure_answer(error, request["arguments"], reply.encoding)
            reply.send(output=output, error=told)
            return EXIT_CODES.get(error.code, FAILED)
        except Finished as finished:
            output, told = finished_answer(finished, request["arguments"], reply.encoding)
            reply.send(output=output, error=told)
            return finished.code
        finally:
            self._running -= 1
            self._last_used = time.monotonic()

    async def close(self) -> None:
        await self._pages.close()
        await self._engines.close()

    def _approver(self, engine: Sessions, command: Command, reply: Reply) -> Approver:
        """Return the approver of a command, which asks for no longer than the command may take."""
        approver = self._pages.approver(engine, CommandApprover(self._approvals, reply))
        return approver if command.timeout is None else TimedApprover(approver, command.timeout)

    async def _run_action(self, command: Command, request: Mapping[str, Any], reply: Reply) -> int:
        try:
            arguments = dict(command.arguments)
            if command.steps_file is not None:
                arguments["steps"] = await _read_steps(command.steps_file, request["folder"], reply)
            action = parse(command.verb, arguments)
            check_open(action, command.session, self._engines)
            resolved = resolved_for(request["folder"], request["environment"], command.flags)
            asked = EngineRequest(command.flags, request["environment"])
            with Progress(" ".join(request["arguments"]), reply) as progress:
                async with self._engines.using(command.session, resolved, asked) as engine:
                    approver = self._approver(engine, command, reply)
                    try:
                        outcome = await _perform(engine, action, command, approver, progress)
                    except (Denied, InvalidArguments) as error:
                        advise_upload(error, action.files, request["folder"], engine.settings.workspace_folder)
                        raise
            await tell(outcome, command, engine, reply)
        except RoveError as error:
            return _tell_error(error, command, reply)
        stopped = outcome.result.error
        return 0 if stopped is None else EXIT_CODES.get(stopped.code, FAILED)


async def _perform(
    engine: Sessions, action: AnyAction, command: Command, approver: Approver, progress: Progress
) -> AnyOutcome:
    """Run an action in the session that the command names; an address opens the session if it is not open."""
    if command.session and loads_page(action) and command.session not in engine.open_sessions(None):
        await engine.open_session(command.session)
    session = engine.session(command.session)
    return await session.run(
        action,
        tab=command.tab,
        timeout=command.timeout,
        quiet=command.is_quiet,
        channel=approver,
        report=progress.report,
        names=command_lines(),
    )


def _tell_error(error: RoveError, command: Command, reply: Reply) -> int:
    advise(error, command.verb)
    if command.as_json:
        reply.output(error_line(error, reply.encoding))
    else:
        reply.error(f"{error_text(error)}\n")
    return EXIT_CODES.get(error.code, FAILED)


async def _read_steps(file: str, folder: str, reply: Reply) -> list[dict[str, Any]]:
    if file == "-":
        return steps_in(await reply.input())
    try:
        return steps_in(await asyncio.to_thread(Path(folder, file).read_text, "utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise Finished(MISUSE, error=f"rove: {file} cannot be read: {why}.\n") from error
