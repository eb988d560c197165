"""Live views: frames of sessions, sent to the clients that asked for them, at the pace of each."""

from __future__ import annotations

from base64 import b64encode

from rove.engine.people.live_view import LiveFrame
from rove.engine.served.served_session import ServedView
from rove.engine.served.served_sessions import ServedSessions
from rove.errors import NotOpen, RoveError
from rove.surfaces.gateway.live.client import Client
from rove.tasks import BackgroundTasks

Key = tuple[int, str]
MAX_PER_CLIENT = 32


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
