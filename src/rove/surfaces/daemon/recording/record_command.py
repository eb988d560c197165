"""`rove record`: begin and end a recording of a session, or make one of a journal or of a flow of Chrome's Recorder."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

from rove.conversion.devtools_recorder import from_recorder
from rove.conversion.journal_steps import MadeRecording, chosen_entries, recording_from
from rove.engine.sessions.session import Session
from rove.engine.sessions.sessions import DEFAULT
from rove.errors import InvalidArguments, NotOpen
from rove.ledger.files import LedgerFiles, names
from rove.ledger.reader import recent
from rove.recordings.parameters import read_settings, with_parameters
from rove.recordings.store import RecordingStore
from rove.render.cleaning import readable
from rove.settings.tree import Settings
from rove.surfaces.daemon.engines import Engines, resolved_for
from rove.surfaces.daemon.reply import Reply

STOP = "stop"
MOST_ENTRIES = 100_000


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
