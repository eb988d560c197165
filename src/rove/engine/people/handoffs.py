"""Hand-offs: an agent asks a person to do something in the tab that it uses, and waits until it is done."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING, Literal, Protocol

from rove.engine.people.driver import Driver
from rove.errors import Denied, NotOpen
from rove.settings.extras import serve_advice
from rove.tasks import Interrupted, race
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.context import TabInfo

Report = Callable[[str], None]
HandoffEnd = Literal["done", "declined", "expired", "cancelled"]
NO_PEOPLE = (
    "Tell the user to run `rove serve`, where a person can watch this session and take it over, and to connect you to "
    "it; or go on without."
)


@dataclass(frozen=True)
class HandoffRequest:
    """What an agent asks a person to do, where, and until when a person can take over."""

    session: str
    tab: str
    url: str
    reason: str
    expires: float
    id: str = field(default_factory=lambda: os.urandom(16).hex())


class People(Protocol):
    """The people who can take over sessions. The gateway implements it."""

    async def ask(self, request: HandoffRequest, /) -> None:
        """Show the request to people, without waiting for them. Raises Denied if no person can see it."""

    def end(self, request: HandoffRequest, outcome: HandoffEnd, /) -> None:
        """Show that the request is over."""


class Handoffs:
    """The hand-offs of one session. A person accepts one by taking the session over, and ends it by handing back."""

    def __init__(self, session: str, driver: Driver, people: People | None, timeout: float) -> None:
        self._session = session
        self._driver = driver
        self._people = people
        self._timeout = timeout
        self._answers: dict[str, asyncio.Future[str | None]] = {}
        self._pending: dict[str, HandoffRequest] = {}

    @property
    def pending(self) -> tuple[HandoffRequest, ...]:
        """The hand-offs that wait for a person, or that a person is at, oldest first."""
        return tuple(self._pending.values())

    def complete(self, identity: str) -> bool:
        """End a hand-off as done, also while a person drives; False if there is no such hand-off."""
        return self._answer(identity, None)

    def decline(self, identity: str, reason: str = "") -> bool:
        """Refuse a hand-off; the agent is told the reason. False if there is no such hand-off."""
        return self._answer(identity, reason)

    async def hand_off(
        self, tab: TabInfo, reason: str, timeout: float | None, report: Report
    ) -> tuple[str | None, float]:
        """Wait until a person has driven and handed back; return who it was, and for how many seconds.

        Raises Denied if no person can be asked, none takes over in time, or the person declines.
        """
        if self._people is None:
            raise Denied("There is no person to hand over to.", hint=NO_PEOPLE + serve_advice())
        seconds = timeout or self._timeout
        request = HandoffRequest(self._session, tab.id, tab.url, reason, time.time() + seconds)
        await self._people.ask(request)
        end = _End("cancelled")
        began = time.monotonic()
        try:
            end = await self._until_over(request, seconds, report)
        finally:
            self._pending.pop(request.id, None)
            self._answers.pop(request.id, None)
            self._people.end(request, end.outcome)
        end.raise_unless_done(seconds)
        return end.person, round(time.monotonic() - began, 1)

    async def _until_over(self, request: HandoffRequest, seconds: float, report: Report) -> _End:
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._pending[request.id], self._answers[request.id] = request, answer
        report(f"Waiting for a person to take over: {request.reason}")
        try:
            async with asyncio.timeout(seconds):
                await race(self._driver.wait_for_take(), asyncio.shield(answer))
            person = self._driver.state.name
            report(f"{person} drives this session.")
            await race(self._driver.wait_for_release(), asyncio.shield(answer))
        except TimeoutError:
            return _End("expired")
        except Interrupted as interrupted:
            declined: str | None = interrupted.result
            return _End("done", self._driver.state.name) if declined is None else _End("declined", reason=declined)
        return _End("done", person)

    def close(self) -> None:
        """End all that wait, since the session is closed."""
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(NotOpen(f"The session {self._session} was closed."))

    def _answer(self, identity: str, declined: str | None) -> bool:
        answer = self._answers.get(identity)
        if answer is None or answer.done():
            return False
        answer.set_result(declined)
        return True


@dataclass(frozen=True)
class _End:
    """How a hand-off ended: through whom, or why not."""

    outcome: HandoffEnd
    person: str | None = None
    reason: str = ""

    def raise_unless_done(self, seconds: float) -> None:
        if self.outcome == "expired":
            raise Denied(
                f"No person took over within {seconds:g} s.",
                hint="Tell the user what they have to do, and where: on the gateway's page. Then call again.",
            )
        if self.outcome == "declined":
            why = f": {self.reason}" if self.reason else ""
            raise Denied(f"The person did not take over{why}.", hint="Do not ask again.")
