"""Tells every client what happens in sessions: steps, hand-offs, and what the guard refused."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any

from rove.engine.people.handoffs import HandoffEnd, HandoffRequest
from rove.errors import Denied, NotOpen, RoveError
from rove.surfaces.gateway.events import Events
from rove.surfaces.gateway.live.pictures import StepPictures
from rove.surfaces.gateway.numbers.metrics import Metrics
from rove.tasks import BackgroundTasks

Facts = Callable[[str], dict[str, Any]]
Take = Callable[[str, str | None], Any]
# Actions whose pictures tell nothing new: they look, or there is no page yet.
WITHOUT_PICTURE = {"batch", "open_session", "close_session", "status", "tabs", "console", "network"}


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
