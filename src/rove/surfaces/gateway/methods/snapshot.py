"""What the agent sees of a page, beside what a person sees of it."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from rove.engine.served.served_session import ServedSession
from rove.errors import NotOpen
from rove.snapshot.text import indented, line_of
from rove.snapshot.tree import Flag, Row
from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.methods.method import Client, Method, arg, method
from rove.surfaces.gateway.tokens import Scope

MAX_LINES = 3000


@method("session.snapshot", Scope.VIEW, returns="{url, lines: [{text, ref, isUnseen}], picture: {mimeType, data}}")
class SessionSnapshot(Method):
    """Return what the agent was last shown of a page, and a picture of it now.

    `isUnseen`: a person who looks at the page does not see this text. Looking does not change what the agent is told.
    """

    session_key: str = arg("The session.")
    tab: str | None = arg("A tab; by default the current one.", default=None)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        session = gateway.sessions.session(self.session_key)
        seen = await session.seen(self.tab)
        if seen is None:
            raise NotOpen("The agent has not looked at this page yet.", hint="Wait for its first step.")
        picture = await _picture(session, self.tab)
        return {"url": seen.url, "lines": [_line(row) for row in seen.rows[:MAX_LINES]], "picture": picture}


def _line(row: Row) -> dict[str, Any]:
    is_unseen = bool(row.flags & Flag.UNSEEN)
    return {"text": indented(row, line_of(row)), "ref": row.ref or None, "isUnseen": is_unseen}


async def _picture(session: ServedSession, tab: str | None) -> dict[str, str] | None:
    try:
        data = await session.picture(tab)
    except NotOpen:
        return None
    return {"mimeType": "image/jpeg", "data": b64encode(data).decode("ascii")}
