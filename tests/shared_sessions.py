"""Sessions that several tests share, one after the other: each new session takes a process of the browser."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from rove import Session
from rove.engine.sessions import Sessions


@asynccontextmanager
async def shared_session(sessions: Sessions, name: str) -> AsyncGenerator[Session]:
    """Yield the session of a name, opened if it is not open, and leave it open with one tab for the next test."""
    if name not in open_names(sessions):
        await sessions.open_session(name)
    yield Session(sessions, name)
    if name in open_names(sessions):
        await close_other_tabs(Session(sessions, name))


def has_mark(request: pytest.FixtureRequest, name: str) -> bool:
    return request.node.get_closest_marker(name) is not None


def open_names(sessions: Sessions) -> set[str]:
    return {known["session"] for known in sessions.sessions()}


async def close_other_tabs(session: Session) -> None:
    _, *others = (await session.tabs("list", at_least_one=True)).result.tabs
    for tab in others:
        await session.tabs("close", tab=tab.id)
