"""The actors of the nodes, as the Ray driver process sees them: one for each node, made when the node appears."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

from rove.cluster.connection.member import ActorStart, Member, StartFailed, label, reason_of
from rove.tasks import BackgroundTasks

log = logging.getLogger(__name__)
# The head is told to be silent when it has not listed the nodes for so long.
HEAD_SECONDS = 3.0
Tell = Callable[..., None]


class NodeActors:
    """Makes an actor on each node, and follows nodes that come and go."""

    def __init__(self, configuration: dict[str, Any], tell: Tell) -> None:
        """`tell`: sends a message to the rove process."""
        self._name: str = configuration["name"]
        self._start = ActorStart(
            configuration["start_seconds"], configuration["lease_seconds"], configuration["is_protected"]
        )
        self._poll: float = configuration["poll_seconds"]
        # How often each node was lost. An actor that was given up is not taken again: another has a name of its own.
        self._losses: Counter[str] = Counter(configuration["losses"])
        self._tell = tell
        self._members: dict[str, Member] = {}
        self._tasks = BackgroundTasks("the nodes")

    async def call(self, node: str, method: str, payload: bytes) -> bytes:
        """Return the encoded answer of a node. Raises LookupError or RayError if the node cannot answer."""
        import ray

        call = self._actor(node).call.remote(method, payload)
        try:
            answer: bytes = await call
        except asyncio.CancelledError:
            ray.cancel(call)
            raise
        return answer

    async def stream(self, node: str, method: str, payload: bytes) -> AsyncIterator[bytes]:
        """Yield the encoded items of a node. Raises as `call` does."""
        import ray

        stream = self._actor(node).stream.options(num_returns="streaming").remote(method, payload)
        is_over = False
        try:
            async for item in stream:
                yield await item
            is_over = True
        finally:
            if not is_over:
                ray.cancel(stream)

    def _actor(self, node: str) -> Any:
        member = self._members.get(node)
        if member is None or member.actor is None:
            raise LookupError(f"there is no node {node}")
        return member.actor

    async def watch(self) -> None:
        """Tell which nodes are there, as long as Ray answers."""
        await asyncio.gather(*await self._look())
        self._tell("ready")
        while True:
            await asyncio.sleep(self._poll)
            await self._look()

    async def _look(self) -> list[asyncio.Task[None]]:
        """Compare with what Ray lists, and return the tasks that make actors of new nodes."""
        listed = await self._list()
        alive = {label(each): each for each in listed if each["Alive"] and each["Resources"].get("CPU", 0) > 0}
        for gone in self._members.keys() - alive.keys():
            self._lose(self._members[gone], "Ray says that the node is gone")
        new = [Member(alive[name]) for name in alive.keys() - self._members.keys()]
        self._members |= {member.facts.id: member for member in new}
        return [self._tasks.start(self._add(member)) for member in new]

    async def _list(self) -> list[dict[str, Any]]:
        import ray

        listing = asyncio.ensure_future(asyncio.to_thread(ray.nodes))
        done, _ = await asyncio.wait({listing}, timeout=HEAD_SECONDS)
        if not done:
            self._tell("head", False)
            await asyncio.wait({listing})
            self._tell("head", True)
        listed: list[dict[str, Any]] = listing.result()
        return listed

    async def _add(self, member: Member) -> None:
        """Make the actor of a node. One that has gone meanwhile is looked at again while Ray lists it."""
        from ray.exceptions import RayError

        name = f"{self._name}-{self._losses[member.facts.id]}"
        try:
            await member.start(name, self._start)
            await member.refresh()
        except StartFailed as failed:
            member.facts = replace(member.facts, state="refused", reason=str(failed))
        except (RayError, TimeoutError) as error:
            log.warning("the node %s does not start: %s", member.facts.id, reason_of(error))
            self._lose(member, reason_of(error))
            return
        if self._members.get(member.facts.id) is not member:
            return  # it has gone meanwhile
        member.is_told = True
        self._tell("node", member.facts)
        if member.facts.state != "refused":
            member.following = self._tasks.start(self._follow(member))

    async def _follow(self, member: Member) -> None:
        """Tell how a node is, until its actor has ended."""
        from ray.exceptions import RayError

        while True:
            await asyncio.sleep(self._poll)
            try:
                await member.refresh()
            except RayError as error:
                self._lose(member, reason_of(error))
                return
            self._tell("node", member.facts)

    def _lose(self, member: Member, reason: str) -> None:
        """Give a node up, with all that its actor holds."""
        if self._members.get(member.facts.id) is not member:
            return
        del self._members[member.facts.id]
        self._losses[member.facts.id] += 1
        if member.following is not None and member.following is not asyncio.current_task():
            member.following.cancel()
        if member.is_told:
            self._tell("node_lost", member.facts.id, reason)
        self._tasks.start(member.kill())

    async def end(self) -> None:
        """End the actors, with all that they hold."""
        self._tasks.cancel()
        await asyncio.gather(*(member.end() for member in self._members.values()))
