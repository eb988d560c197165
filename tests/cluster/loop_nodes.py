"""Nodes in the event loop of the test, with the interface of `Cluster`: all passes as bytes, and nodes can die."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any, Self

from rove.cluster.connection.options import ClusterOptions, NodeFacts
from rove.cluster.node.node import Node
from rove.cluster.node.sealing import seal
from rove.cluster.payload import decode, encode
from rove.errors import NodeLost, RoveError

GIGABYTE = 2**30


class LoopNodes:
    """As many nodes as are named. They share this process, but no object."""

    def __init__(self, folder: Path, *names: str) -> None:
        self.on_node_added: list[Callable[[NodeFacts], None]] = []
        self.on_node_lost: list[Callable[[NodeFacts], None]] = []
        self.on_connection: list[Callable[[bool], None]] = []
        self.is_connected = True
        self.options = ClusterOptions("127.0.0.1:1")
        self._nodes = {name: Node(folder / name) for name in names}
        self._gone = {name: asyncio.Event() for name in names}
        for name in names:
            (folder / name).mkdir()

    async def __aenter__(self) -> Self:
        return self

    async def close(self) -> None:
        for node in self._nodes.values():
            await node.close()
            shutil.rmtree(node.folder)

    def known_nodes(self) -> list[NodeFacts]:
        return [
            NodeFacts(name, name, 2.0, 64 * GIGABYTE, 60 * GIGABYTE, machine=name, key=node.keys.public)
            for name, node in self._nodes.items()
        ]

    def all_nodes(self) -> list[NodeFacts]:
        return self.known_nodes()

    def seal(self, node: str, value: Any) -> bytes:
        return seal(value, self._nodes[node].keys.public)

    async def call(self, node: str, method: str, *args: Any) -> Any:
        work = asyncio.ensure_future(self._answer(node, method, encode(args)))
        return decode(await self._while_there(node, work))

    async def _answer(self, node: str, method: str, payload: bytes) -> bytes:
        try:
            return encode(await self._find(node).method(method)(*decode(payload)))
        except RoveError as error:
            error.__traceback__ = error.__cause__ = error.__context__ = None
            raise decode(encode(error)) from None

    async def stream(self, node: str, method: str, *args: Any) -> AsyncGenerator[Any]:
        async with contextlib.aclosing(self._find(node).method(method)(*decode(encode(args)))) as items:
            while True:
                try:
                    yield decode(encode(await self._while_there(node, asyncio.ensure_future(anext(items)))))
                except StopAsyncIteration:
                    return

    async def _while_there(self, node: str, work: asyncio.Future[Any]) -> Any:
        """Return the result of work on a node, unless the node goes meanwhile."""
        self._find(node)
        gone = asyncio.ensure_future(self._gone[node].wait())
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
            if gone.done():
                raise NodeLost(f"The node {node} has gone.")
            return work.result()
        finally:
            for each in (work, gone):
                each.cancel()
            await asyncio.wait({work, gone})

    def _find(self, node: str) -> Node:
        if node not in self._nodes:
            raise NodeLost(f"The node {node} has gone: it is not there.")
        return self._nodes[node]

    async def kill(self, name: str) -> None:
        """Let a node go: nothing of it is heard any more, and what it holds is ended."""
        facts = next(each for each in self.known_nodes() if each.id == name)
        node = self._nodes.pop(name)
        self._gone[name].set()
        for callback in self.on_node_lost:
            callback(facts)
        await node.close()
