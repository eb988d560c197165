"""One node of the cluster, as the Ray driver process sees it: its actor, and what it answers."""

from __future__ import annotations

import asyncio
import contextlib
import platform
import time
from dataclasses import replace
from typing import Any

from rove.cluster.connection.node_facts import NodeFacts, NodeState
from rove.cluster.connection.options import is_loopback
from rove.cluster.payload import decode, encode
from rove.validation.record import dataclass
from rove.version import VERSION

MOST_CALLS_AT_ONCE = 10_000
# A node that takes longer to say how it is is slow, and may come back.
HEALTH_SECONDS = 10.0
END_SECONDS = 12.0
LONGEST_REASON = 300


@dataclass(frozen=True)
class ActorStart:
    """How actors are started: how long that may take, their lease, and whether this process uses TLS and a token."""

    seconds: float
    lease_seconds: float
    is_protected: bool


class StartFailed(Exception):
    """A node cannot have an actor, and would not have one the next time either."""


class Member:
    """A node that Ray lists."""

    def __init__(self, listed: dict[str, Any]) -> None:
        """`listed`: what `ray.nodes` says of it."""
        self.ray_id: str = listed["NodeID"]
        self.facts = NodeFacts(label(listed), listed["NodeManagerAddress"], listed["Resources"].get("CPU", 0.0))
        self.actor: Any = None
        # Whether the rove process knows of it.
        self.is_told = False
        self.following: asyncio.Task[None] | None = None

    async def start(self, name: str, start: ActorStart) -> None:
        """Make its actor, or find the one that an earlier driver process made.

        Raises StartFailed if it must not be used, and RayError or TimeoutError if it has gone meanwhile.
        """
        from ray.exceptions import RayActorError, RuntimeEnvSetupError

        options = _actor_options(f"rove-{name}-{self.ray_id}", self.ray_id)
        try:
            async with asyncio.timeout(start.seconds):
                self.actor = await asyncio.to_thread(_make, options, start.lease_seconds)
                hello = await ask(self.actor, "node.hello")
        except RuntimeEnvSetupError as error:
            raise StartFailed(f"the files and packages of the job cannot be installed: {last_line(error)}") from error
        except RayActorError as error:
            if error.actor_init_failed:
                raise StartFailed(f"its actor does not start: {last_line(error)}") from error
            raise
        self.facts = replace(self.facts, version=hello["version"], machine=hello["machine"], key=hello["key"])
        if complaint := self._complaint(hello, start.is_protected):
            await self.kill()
            raise StartFailed(complaint)

    def _complaint(self, hello: dict[str, Any], is_protected: bool) -> str:
        """Return why a node must not be used; nothing if it may."""
        if hello["version"] != VERSION:
            return f"it has rove {hello['version']}, and this is {VERSION}. Install the same version everywhere."
        if hello["python"].split(".")[:2] != platform.python_version().split(".")[:2]:
            return f"it has Python {hello['python']}, and this is {platform.python_version()}."
        is_exposed = not is_loopback(self.facts.address)
        if is_exposed and not (is_protected and hello["uses_tls"] and hello["uses_token"]):
            return "other machines can reach it, and Ray's TLS and token authentication are not both set there."
        return ""

    async def refresh(self) -> None:
        """Ask how it is, which renews its lease. Raises RayError if its actor has ended."""
        began = time.monotonic()
        try:
            async with asyncio.timeout(HEALTH_SECONDS):
                health = await ask(self.actor, "node.health")
        except TimeoutError:
            self.facts = replace(self.facts, latency=HEALTH_SECONDS)
            return
        state: NodeState = "draining" if health.pop("is_draining") else "ready"
        self.facts = replace(self.facts, **health, state=state, latency=time.monotonic() - began)

    async def end(self) -> None:
        """End its actor in order, or by force after a while."""
        from ray.exceptions import RayError

        if self.actor is None:
            return
        with contextlib.suppress(RayError, TimeoutError):  # its process ends, as it was told, without an answer
            async with asyncio.timeout(END_SECONDS):
                await self.actor.end.remote()
        await self.kill()

    async def kill(self) -> None:
        import ray

        if self.actor is not None:
            actor, self.actor = self.actor, None
            await asyncio.to_thread(ray.kill, actor)


def _actor_options(name: str, ray_id: str) -> dict[str, Any]:
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return {
        "name": name,
        "get_if_exists": True,
        # So that another driver process can go on with it. It ends by its lease if there is none.
        "lifetime": "detached",
        "num_cpus": 0,
        "max_restarts": 0,
        "max_concurrency": MOST_CALLS_AT_ONCE,
        "scheduling_strategy": NodeAffinitySchedulingStrategy(ray_id, soft=False),
    }


def _make(options: dict[str, Any], lease_seconds: float) -> Any:
    from rove.cluster.node.actor import ray_actor_class

    return ray_actor_class().options(**options).remote(lease_seconds)


async def ask(actor: Any, method: str) -> dict[str, Any]:
    """Return the answer of an actor to a call without arguments."""
    is_result, value = decode(await actor.call.remote(method, encode(())))
    if not is_result:
        raise value
    answer: dict[str, Any] = value
    return answer


def label(listed: dict[str, Any]) -> str:
    """Return the id of a node for people: its name and the beginning of Ray's id."""
    name = listed.get("NodeName") or listed["NodeManagerAddress"]
    return f"{name}-{listed['NodeID'][:8]}"


def reason_of(error: Exception) -> str:
    """Return why Ray has no answer, in a few words."""
    from ray.exceptions import ActorDiedError, ActorUnavailableError

    if isinstance(error, ActorUnavailableError):
        return "it cannot be reached"
    if isinstance(error, ActorDiedError):
        return "its process has ended"
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:LONGEST_REASON]


def last_line(error: Exception) -> str:
    """Return the last line of an error of Ray that quotes a traceback."""
    return (str(error).strip().splitlines() or [type(error).__name__])[-1][:LONGEST_REASON]
