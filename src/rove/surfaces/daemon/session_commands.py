"""Runs the commands about the daemon's sessions."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from rove.engine.sessions.sessions import DEFAULT
from rove.render.approvals import card
from rove.surfaces.arguments.session_parser import parse_session_command
from rove.surfaces.colours import Palette
from rove.surfaces.daemon.engines import Engines
from rove.surfaces.daemon.people.approvals import PendingApprovals
from rove.surfaces.daemon.people.observers import Observers
from rove.surfaces.daemon.people.sessions_table import sessions_table
from rove.surfaces.daemon.people.watching import TerminalWatcher
from rove.surfaces.daemon.people.web_pages import WebPages
from rove.surfaces.daemon.recording.record_command import RecordCommand
from rove.surfaces.daemon.reply import Reply

FAILED = 1
WATCHING = (
    "Watching the sessions of commands; Ctrl-C ends it.\n"
    "What agents do through `rove mcp` and `rove serve` is shown by `rove journal tail -f`.\n"
)
Run = Callable[[Namespace, Reply], Awaitable[int]]


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
