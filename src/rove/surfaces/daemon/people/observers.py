"""Tells the terminals and the web page that watch what happens in the daemon's sessions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from rove.engine.people.handoffs import HandoffEnd, HandoffRequest, People
from rove.engine.watcher import StepWatcher
from rove.errors import Denied
from rove.settings.extras import serve_advice

NO_PERSON = "Tell the user to run `rove watch --web`, where a person can take the session over; then run it again."


class Observer(StepWatcher, People, Protocol):
    """Watches sessions, and may know people who can take one over."""


class Observers:
    """Every watcher that there is now. It implements the engine's `StepWatcher` and `People`."""

    def __init__(self) -> None:
        self.watchers: list[StepWatcher] = []
        # The web pages, where people can take over. One for each engine that is shown on one.
        self.pages: list[Observer] = []

    def step_began(self, step: Mapping[str, Any], /) -> None:
        for watcher in self._all:
            watcher.step_began(step)

    def step_ended(self, step: Mapping[str, Any], /) -> None:
        for watcher in self._all:
            watcher.step_ended(step)

    def session_opened(self, session: str, /) -> None:
        for watcher in self._all:
            watcher.session_opened(session)

    def session_closed(self, session: str, /) -> None:
        for watcher in self._all:
            watcher.session_closed(session)

    def session_changed(self, session: str, /) -> None:
        for watcher in self._all:
            watcher.session_changed(session)

    def guard_refused(self, session: str, refused: Mapping[str, Any], /) -> None:
        for watcher in self._all:
            watcher.guard_refused(session, refused)

    async def ask(self, request: HandoffRequest, /) -> None:
        """Show a hand-off on the web page. Raises Denied if no person has opened it."""
        shown = [page for page in self.pages if await _is_shown(page, request)]
        if not shown:
            raise Denied("No person is watching who could take over.", hint=NO_PERSON + serve_advice())

    def end(self, request: HandoffRequest, outcome: HandoffEnd, /) -> None:
        for page in self.pages:
            page.end(request, outcome)

    @property
    def _all(self) -> tuple[StepWatcher, ...]:
        return (*self.watchers, *self.pages)


async def _is_shown(page: People, request: HandoffRequest) -> bool:
    """Show a hand-off on a web page; return whether a person has it open."""
    try:
        await page.ask(request)
    except Denied:
        return False
    return True
