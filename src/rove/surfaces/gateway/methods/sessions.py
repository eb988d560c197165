"""Sessions: open, look at, close."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

from rove.errors import InvalidArguments
from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.history import recorded
from rove.surfaces.gateway.methods.method import Client, Method, arg, method
from rove.surfaces.gateway.tokens import Scope

NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}"
# A name with the mark that tells whose session it is.
FULL_NAME = r"[A-Za-z0-9][A-Za-z0-9._~-]{0,119}"


@method("sessions.create", Scope.ACT, returns="{sessionKey}", reach="sessions")
class CreateSession(Method):
    """Open a chat with an isolated browser session, which counts from when its browser is first used."""

    name: str | None = arg("A name of your own; by default a UUID.", default=None, pattern=NAME)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        return {"sessionKey": gateway.chats.open(self.name or str(uuid.uuid4()), client.token.owner)}


@method("sessions.list", Scope.VIEW, returns="{sessions: [facts]}", reach="sessions")
class ListSessions(Method):
    """List the open sessions with their tabs, and who drives each of them."""

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        names = [str(facts["session"]) for facts in gateway.sessions.sessions()]
        return {"sessions": [gateway.session_facts(name) for name in names if client.token.reaches(name, Scope.VIEW)]}


@method("sessions.records", Scope.VIEW, returns="{sessions: [sessionKey]}", reach="sessions")
class ListRecords(Method):
    """List the sessions that have a record, open or closed, the newest first."""

    limit: int = arg("Most sessions to list.", default=100, ge=1, le=1000)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        names = await asyncio.to_thread(recorded, gateway.settings.journal_folder)
        return {"sessions": [name for name in names if client.token.reaches(name, Scope.VIEW)][: self.limit]}


@method("sessions.get", Scope.VIEW, returns="{session: facts}")
class GetSession(Method):
    """Return what is known of one session."""

    session_key: str = arg("The session.")

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        return {"session": gateway.session_facts(self.session_key)}


@method("sessions.close", Scope.ACT, returns="{sessionKey}")
class CloseSession(Method):
    """Close a session: its pages, cookies and storage are gone, its record stays."""

    session_key: str = arg("The session.")

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        name = await gateway.close_session(self.session_key)
        return {"sessionKey": name}


@method("sessions.history", Scope.VIEW, returns="{entries: [entry], more}")
class SessionHistory(Method):
    """Return the record of a session, open or closed: messages, tool calls, actions and decisions, oldest first."""

    session_key: str = arg("The session.", pattern=FULL_NAME)
    after: int = arg("Number of the entry after which to begin.", default=0, ge=0)
    limit: int = arg("Most entries to return.", default=200, ge=1, le=1000)
    last: bool = arg("Return the last entries instead of the first ones.", default=False)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        if self.last and self.after:
            raise InvalidArguments("`last` and `after` exclude each other.")
        entries, more = await gateway.history(self.session_key, self.after, self.limit, self.last)
        return {"entries": entries, "more": more}
