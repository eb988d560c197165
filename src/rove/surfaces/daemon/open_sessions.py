"""Which commands need a session that is open, and what they are told without one."""

from __future__ import annotations

from rove.action import AnyAction, CompositeAction, ContextAction, Effect, PersonAction, TabAction
from rove.actions.sessions.tabs import Tabs
from rove.engine.sessions.sessions import DEFAULT
from rove.errors import NotOpen
from rove.surfaces.daemon.engines import Engines

# Actions that prepare a session, which may be done before its first page is opened.
PREPARING = "emulation"


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
