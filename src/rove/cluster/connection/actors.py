"""The actors of the nodes, as the Ray driver process sees them: one for each node, made when the node appears."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import platform
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

from rove.cluster.connection.node_facts import NodeFacts, NodeState
from rove.cluster.connection.options import is_loopback
from rove.cluster.payload import decode, encode
from rove.tasks import BackgroundTasks
from rove.validation.record import dataclass
from rove.version import VERSION

log = logging.getLogger(__name__)
MOST_CALLS_AT_ONCE = 10_000
# Items that a node may produce before one is taken.
ITEMS_AHEAD = 16
HEALTH_SECONDS = 10.0
START_SECONDS = 60.0
Tell = Callable[..., None]


@dataclass
class _Member:
    """A node, its actor once it has one, and what is known of it."""

    ray_id: str
    facts: NodeFacts
    actor: Any = None


class NodeActors:
    """Makes an actor on each node, and follows nodes that come and go."""

    def __init__(self, configuration: dict[str, Any]) -> None:
        self._name: str = configuration["name"]
        self._lease: float = configuration["lease_seconds"]
        self._poll: float = configuration["poll_seconds"]
        self._runtime_env: dict[str, Any] = configuration["runtime_env"]
        self._is_protected: bool = configuration["is_protected"]
        self._members: dict[str, _Member] = {}
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
        if member is None or member.actor is None or member.facts.state == "refused":
            raise LookupError(f"there is no node {node}")
        return member.actor

    async def watch(self, tell: Tell) -> None:
        """Tell which nodes are there, as long as Ray answers."""
        await self._look(tell)
        tell("ready")
        while True:
            await asyncio.sleep(self._poll)
            await self._look(tell)

    async def _look(self, tell: Tell) -> None:
        import ray

        listed = await asyncio.to_thread(ray.nodes)
        alive = {label(each): each for each in listed if each["Alive"] and each["Resources"].get("CPU", 0) > 0}
        for gone in self._members.keys() - alive.keys():
            self._lose(gone, "Ray says that the node is gone", tell)
        new = [self._add(name, alive[name], tell) for name in alive.keys() - self._members.keys()]
        known = [self._refresh(member, tell) for member in list(self._members.values()) if member.actor is not None]
        await asyncio.gather(*new, *known)

    def _lose(self, name: str, reason: str, tell: Tell) -> None:
        member = self._members.pop(name)
        if member.facts.state != "refused":
            tell("node_lost", name, reason)

    async def _add(self, name: str, listed: dict[str, Any], tell: Tell) -> None:
        """Make the actor of a node. One that cannot have any is told as refused, and tried again when it is new."""
        from ray.exceptions import RayError

        facts = NodeFacts(name, listed["NodeManagerAddress"], listed["Resources"].get("CPU", 0.0))
        member = self._members[name] = _Member(listed["NodeID"], facts)
        try:
            async with asyncio.timeout(START_SECONDS):
                actor = await asyncio.to_thread(self._make, member)
                hello = await _ask(actor, "node.hello")
        except (RayError, TimeoutError, ValueError) as error:
            reason = (str(error).strip().splitlines() or [type(error).__name__])[-1][:300]
            member.facts = replace(facts, state="refused", reason=f"its actor does not start: {reason}")
            tell("node", member.facts)
            return
        member.facts = replace(facts, version=hello["version"], machine=hello["machine"], key=hello["key"])
        if complaint := self._complaint(member, hello):
            member.facts = replace(member.facts, state="refused", reason=complaint)
            await _kill(actor)
            tell("node", member.facts)
            return
        member.actor = actor
        await self._refresh(member, tell)

    def _make(self, member: _Member) -> Any:
        """Return the actor of a node: the one that an earlier driver process made, or a new one."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        from rove.cluster.node.actor import ray_actor_class

        options: dict[str, Any] = {
            "name": f"rove-{self._name}-{member.ray_id}",
            "get_if_exists": True,
            "lifetime": "detached",
            "num_cpus": 0,
            "max_restarts": 0,
            "max_concurrency": MOST_CALLS_AT_ONCE,
            "scheduling_strategy": NodeAffinitySchedulingStrategy(member.ray_id, soft=False),
        }
        if self._runtime_env:
            options["runtime_env"] = self._runtime_env
        return ray_actor_class().options(**options).remote(self._lease)

    def _complaint(self, member: _Member, hello: dict[str, Any]) -> str:
        """Return why a node must not be used; nothing if it may."""
        if hello["version"] != VERSION:
            return f"it has rove {hello['version']}, and this is {VERSION}. Install the same version everywhere."
        if hello["python"].split(".")[:2] != platform.python_version().split(".")[:2]:
            return f"it has Python {hello['python']}, and this is {platform.python_version()}."
        is_exposed = not is_loopback(member.facts.address)
        if is_exposed and not (hello["uses_tls"] and hello["uses_token"] and self._is_protected):
            return "it is reachable from other machines, without Ray's TLS and token authentication."
        return ""

    async def _refresh(self, member: _Member, tell: Tell) -> None:
        """Ask a node how it is, which renews its lease. One whose actor has ended is lost."""
        from ray.exceptions import RayError

        began = time.monotonic()
        try:
            async with asyncio.timeout(HEALTH_SECONDS):
                health = await _ask(member.actor, "node.health")
        except TimeoutError:
            log.warning("the node %s does not answer", member.facts.id)
            member.facts = replace(member.facts, latency=HEALTH_SECONDS)
            tell("node", member.facts)
            return
        except RayError as error:
            if self._members.get(member.facts.id) is member:
                self._lose(member.facts.id, (str(error).strip().splitlines() or ["it has ended"])[0][:300], tell)
            return
        state: NodeState = "draining" if health.pop("is_draining") else "ready"
        member.facts = replace(member.facts, **health, state=state, latency=time.monotonic() - began)
        tell("node", member.facts)

    async def end(self) -> None:
        """End the actors, with all that they hold."""
        actors = [member.actor for member in self._members.values() if member.actor is not None]
        await asyncio.gather(*(_end(actor) for actor in actors))


def label(listed: dict[str, Any]) -> str:
    """Return the id of a node for people: its name and the beginning of Ray's id."""
    name = listed.get("NodeName") or listed["NodeManagerAddress"]
    return f"{name}-{listed['NodeID'][:8]}"


async def _ask(actor: Any, method: str) -> dict[str, Any]:
    is_result, value = decode(await actor.call.remote(method, encode(())))
    if not is_result:
        raise value
    answer: dict[str, Any] = value
    return answer


async def _end(actor: Any) -> None:
    from ray.exceptions import RayError

    with contextlib.suppress(RayError):  # its process ends, as it was told, without an answer
        await actor.end.remote()
    await _kill(actor)


async def _kill(actor: Any) -> None:
    import ray

    await asyncio.to_thread(ray.kill, actor)
