"""What people do with the agent of a session: take over, hand back, hold it, and answer what it asks for."""

from __future__ import annotations

from typing import Protocol

from rove.engine.people.driver import Driver, DriverState, Lease
from rove.engine.people.handoffs import HandoffRequest, Handoffs


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
