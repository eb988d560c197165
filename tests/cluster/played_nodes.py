"""A cluster without Ray, and sessions without browsers, for tests of what is decided about them."""

from __future__ import annotations

from typing import Any

from rove.cluster.connection.options import ClusterOptions, NodeFacts
from rove.version import VERSION

GIGABYTE = 2**30


class PlayedNodes:
    """A cluster without Ray: its nodes are what a test says."""

    def __init__(self) -> None:
        self.on_node_added: list[Any] = []
        self.on_node_lost: list[Any] = []
        self.on_connection: list[Any] = []
        self.is_connected = True
        self.facts: dict[str, NodeFacts] = {}
        self.options = ClusterOptions("127.0.0.1:6379")

    def all_nodes(self) -> list[NodeFacts]:
        return [*self.facts.values()]

    def known_nodes(self) -> list[NodeFacts]:
        return [*self.facts.values()]

    def add(self, node: str, process: str = "first") -> None:
        self.facts[node] = NodeFacts(
            node,
            "127.0.0.1",
            2.0,
            8 * GIGABYTE,
            7 * GIGABYTE,
            VERSION,
            machine=node,
            key=process.encode(),
            latency=0.004,
        )
        for callback in self.on_node_added:
            callback(self.facts[node])

    def lose(self, node: str) -> None:
        for callback in self.on_node_lost:
            callback(self.facts[node])
        del self.facts[node]

    def connect(self, is_connected: bool) -> None:
        self.is_connected = is_connected
        if not is_connected:
            for node in [*self.facts]:
                self.lose(node)
        for callback in self.on_connection:
            callback(is_connected)


class PlayedSessions:
    """Sessions that are open where they were opened last."""

    def __init__(self) -> None:
        self.nodes: dict[str, str] = {}
        self.cleaned: list[str] = []

    def last_used(self, session: str, /) -> float:
        return 0.0

    async def open_again(self, session: str, node: str, /) -> None:
        self.nodes[session] = node

    move = open_again

    def cannot_open(self, session: str, reason: str, /) -> None:
        raise AssertionError(reason)

    async def close_strays(self, node: str, /) -> None:
        self.cleaned.append(node)
