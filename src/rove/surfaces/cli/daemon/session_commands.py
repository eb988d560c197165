"""Runs the commands about the daemon's sessions, and `rove record`."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rove.engine.session import Session
from rove.engine.sessions import DEFAULT
from rove.errors import InvalidArguments, NotOpen
from rove.guard.cleaning import one_line, readable
from rove.recorded_steps import read_settings, with_parameters
from rove.recordings.devtools_recorder import from_recorder
from rove.recordings.files import RecordingStore
from rove.recordings.journal_steps import MadeRecording, chosen_entries, recording_from
from rove.settings.tree import Settings
from rove.storage.ledger import LedgerFiles, names, recent
from rove.surfaces.cli.command_parser import parse_session_command
from rove.surfaces.cli.daemon.answers import Reply
from rove.surfaces.cli.daemon.engines import Engines, resolved_for
from rove.surfaces.cli.daemon.people import Observers, PendingApprovals, TerminalWatcher, WebPages
from rove.surfaces.cli.terminal_output import Palette
from rove.toolsets.approval_text import card

NONE_OPEN = "No session is open. `rove open URL` opens one.\n"
STOP = "stop"
MOST_ENTRIES = 100_000
FAILED = 1
WATCHING = (
    "Watching the sessions of commands; Ctrl-C ends it.\n"
    "What agents do through `rove mcp` and `rove serve` is shown by `rove journal tail -f`.\n"
)
Run = Callable[[Namespace, Reply], Awaitable[int]]


def sessions_table(sessions: Sequence[Mapping[str, Any]], palette: Palette) -> str:
    """Return a line for each tab, under the name of its session."""
    rows = [(one_line(session["session"]), tab) for session in sessions for tab in session["tabs"] or [None]]
    width = max((len(name) for name, _ in rows), default=0)
    lines = (f"{palette.paint(name.ljust(width), 'bold')}  {_tab(tab, palette)}\n" for name, tab in rows)
    return "".join(lines) or NONE_OPEN


def _tab(tab: Mapping[str, Any] | None, palette: Palette) -> str:
    if tab is None:
        return "no tab"
    mark = palette.paint("*", "green") if tab["is_current"] else " "
    return f"{mark} {tab['id']:<4} {one_line(tab['url'], 100)}"


class RecordCommand:
    """Runs `rove record` for the sessions of the daemon."""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines

    async def run(self, given: Namespace, reply: Reply) -> int:
        """Run one command line. Raises RoveError."""
        if given.steps and not given.from_journal:
            raise InvalidArguments("--steps chooses entries of a journal: give --from-journal too.")
        if given.name is None:
            return self._tell(given, reply)
        if given.from_journal or given.file:
            return await self._make(given, reply)
        if given.name == STOP:
            return await self._stop(given, reply)
        await self._session(given.session).recorder.start(given.name, read_settings(given.param))
        text = f"Recording {given.name} in session {given.session or DEFAULT}. `rove record stop` saves it.\n"
        reply.output(reply.as_json({"ok": True, "recording": given.name}) if given.json else text)
        return 0

    def _session(self, name: str | None) -> Session:
        chosen = name or DEFAULT
        engine = self._engines.with_session(chosen)
        if engine is None:
            named = "" if chosen == DEFAULT else f" --session {chosen}"
            hint = f"Open a page first: `rove open URL{named}`. The recording begins with that page."
            raise NotOpen(f"The session {chosen} is not open.", hint=hint)
        return engine.session(chosen)

    def _tell(self, given: Namespace, reply: Reply) -> int:
        """Say what is being recorded."""
        opened = [session for engine in self._engines.all for session in engine.open_sessions(None).values()]
        found = {session.name: session.recorder.name for session in opened if session.recorder.name}
        text = "".join(f"Recording {name} in session {session}.\n" for session, name in found.items())
        reply.output(reply.as_json(found) if given.json else text or "Nothing is being recorded.\n")
        return 0

    async def _stop(self, given: Namespace, reply: Reply) -> int:
        session = self._session(given.session)
        made = await session.recorder.stop()
        _tell_saved(made, RecordingStore(session.settings.home_folder), given, reply)
        return 0

    async def _make(self, given: Namespace, reply: Reply) -> int:
        """Make a recording of what is there already."""
        flags = {"home": given.home} if given.home else {}
        settings = resolved_for(given.folder, given.environment, flags).settings
        make = _from_journal if given.from_journal else _from_flow
        made = await asyncio.to_thread(make, given, settings)
        store = RecordingStore(settings.home_folder)
        await asyncio.to_thread(store.write, made.recording)
        _tell_saved(made, store, given, reply)
        return 0


def _from_journal(given: Namespace, settings: Settings) -> MadeRecording:
    folder, session = settings.journal_folder, str(given.from_journal)
    if session not in names(folder):
        hint = f"There are: {', '.join(names(folder)) or 'none'}."
        raise InvalidArguments(f"There is no journal of a session {session}.", hint=hint)
    found = recent(LedgerFiles(folder, session), MOST_ENTRIES, lambda facts: True)
    entries = [link.facts for link in found.links]
    if given.steps:
        try:
            entries = chosen_entries(entries, given.steps)
        except ValueError as error:
            raise InvalidArguments(f"--steps: {error}.") from None
    made = recording_from(given.name, session, entries)
    return replace(made, recording=with_parameters(made.recording, read_settings(given.param)))


def _from_flow(given: Namespace, settings: Settings) -> MadeRecording:
    try:
        text = Path(given.folder, given.file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArguments(f"{Path(given.file)} cannot be read: {error}.") from error
    recording, notes = from_recorder(text, given.name)
    return MadeRecording(with_parameters(recording, read_settings(given.param)), notes)


def _tell_saved(made: MadeRecording, store: RecordingStore, given: Namespace, reply: Reply) -> None:
    recording, path = made.recording, store.path(made.recording.name)
    count = f"{len(recording.steps)} step{'' if len(recording.steps) == 1 else 's'}"
    lines = [f"Saved {recording.name}: {count}, {path}", *made.notes]
    if not recording.steps:
        lines.append("Nothing was done that can be replayed.")
    facts = {"recording": recording.name, "steps": len(recording.steps), "file": str(path), "notes": made.notes}
    reply.output(reply.as_json({"ok": True, **facts}) if given.json else readable("\n".join(lines)) + "\n")


class SessionCommands:
    """Lists sessions, closes them, shows what happens in them, and lets a person answer for them."""

    def __init__(
        self,
        engines: Engines,
        observers: Observers,
        pages: WebPages,
        approvals: PendingApprovals,
        stop: Callable[[], None],
    ) -> None:
        self._engines = engines
        self._observers = observers
        self._pages = pages
        self._approvals = approvals
        self._stop = stop
        self._runs: Mapping[str, Run] = {
            "sessions": self._list,
            "close": self._close,
            "stop": self._stop_daemon,
            "approve": self._approve,
            "watch": self._watch,
            "record": RecordCommand(engines).run,
        }

    def knows(self, word: str) -> bool:
        return word in self._runs

    async def run(self, request: Mapping[str, Any], reply: Reply) -> int:
        """Run one command line, and return its exit code. Raises Finished."""
        given = parse_session_command(request["arguments"], reply.columns)
        given.folder, given.environment = request["folder"], request["environment"]
        return await self._runs[request["arguments"][0]](given, reply)

    async def _list(self, given: Namespace, reply: Reply) -> int:
        listed = [session for engine in self._engines.all for session in engine.sessions()]
        reply.output(reply.as_json(listed) if given.json else sessions_table(listed, Palette(reply.has_colour)))
        return 0

    async def _close(self, given: Namespace, reply: Reply) -> int:
        everything = [name for engine in self._engines.all for name in engine.open_sessions(None)]
        code = 0
        for name in everything if given.all else given.names or [DEFAULT]:
            engine = self._engines.with_session(name)
            if engine is None:
                reply.error(f"rove: No session {name} is open.\n      `rove sessions` lists those that are.\n")
                code = FAILED
            else:
                await engine.close_session(name)
                reply.output(f"Closed session {name}.\n")
        return code

    async def _stop_daemon(self, given: Namespace, reply: Reply) -> int:
        count = sum(len(engine.open_sessions(None)) for engine in self._engines.all)
        reply.output(f"Closed {count} session{'' if count == 1 else 's'}; the daemon has ended.\n")
        self._stop()
        return 0

    async def _approve(self, given: Namespace, reply: Reply) -> int:
        waiting = self._approvals.all
        if not waiting:
            reply.output("Nothing waits for approval.\n")
        for each in waiting:
            if reply.has_person:
                await self._approvals.ask(each, reply)
            else:
                reply.output(f"{card(each)}\n\n")
        if waiting and not reply.has_person:
            reply.error("rove: A person answers this, at a terminal of their own: `rove approve`.\n")
            return FAILED
        return 0

    async def _watch(self, given: Namespace, reply: Reply) -> int:
        if given.web and not await self._open_page(given.session, reply):
            return FAILED
        palette = Palette(reply.has_colour)
        reply.output(sessions_table([s for e in self._engines.all for s in e.sessions()], palette))
        reply.output(palette.paint(WATCHING, "dim"))
        watcher = TerminalWatcher(given.session, reply)
        await watcher.watch(self._observers, self._approvals)
        return 0

    async def _open_page(self, session: str | None, reply: Reply) -> bool:
        """Open the web page of a session. Its address holds the owner's token, so only a person gets it."""
        if not reply.has_person:
            reply.error("rove: A person opens the web page, at a terminal of their own: `rove watch --web`.\n")
            return False
        engine = self._engines.with_session(session or DEFAULT) or next(iter(self._engines.all), None)
        if engine is None:
            reply.error("rove: No session is open.\n      `rove open URL` opens one; then watch it.\n")
            return False
        self._engines.keep(engine)
        link = await self._pages.link(engine)
        reply.output(f"The web page: {link}\n")
        reply.send(browse=link)
        return True
