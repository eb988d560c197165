"""Tools stay in the sessions of one owner: a chat does not reach the pages of an MCP client."""

from __future__ import annotations

from tests.gateway.desk import Desk
from tests.gateway.tools.conftest import CallTool

from rove.engine.sessions import Sessions


async def test_a_call_cannot_name_a_session_of_another_owner(call: CallTool, desk: Desk, sessions: Sessions) -> None:
    name = await sessions.open_session("of-bea", owner="bea")
    try:
        for named in (name, "of-bea"):
            batch = await call("browser", actions=[{"type": "extract"}], sessionId=named)
            single = await call("browser_snapshot", session=named)
            assert (batch.code, single.code) == ("not_open", "not_open")
    finally:
        await sessions.close_session(name)
    assert not desk.questions
