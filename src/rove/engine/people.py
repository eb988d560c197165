"""Who drives a session, the agent or a person, and what the agent asks people to do."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import field
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from rove.action import AnyAction, SessionsAction
from rove.errors import Denied, HeldByPerson, NotOpen
from rove.records import dataclass
from rove.settings.extras import serve_advice
from rove.tasks import Interrupted, Interruption, Signal, race

if TYPE_CHECKING:
    from rove.browser.context import TabInfo

R = TypeVar("R")
DriverEvent = Literal["taken", "released", "paused", "resumed", "stepped", "stopped"]
# Seconds that an action which runs already has to end when a person takes the session.
END_SECONDS = 2.0
Report = Callable[[str], None]
HandoffEnd = Literal["done", "declined", "expired", "cancelled"]
NO_PEOPLE = (
    "Tell the user to run `rove serve`, where a person can watch this session and take it over, and to connect you to "
    "it; or go on without."
)


@dataclass(frozen=True)
class Lease:
    """The right of one person to drive a session, until it is released or expires."""

    person: str
    id: str = field(default_factory=lambda: os.urandom(16).hex())


@dataclass(frozen=True)
class DriverState:
    """Who drives, under which name, and whether the agent's actions wait."""

    who: Literal["agent", "person"]
    name: str | None
    is_paused: bool

    def as_dict(self) -> dict[str, object]:
        """Return it as JSON data, as surfaces tell it."""
        return {"who": self.who, "name": self.name, "isPaused": self.is_paused}


def held_by(lease: Lease) -> HeldByPerson:
    """Return the error for what is refused while a person drives."""
    return HeldByPerson(f"{lease.person} drives this session.")


async def _nothing() -> None:
    """Do nothing, for a driver without preparations."""


