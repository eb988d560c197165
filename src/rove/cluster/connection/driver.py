"""The Ray driver process: holds the connection to Ray for a rove process, which survives it, and the nodes' actors.

Ray ends a process that is connected to it when its node or the head is gone. Started with the number of a socket, it
reads requests from the rove process and ends with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import platform
import socket
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import replace
from typing import Any

from rove.cluster.connection.options import NodeFacts, NodeState, is_loopback
from rove.cluster.payload import decode, encode, frame, messages
from rove.records import dataclass
from rove.tasks import BackgroundTasks
from rove.version import VERSION

log = logging.getLogger(__name__)
MOST_CALLS_AT_ONCE = 10_000
# A node that takes longer to say how it is is slow, and may come back.
HEALTH_SECONDS = 10.0
END_SECONDS = 12.0
LONGEST_REASON = 300
# The head is told to be silent when it has not listed the nodes for so long.
HEAD_SECONDS = 3.0
Tell = Callable[..., None]
NAMESPACE = "rove"
# Items of a stream on their way before the reader has taken one.
CREDITS = 16
CLOSE_SECONDS = 15.0


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


class Driver:
    """Passes calls on to the actors of nodes, and tells the rove process which nodes come and go."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, configuration: dict[str, Any]
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._actors = NodeActors(configuration, self._send)
        self._tasks = BackgroundTasks("the Ray driver process")
        self._running: dict[int, asyncio.Task[None]] = {}
        self._credits: dict[int, asyncio.Semaphore] = {}

    async def run(self) -> None:
        """Serve until the rove process has closed its end."""
        watching = self._tasks.start(self._actors.watch())
        watching.add_done_callback(lambda task: self._writer.close())
        handlers: dict[str, Callable[..., None]] = {
            "call": self._call,
            "stream": self._stream,
            "more": self._allow_more,
            "cancel": self._cancel,
        }
        async for kind, *arguments in messages(self._reader):
            handlers[kind](*arguments)
        await self._tasks.close()
        await asyncio.wait_for(self._actors.end(), CLOSE_SECONDS)

    def _send(self, *message: Any) -> None:
        self._writer.write(frame(message))

    def _start(self, number: int, work: Coroutine[Any, Any, None]) -> None:
        task = self._running[number] = self._tasks.start(work)
        task.add_done_callback(lambda _: self._forget(number))

    def _forget(self, number: int) -> None:
        self._running.pop(number, None)
        self._credits.pop(number, None)

    def _call(self, number: int, node: str, method: str, payload: bytes) -> None:
        self._start(number, self._run_call(number, node, method, payload))

    def _stream(self, number: int, node: str, method: str, payload: bytes) -> None:
        self._credits[number] = asyncio.Semaphore(CREDITS)
        self._start(number, self._run_stream(number, node, method, payload))

    def _allow_more(self, number: int) -> None:
        if number in self._credits:
            self._credits[number].release()

    def _cancel(self, number: int) -> None:
        if number in self._running:
            self._running[number].cancel()

    async def _run_call(self, number: int, node: str, method: str, payload: bytes) -> None:
        from ray.exceptions import RayError

        try:
            self._send("answer", number, await self._actors.call(node, method, payload))
        except (RayError, LookupError) as error:
            self._send("lost", number, reason_of(error))

    async def _run_stream(self, number: int, node: str, method: str, payload: bytes) -> None:
        from ray.exceptions import RayError

        try:
            items = self._actors.stream(node, method, payload)
            await self._credits[number].acquire()
            async for item in items:
                self._send("item", number, item)
                await self._credits[number].acquire()
            self._send("end", number)
        except (RayError, LookupError) as error:
            self._send("lost", number, reason_of(error))


def connect(configuration: dict[str, Any]) -> None:
    """Connect this process to Ray. Raises AuthenticationError at once for a token that the head does not take."""
    import ray

    check_token(configuration["address"])
    ray.init(
        address=configuration["address"],
        namespace=NAMESPACE,
        # Of the whole connection, as Ray sends local files only for that.
        runtime_env=configuration["runtime_env"] or None,
        log_to_driver=False,
        logging_level=logging.ERROR,
        configure_logging=False,
    )


def check_token(address: str) -> None:
    """Raise AuthenticationError if the head does not take the token of this process.

    `ray.init` tries for twenty seconds, and then says no more than that it could not connect.
    """
    from ray._raylet import GcsClient  # type: ignore[attr-defined]  # a compiled module
    from ray.exceptions import RpcError

    try:
        GcsClient(address=address)
    except RpcError as error:
        log.info("the head does not answer yet: %s", reason_of(error))


async def serve(connection: socket.socket, configuration: dict[str, Any]) -> None:
    reader, writer = await asyncio.open_connection(sock=connection)
    await Driver(reader, writer, configuration).run()


def main() -> None:
    """Run the process: arguments are the number of the socket and the configuration as JSON."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    connection = socket.socket(fileno=int(sys.argv[1]))
    configuration: dict[str, Any] = json.loads(sys.argv[2])
    from ray.exceptions import AuthenticationError

    try:
        connect(configuration)
    except AuthenticationError:
        connection.sendall(frame(("refused", "its token is another than the one that is set here, or none is set")))
        os._exit(1)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        connection.sendall(frame(("failed", reason_of(error))))
        os._exit(1)
    connection.setblocking(False)
    try:
        asyncio.run(serve(connection, configuration))
    finally:
        os._exit(0)  # without Ray's own end, which may wait for a head that has gone


if __name__ == "__main__":
    main()
