"""Who drives a session on a node: what the node has told last, and what people change there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from rove.cluster.sessions.messages import SessionFacts
from rove.engine.people.driver import DriverState, Lease
from rove.engine.people.handoffs import HandoffRequest

AGENT = DriverState("agent", None, False)


class RemoteControl:
    """The control of one session. `call` reaches its node; `update` keeps what that answers."""

    def __init__(
        self, call: Callable[..., Awaitable[tuple[Any, SessionFacts]]], update: Callable[[SessionFacts], None]
    ) -> None:
        self._call = call
        self._update = update
        self.state: DriverState = AGENT
        self.lease: Lease | None = None
        self.handoffs: tuple[HandoffRequest, ...] = ()

    def note(self, facts: SessionFacts) -> None:
        """Keep what a node has told."""
        self.state, self.lease, self.handoffs = facts.driver, facts.lease, facts.handoffs

    async def take(self, person: str, /) -> Lease:
        lease: Lease = await self._do("take", person)
        return lease

    async def release(self, lease: Lease, /) -> None:
        await self._do("release", lease)

    async def pause(self, person: str | None = None, /) -> None:
        self._hold(True)
        await self._do("pause", person)

    async def resume(self, person: str | None = None, /) -> None:
        self._hold(False)
        await self._do("resume", person)

    async def step(self, person: str | None = None, /) -> None:
        self._hold(True)
        await self._do("step", person)

    async def stop(self, person: str | None = None, /) -> None:
        self._hold(True)
        await self._do("stop", person)

    async def decline(self, handoff: str, reason: str = "", /) -> bool:
        return bool(await self._do("decline", handoff, reason))

    def _hold(self, is_paused: bool) -> None:
        """Note it at once: if the node is lost meanwhile, the session is opened elsewhere as the person wanted it."""
        self.state = replace(self.state, is_paused=is_paused)

    async def _do(self, what: str, *arguments: Any) -> Any:
        result, facts = await self._call("control", what, *arguments)
        self._update(facts)
        return result
