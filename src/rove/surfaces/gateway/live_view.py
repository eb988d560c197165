"""What clients see of sessions as it happens: steps, hand-offs, refusals, pictures of steps, frames."""

from __future__ import annotations

import asyncio
import re
import shutil
from base64 import b64encode
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from rove.engine.client_sessions import ServedSessions
from rove.engine.live_view import LiveFrame
from rove.engine.people import HandoffEnd, HandoffRequest
from rove.engine.session_interface import ServedView
from rove.errors import Denied, NotOpen, RoveError
from rove.surfaces.gateway.events import Events
from rove.surfaces.gateway.metrics import Metrics
from rove.surfaces.gateway.tokens import Token
from rove.tasks import BackgroundTasks

MAX_PER_SESSION = 300
MAX_SESSIONS = 50
SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~-]{0,119}")
Facts = Callable[[str], dict[str, Any]]
Take = Callable[[str, str | None], Any]
# Actions whose pictures tell nothing new: they look, or there is no page yet.
WITHOUT_PICTURE = {"batch", "open_session", "close_session", "status", "tabs", "console", "network"}
Key = tuple[int, str]
MAX_PER_CLIENT = 32


class Client(Protocol):
    """The connection that a request came from."""

    token: Token

    async def send_event(self, event: str, data: dict[str, Any]) -> None:
        """Send an event to this client alone."""
        ...

    def on_close(self, callback: Callable[[], None]) -> None:
        """Call `callback` when the client has gone."""

    @property
    def person(self) -> str:
        """The name under which what this client's user does is recorded."""
        ...


class StepPictures:
    """Keeps one JPEG for each step, in a folder that its owner alone can read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def keep(self, session: str, step: str, data: bytes) -> None:
        """Write the picture of a step; remove the oldest beyond the limit."""
        await asyncio.to_thread(self._write, self._path(session, step), data)

    async def read(self, session: str, step: str) -> bytes:
        """Return the picture of a step. Raises NotOpen if it is not kept."""
        try:
            return await asyncio.to_thread(self._path(session, step).read_bytes)
        except OSError:
            raise NotOpen("There is no picture of this step.", hint="Pictures are kept for the newest steps.") from None

    def _path(self, session: str, step: str) -> Path:
        if not SAFE_NAME.fullmatch(session) or not SAFE_NAME.fullmatch(step):
            raise NotOpen("There is no picture of this step.")
        return self._folder / session / f"{step}.jpg"

    def _write(self, path: Path, data: bytes) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(data)
        for old in _oldest(path.parent, MAX_PER_SESSION):
            old.unlink(missing_ok=True)
        for old in _oldest(self._folder, MAX_SESSIONS):
            shutil.rmtree(old, ignore_errors=True)


def _oldest(folder: Path, keep: int) -> list[Path]:
    """Return what is in a folder beyond the newest `keep`."""
    there = list(folder.iterdir())
    if len(there) <= keep:
        return []
    return sorted(there, key=lambda path: path.stat().st_mtime)[:-keep]


class SessionObserver:
    """Turns what the engine tells into events. It implements the engine's `StepWatcher` and `People`."""

    def __init__(
        self, events: Events, metrics: Metrics, pictures: StepPictures, is_watched: Callable[[str], bool]
    ) -> None:
        self._events = events
        self._metrics = metrics
        self._pictures = pictures
        self._is_watched = is_watched
        self._tasks = BackgroundTasks("the observer of sessions", expected=(RoveError,))
        # Set by the gateway, once it has its sessions.
        self.facts: Facts = lambda name: {}
        self.take_picture: Take | None = None
        # Called with the name of a session that was closed, by whichever surface.
        self.on_closed: Callable[[str], None] = lambda session: None

    async def close(self) -> None:
        await self._tasks.close()

    # StepWatcher

    def step_began(self, step: Mapping[str, Any], /) -> None:
        self._events.publish("step.began", _step(step), step["session"])

    def step_ended(self, step: Mapping[str, Any], /) -> None:
        self._metrics.count_step(str(step["action"]), str(step["outcome"]), float(step["seconds"] or 0))
        self._events.publish("step.ended", _step(step), step["session"])
        if (
            self.take_picture is not None
            and step["action"] not in WITHOUT_PICTURE
            and self._is_watched(step["session"])
        ):
            self._tasks.start(self._show(step["session"], str(step["step"]), step["tab"]))

    async def _show(self, session: str, step: str, tab: str | None) -> None:
        assert self.take_picture is not None
        data: bytes = await self.take_picture(session, tab)
        await self._pictures.keep(session, step, data)
        shown = {"mimeType": "image/jpeg", "data": b64encode(data).decode("ascii")}
        self._events.publish("step.picture", {"stepId": step, "picture": shown}, session)

    def session_opened(self, session: str, /) -> None:
        self._tell("session.opened", session)

    def session_changed(self, session: str, /) -> None:
        self._tell("session.changed", session)

    def session_closed(self, session: str, /) -> None:
        self.on_closed(session)
        self._events.publish("session.closed", {}, session)

    def guard_refused(self, session: str, refused: Mapping[str, Any], /) -> None:
        self._events.publish("guard.refused", dict(refused), session)

    # People

    async def ask(self, request: HandoffRequest, /) -> None:
        """Show a hand-off to people. Raises Denied if no client is connected that could show it."""
        if not self._is_watched(request.session):
            raise Denied(
                "No person is watching, so there is no one to hand over to.",
                hint="Tell the user to open the page of `rove serve`, then call again.",
            )
        self._events.publish("handoff.requested", handoff_facts(request), request.session)

    def end(self, request: HandoffRequest, outcome: HandoffEnd, /) -> None:
        self._events.publish("handoff.ended", {"handoffId": request.id, "outcome": outcome}, request.session)

    def _tell(self, event: str, session: str) -> None:
        try:
            facts = self.facts(session)
        except NotOpen:
            return  # it is being closed, which is told by itself
        self._events.publish(event, facts, session)