class Driver:
    """Lets an agent's actions run one after another, and holds them while a person drives or has paused the session.

    `patience`: seconds that an action waits to run. `idle`: seconds without an act of the person after which the lease
    expires.
    """

    def __init__(self, patience: float, idle: float) -> None:
        self._patience = patience
        self._idle = idle
        self._lease: Lease | None = None
        self._expiry: asyncio.TimerHandle | None = None
        self._is_paused = False
        # How many actions may still run while the session is paused.
        self._steps = 0
        self._running = 0
        self._changed = Signal()
        self._stopped = Signal()
        self._interrupted = Signal()
        self._closed = Signal()
        # Awaited before an action begins.
        self.before_turn: Callable[[], Awaitable[None]] = _nothing
        # Called after each change, with what a person did and who it was, if that is known.
        self.on_changed: Callable[[DriverEvent, str | None], object] = lambda event, person: None

    @property
    def state(self) -> DriverState:
        person = self._lease.person if self._lease else None
        return DriverState("person" if person else "agent", person, self._is_paused)

    @property
    def lease(self) -> Lease | None:
        """The lease of the person who drives now."""
        return self._lease

    # What a person does

    async def take(self, person: str) -> Lease:
        """Let a person drive. No action of the agent begins from now on; one that runs has a moment to end.

        A person who has the lease already gets the same one. Raises HeldByPerson if another person has it.
        """
        if self._lease is not None and self._lease.person != person:
            raise HeldByPerson(
                f"{self._lease.person} drives this session.", hint="Wait until they hand it back, or ask them to."
            )
        if self._lease is None:
            self._lease = Lease(person)
            self._update("taken", person)
        lease = self._lease
        self.touch(lease)
        await self._end_running()
        return lease

    def release(self, lease: Lease) -> None:
        """Hand the session back to the agent. A lease that has ended already is ignored."""
        if self._lease is None or self._lease.id != lease.id:
            return
        if self._expiry is not None:
            self._expiry.cancel()
        self._lease = None
        self._update("released", lease.person)

    def touch(self, lease: Lease) -> None:
        """Note that the person is there, so that the lease does not expire. Raises Denied without the lease."""
        if self._lease is None or self._lease.id != lease.id:
            raise Denied("You do not drive this session.", hint="Take it over first.")
        if self._expiry is not None:
            self._expiry.cancel()
        self._expiry = asyncio.get_running_loop().call_later(self._idle, self.release, lease)

    def pause(self, person: str | None = None) -> None:
        """Let no further action begin. One that runs ends by itself."""
        self._is_paused, self._steps = True, 0
        self._update("paused", person)

    def resume(self, person: str | None = None) -> None:
        """Let actions run again."""
        self._is_paused, self._steps = False, 0
        self._update("resumed", person)

    def step(self, person: str | None = None) -> None:
        """Let exactly one action run, and pause after it. A batch is as many actions as it has steps."""
        self._is_paused, self._steps = True, 1
        self._update("stepped", person)

    def stop(self, person: str | None = None) -> None:
        """End the actions that run or wait with an error, and let no other begin until `resume` or `step`."""
        self._is_paused, self._steps = True, 0
        self._stopped.send()
        self._update("stopped", person)

    def close(self) -> None:
        """End the actions that run or wait, since the session is closed."""
        if self._expiry is not None:
            self._expiry.cancel()
        self._lease, self._is_paused = None, False
        self._closed.send()
        self._changed.send()

    # What an action does

    @contextlib.asynccontextmanager
    async def turn(self, waiting: Callable[[str], None], has_begun: bool = False) -> AsyncGenerator[None]:
        """Hold the turn of one action; `waiting` is called with the reason if the action has to wait for it.

        An action that `has_begun`, and was asked about meanwhile, goes on while the session is paused.
        """
        await self.before_turn()
        while (reason := self._reason(has_begun)) is not None:
            waiting(f"Waiting: {reason}")
            await self._wait_for_turn(has_begun)
            await self.before_turn()
        if self._is_paused and not has_begun:
            self._steps -= 1
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1
            self._changed.send()

    async def until_taken(self, work: Awaitable[R]) -> R:
        """Return the result of work that holds a turn. Raises HeldByPerson if a person takes the session meanwhile."""
        try:
            with Interruption(self._interrupted):
                return await work
        except Interrupted:
            raise HeldByPerson(
                "A person took the session over, and this action was ended before it was done.",
                hint="It may be half done: look at the page once the session is handed back.",
            ) from None

    async def until_stopped(self, work: Awaitable[R], action: AnyAction | None = None) -> R:
        """Return the result of the work. Raises HeldByPerson if a person stops the session meanwhile.

        Raises NotOpen if the session is closed meanwhile, unless the work is an action that may close it itself.
        """
        ends = (self._stopped,) if isinstance(action, SessionsAction) else (self._stopped, self._closed)
        try:
            with Interruption(*ends):
                return await work
        except Interrupted as interrupted:
            if interrupted.index == 1:
                raise NotOpen(
                    "The session was closed, and this action was ended before it was done.",
                    hint="Open another with {open_session}.",
                ) from None
            raise HeldByPerson(
                "A person stopped this session, and this action with it.",
                hint="Do not call again until the person asks you to go on. Pages and tabs are as they were.",
                retryable=False,
            ) from None

    async def wait_for_release(self) -> None:
        """Wait until no person drives."""
        while self._lease is not None:
            await self._changed.wait()

    async def wait_for_take(self) -> None:
        """Wait until a person drives."""
        while self._lease is None:
            await self._changed.wait()

    def _reason(self, has_begun: bool) -> str | None:
        """Return why an action may not go on now; None if it may."""
        if self._lease is not None:
            return f"{self._lease.person} drives this session."
        is_held = self._is_paused and not self._steps and not has_begun
        return "A person has paused this session." if is_held else None

    async def _wait_for_turn(self, has_begun: bool) -> None:
        until = time.monotonic() + self._patience
        while reason := self._reason(has_begun):
            try:
                async with asyncio.timeout(max(until - time.monotonic(), 0)):
                    await self._changed.wait()
            except TimeoutError:
                raise HeldByPerson(f"{reason} Nothing was done in {self._patience:g} s.") from None

    async def _end_running(self) -> None:
        """Wait until no action runs; after a moment, end those that still do."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                await self._wait_until_none_runs()
        self._interrupted.send()
        await self._wait_until_none_runs()

    async def _wait_until_none_runs(self) -> None:
        while self._running:
            await self._changed.wait()

    def _update(self, event: DriverEvent, person: str | None) -> None:
        self._changed.send()
        self.on_changed(event, person)


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


class PersonControl(Protocol):
    """Who drives one session, which may be on another machine: what is told is known here, what changes it is awaited.

    It is no action, so no agent reaches it.
    """

    @property
    def state(self) -> DriverState: ...
    @property
    def lease(self) -> Lease | None:
        """The lease of the person who drives now."""
        ...

    @property
    def handoffs(self) -> tuple[HandoffRequest, ...]:
        """The hand-offs that wait for a person, or that a person is at, oldest first."""
        ...

    async def take(self, person: str, /) -> Lease:
        """Let a person drive. Raises HeldByPerson if another person does."""
        ...

    async def release(self, lease: Lease, /) -> None:
        """Hand the session back to the agent."""

    async def pause(self, person: str | None = None, /) -> None:
        """Let no further action begin."""

    async def resume(self, person: str | None = None, /) -> None:
        """Let actions run again."""

    async def step(self, person: str | None = None, /) -> None:
        """Let exactly one action run, and pause after it."""

    async def stop(self, person: str | None = None, /) -> None:
        """End the actions that run or wait, and let no other begin until `resume` or `step`."""

    async def decline(self, handoff: str, reason: str = "", /) -> bool:
        """Refuse a hand-off; the agent is told the reason. False if there is no such hand-off."""
        ...


class SessionControl:
    """The control of a session of this process."""

    def __init__(self, driver: Driver, handoffs: Handoffs) -> None:
        self._driver = driver
        self._handoffs = handoffs

    @property
    def state(self) -> DriverState:
        return self._driver.state

    @property
    def lease(self) -> Lease | None:
        return self._driver.lease

    @property
    def handoffs(self) -> tuple[HandoffRequest, ...]:
        return self._handoffs.pending

    async def take(self, person: str, /) -> Lease:
        return await self._driver.take(person)

    async def release(self, lease: Lease, /) -> None:
        self._driver.release(lease)

    async def pause(self, person: str | None = None, /) -> None:
        self._driver.pause(person)

    async def resume(self, person: str | None = None, /) -> None:
        self._driver.resume(person)

    async def step(self, person: str | None = None, /) -> None:
        self._driver.step(person)

    async def stop(self, person: str | None = None, /) -> None:
        self._driver.stop(person)

    async def decline(self, handoff: str, reason: str = "", /) -> bool:
        return self._handoffs.decline(handoff, reason)
