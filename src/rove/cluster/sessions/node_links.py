"""The server's connections to the sessions of its nodes: orders to each, and the events and questions of each."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable
from typing import Any, Protocol

from rove.cluster.connection.options import NodeFacts
from rove.cluster.node.configuration import Configuration
from rove.cluster.sessions.messages import Event, Orders
from rove.errors import NodeLost, RoveError
from rove.tasks import BackgroundTasks, Signal

log = logging.getLogger(__name__)
# Seconds until a node whose stream broke, and that is still there, is asked for another.
RETRY_SECONDS = 0.5


class Nodes(Protocol):
    """What is used of `rove.cluster.connection.cluster.Cluster`."""

    on_node_added: list[Callable[[NodeFacts], None]]
    on_node_lost: list[Callable[[NodeFacts], None]]

    @property
    def is_connected(self) -> bool: ...
    def known_nodes(self) -> list[NodeFacts]: ...
    async def call(self, node: str, method: str, *args: Any) -> Any: ...
    def stream(self, node: str, method: str, *args: Any) -> AsyncGenerator[Any]: ...
    def seal(self, node: str, value: Any) -> bytes: ...


class Receiver(Protocol):
    """Is told what nodes say."""

    def receive(self, node: str, event: Event, /) -> None:
        """Take an event; returns at once."""

    async def reply(self, node: str, question: str, arguments: tuple[Any, ...], /) -> Any:
        """Answer a question. Raises RoveError."""
        ...


class NodeLinks:
    """Gives each node its orders, and reads its events for as long as it is there."""

    def __init__(self, nodes: Nodes, orders: Callable[[], Orders], configuration: Configuration, to: Receiver) -> None:
        self._nodes = nodes
        self._orders = orders
        self._configuration = configuration
        self._to = to
        # The process of each node that has its orders, by its key, and those whose events are read now.
        self._begun: dict[str, bytes] = {}
        self._live: set[str] = set()
        self._readers: dict[str, asyncio.Task[None]] = {}
        self._questions: dict[tuple[str, int], asyncio.Task[None]] = {}
        self._tasks = BackgroundTasks("the nodes' sessions", expected=(NodeLost,))
        # Sent when a node can be used, or cannot any more.
        self.changed = Signal()

    def start(self) -> None:
        self._nodes.on_node_added.append(self._follow)
        for facts in self._nodes.known_nodes():
            self._follow(facts)

    async def close(self) -> None:
        self._nodes.on_node_added.remove(self._follow)
        await self._tasks.close()

    @property
    def is_connected(self) -> bool:
        """Whether the cluster can be reached; if not, no node can be used."""
        return self._nodes.is_connected

    def is_live(self, node: str) -> bool:
        """Whether a node has its orders and its events are read."""
        return node in self._live

    def suspect(self, node: str) -> None:
        """Note that a call did not reach a node: it is not used until it answers."""
        if node in self._live:
            self._live.discard(node)
            if (reader := self._readers.pop(node, None)) is not None:
                reader.cancel()
            self._tasks.start(self._follow_again(node))

    async def call(self, node: str, method: str, *arguments: Any) -> Any:
        """Call the sessions of a node. Raises NodeLost, or what the node raised."""
        try:
            return await self._nodes.call(node, f"sessions.{method}", *arguments)
        except NodeLost:
            self.suspect(node)
            raise

    def stream(self, node: str, method: str, *arguments: Any) -> AsyncGenerator[Any]:
        return self._nodes.stream(node, f"sessions.{method}", *arguments)

    def _follow(self, facts: NodeFacts) -> None:
        reader = self._readers.get(facts.id)
        if reader is not None and not reader.done():
            if self._begun.get(facts.id, facts.key) == facts.key:
                return
            reader.cancel()
            self._live.discard(facts.id)
        self._readers[facts.id] = self._tasks.start(self._read(facts))

    async def _follow_again(self, node: str) -> None:
        """Read the events of a node again, if it is still there."""
        await asyncio.sleep(RETRY_SECONDS)
        facts = next((each for each in self._nodes.known_nodes() if each.id == node), None)
        if facts is not None and node not in self._live:
            self._follow(facts)

    async def _read(self, facts: NodeFacts) -> None:
        """Give a node its orders if its process has none, and read its events until it goes."""
        node = facts.id
        try:
            if self._begun.get(node) != facts.key:
                sealed = self._nodes.seal(node, self._configuration)
                await self._nodes.call(node, "sessions.begin", self._orders(), sealed)
                self._begun[node] = facts.key
            async with contextlib.aclosing(self.stream(node, "events")) as batches:
                self._set_live(node, True)
                async for events in batches:
                    for event in events:
                        self._take(node, event)
        except NodeLost:
            log.info("the events of the node %s have ended", node)
        except RoveError as error:
            log.error("the node %s cannot be used for sessions: %s", node, error.message)
        finally:
            if self._readers.get(node) is asyncio.current_task():
                self._set_live(node, False)
                del self._readers[node]
                self._tasks.start(self._follow_again(node))

    def _set_live(self, node: str, is_live: bool) -> None:
        (self._live.add if is_live else self._live.discard)(node)
        self.changed.send()

    def _take(self, node: str, event: Event) -> None:
        kind, *rest = event
        if kind == "question":
            number, question, arguments = rest
            task = self._questions[node, number] = self._tasks.start(self._answer(node, number, question, arguments))
            task.add_done_callback(lambda done: self._questions.pop((node, number), None))
        elif kind == "withdrawn":
            if (asked := self._questions.get((node, rest[0]))) is not None:
                asked.cancel()
        else:
            self._receive(node, event)

    def _receive(self, node: str, event: Event) -> None:
        try:
            self._to.receive(node, event)
        except Exception:  # the events after it must be read all the same
            log.exception("an event of the node %s was not understood", node)

    async def _answer(self, node: str, number: int, question: str, arguments: tuple[Any, ...]) -> None:
        value: Any = None
        failed: RoveError | None = None
        try:
            value = await self._to.reply(node, question, arguments)
        except RoveError as error:
            error.__traceback__ = error.__cause__ = error.__context__ = None
            failed = error
        except Exception:
            log.exception("a question of the node %s failed: %s", node, question)
            failed = RoveError(f"The server could not answer {question}.")
        await self._nodes.call(node, "sessions.answer", number, value, failed)