def handoff_facts(request: HandoffRequest) -> dict[str, Any]:
    """Return a hand-off as clients are shown it."""
    return {
        "handoffId": request.id,
        "reason": request.reason,
        "tab": request.tab,
        "url": request.url,
        "expiresAt": request.expires,
    }


def _step(step: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry of the journal as clients are shown it."""
    facts = {key: value for key, value in step.items() if key not in ("session", "step", "attachments")}
    return {"stepId": step["step"], **facts}


class LiveViews:
    """The live views of all clients, at most one of each session for each client."""

    def __init__(self, sessions: ServedSessions) -> None:
        self._sessions = sessions
        self._views: dict[Key, ServedView] = {}
        self._tasks = BackgroundTasks("live views", expected=(RoveError, RuntimeError))

    def start(self, client: Client, session: str, tab: str | None, max_width: int, quality: int) -> None:
        """Send frames to a client until it stops the view or goes. A view of the same session is replaced."""
        key = id(client), session
        self.stop(client, session)
        if sum(one == key[0] for one, _ in self._views) >= MAX_PER_CLIENT:
            raise NotOpen(f"{MAX_PER_CLIENT} live views are open already.", hint="Stop one with live.stop.")
        view = self._sessions.session(session).watch(tab, max_width, quality)
        self._views[key] = view
        client.on_close(lambda: self.stop(client, session))
        self._tasks.start(self._send(client, session, view))

    def stop(self, client: Client, session: str) -> None:
        """End a view, if there is one."""
        if view := self._views.pop((id(client), session), None):
            view.close()

    def acknowledge(self, client: Client, session: str, frame: int) -> None:
        """Note that a client has shown a frame, so that it can be sent the newest one."""
        if view := self._views.get((id(client), session)):
            view.acknowledge(frame)

    async def close(self) -> None:
        for view in self._views.values():
            view.close()
        await self._tasks.close()

    async def _send(self, client: Client, session: str, view: ServedView) -> None:
        async with view:
            async for frame in view:
                await client.send_event("live.frame", _frame_data(session, frame))
        if self._views.get((id(client), session)) is view:
            del self._views[id(client), session]
            await client.send_event("live.stopped", {"sessionKey": session, "reason": "the session was closed"})


def _frame_data(session: str, frame: LiveFrame) -> dict[str, object]:
    return {
        "sessionKey": session,
        "tab": frame.tab,
        "url": frame.url,
        "frameId": frame.id,
        "at": frame.at,
        "width": frame.width,
        "height": frame.height,
        "mimeType": frame.mime,
        "data": b64encode(frame.data).decode("ascii"),
    }
