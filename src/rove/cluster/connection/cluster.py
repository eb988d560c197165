"""A cluster as the rest of rove sees it: its nodes, calls to them and streams from them."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import secrets
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from rove.cluster.connection.driver_process import DriverProcess, is_protected
from rove.cluster.connection.head_probe import HeadRefused, probe_head
from rove.cluster.connection.installed import require_cluster_packages
from rove.cluster.connection.node_facts import NodeFacts
from rove.cluster.connection.options import ClusterOptions, is_loopback
from rove.cluster.node.sealing import seal
from rove.cluster.payload import decode, encode
from rove.errors import ClusterUnavailable, InvalidSettings, NodeLost
from rove.tasks import BackgroundTasks, Signal

log = logging.getLogger(__name__)
# Seconds between two attempts to reach a head that has gone.
RETRY_SECONDS = 1.0
START_HINT = "Start its head again at that address; this machine must be one of its nodes (ray start --address)."
TRUST_HINT = "Use the same token and certificates of one authority, here and on every node (docs/cluster.md)."
NodeCallback = Callable[[NodeFacts], None]
_Answers = asyncio.Queue[tuple[str, Any]]


class Cluster:
    """The connection to a cluster, which a child process holds; it is made anew when it breaks.

    Callbacks are called with a node that has come, and with one that has gone (`state` is `lost`, `reason` says why).
    A node that is lost and then added again under the same id begins with nothing, unless only the connection broke
    (`on_connection`): then its actor goes on, and `NodeFacts.services` tells what it holds.
    """

    def __init__(self, options: ClusterOptions) -> None:
        require_cluster_packages()
        _refuse_unprotected(options)
        self.options = options
        self.on_node_added: list[NodeCallback] = []
        self.on_node_lost: list[NodeCallback] = []
        # Called when the connection breaks (False), and when it is there again (True).
        self.on_connection: list[Callable[[bool], None]] = []
        # Whether the head answers. Nodes may go on for a while without it.
        self.head_answers = True
        self._name = secrets.token_hex(6)
        self._driver: DriverProcess | None = None
        self._nodes: dict[str, NodeFacts] = {}
        self._losses: Counter[str] = Counter()
        self._numbers = itertools.count(1)
        self._waiting: dict[int, _Answers] = {}
        self._is_ready = False
        self._failure: ClusterUnavailable | None = None
        self._changed = Signal()
        self._tasks = BackgroundTasks("the cluster")

    async def __aenter__(self) -> Self:
        keeping = self._tasks.start(self._keep_connected())
        try:
            while not self._is_ready and not keeping.done():
                await self._changed.wait()
            if self._failure is not None:
                raise self._failure
            self._refuse_without_nodes()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End the actors of this process on the nodes, with all that they hold, and the connection."""
        await self._tasks.close()
        self._fail_all("the connection was closed")
        if self._driver is not None:
            if not self.head_answers or not self.known_nodes():
                self._driver.kill()  # it would wait for the head, or has nothing to end
            await self._driver.end()
            self._driver = None

    @property
    def is_connected(self) -> bool:
        return self._is_ready

    @property
    def failure(self) -> ClusterUnavailable | None:
        """Why the cluster is given up; None while it is there, or waited for."""
        return self._failure

    async def nodes(self) -> list[NodeFacts]:
        """Return the nodes as they were when they were last asked, also those that may not be used."""
        return self.all_nodes()

    def all_nodes(self) -> list[NodeFacts]:
        """Return the same without waiting."""
        return list(self._nodes.values())

    def known_nodes(self) -> list[NodeFacts]:
        """Return the nodes that may be used now."""
        return [facts for facts in self._nodes.values() if facts.state in ("ready", "draining")]

    async def wait_for_change(self) -> None:
        """Wait until a node or the connection comes, goes or says how it is."""
        await self._changed.wait()

    async def call(self, node: str, method: str, *args: Any) -> Any:
        """Call a method of a service on a node. Raises NodeLost, or the RoveError that the node raised."""
        number, answers = self._request("call", node, method, args)
        try:
            kind, value = await answers.get()
        except asyncio.CancelledError:
            self._cancel(number)
            raise
        finally:
            self._waiting.pop(number, None)
        if kind == "lost":
            raise _node_lost(node, value)
        return _result(value)

    async def stream(self, node: str, method: str, *args: Any) -> AsyncGenerator[Any]:
        """Yield what a method of a node yields. Raises as `call` does. Closing it cancels the method."""
        number, answers = self._request("stream", node, method, args)
        is_over = False
        try:
            while True:
                kind, value = await answers.get()
                is_over = kind in ("end", "lost")
                if kind == "lost":
                    raise _node_lost(node, value)
                if kind == "end":
                    return
                if self._driver is not None:
                    self._driver.send("more", number)
                yield _result(value)
        finally:
            self._waiting.pop(number, None)
            if not is_over:
                self._cancel(number)

    def seal(self, node: str, value: Any) -> bytes:
        """Return a value that only that node can read (`Node.keys.unseal`). Raises NodeLost."""
        if (facts := self._nodes.get(node)) is None or not facts.key:
            raise _node_lost(node, "it is not there")
        return seal(value, facts.key)

    def _request(self, kind: str, node: str, method: str, args: tuple[Any, ...]) -> tuple[int, _Answers]:
        if self._failure is not None:
            raise self._failure
        if self._driver is None or node not in self._nodes:
            raise _node_lost(node, "it is not there")
        number, answers = next(self._numbers), _Answers()
        self._waiting[number] = answers
        self._driver.send(kind, number, node, method, encode(args))
        return number, answers

    def _cancel(self, number: int) -> None:
        if self._driver is not None:
            self._driver.send("cancel", number)

    async def _keep_connected(self) -> None:
        """Connect, and connect again when the connection breaks, until the head has been away for too long."""
        deadline: float | None = time.monotonic() + self.options.connect_seconds
        try:
            while True:
                await self._connect(deadline)
                log.warning("the connection to the cluster at %s has ended", self.options.address)
                seconds = self.options.head_seconds
                deadline = None if seconds is None else time.monotonic() + seconds
        except ClusterUnavailable as failure:
            self._failure = failure
            self._changed.send()

    async def _connect(self, deadline: float | None) -> None:
        """Hold one connection until it breaks. Raises ClusterUnavailable if none is there by then."""
        reason = ""
        while True:
            try:
                reason = await self._try_once(deadline, reason)
            except HeadRefused as refused:
                if deadline is not None:
                    raise _unavailable(self.options, str(refused), TRUST_HINT) from refused
                reason = str(refused)
            if not reason:
                return
            if deadline is not None and time.monotonic() > deadline:
                raise _unavailable(self.options, reason)
            await asyncio.sleep(RETRY_SECONDS)

    async def _try_once(self, deadline: float | None, reason: str) -> str:
        """Hold a connection until it breaks; return why there was none, or nothing if there was one.

        Raises HeadRefused.
        """
        if unreachable := await probe_head(self.options, os.environ):
            return reason or unreachable
        driver = self._driver = await DriverProcess.start(self.options, self._name, self._losses)
        try:
            async with asyncio.timeout(None if deadline is None else max(deadline - time.monotonic(), RETRY_SECONDS)):
                failed = await self._read_until_ready(driver)
        except TimeoutError:
            failed = "the head does not answer"
        except HeadRefused:
            await self._give_up(driver)
            raise
        if not failed:
            self._tell_connection(True)
            async for kind, *arguments in driver.messages():
                self._handle(kind, *arguments)
        await self._give_up(driver)
        return failed

    async def _give_up(self, driver: DriverProcess) -> None:
        self._driver = None
        self._lose_all("the connection to the cluster broke")
        driver.kill()
        await driver.end()

    async def _read_until_ready(self, driver: DriverProcess) -> str:
        async for kind, *arguments in driver.messages():
            if kind == "ready":
                return ""
            if kind == "failed":
                return str(arguments[0])
            if kind == "refused":
                raise HeadRefused(arguments[0])
            self._handle(kind, *arguments)
        return driver.said[-1] if driver.said else "the Ray driver process has ended"

    def _handle(self, kind: str, *arguments: Any) -> None:
        if kind == "node":
            self._update(arguments[0])
        elif kind == "node_lost":
            self._losses[arguments[0]] += 1
            self._lose(*arguments)
        elif kind == "head":
            self._tell_head(*arguments)
        elif (answers := self._waiting.get(arguments[0])) is not None:
            answers.put_nowait((kind, arguments[1] if len(arguments) > 1 else None))

    def _update(self, facts: NodeFacts) -> None:
        known = self._nodes.get(facts.id)
        self._nodes[facts.id] = facts
        if facts.state == "refused" and (known is None or known.state != "refused"):
            log.warning("the node %s is not used: %s", facts.id, facts.reason)
        elif facts.state != "refused" and (known is None or known.state == "refused"):
            _tell(self.on_node_added, facts)
        self._changed.send()

    def _lose(self, node: str, reason: str) -> None:
        if (facts := self._nodes.pop(node, None)) is not None and facts.state != "refused":
            _tell(self.on_node_lost, replace(facts, state="lost", reason=reason))
        self._abandon_driver_without_use()
        self._changed.send()

    def _lose_all(self, reason: str) -> None:
        was_ready, self._is_ready = self._is_ready, False
        self._fail_all(reason)
        for node in list(self._nodes):
            self._lose(node, reason)
        if was_ready:
            self._tell_connection(False)

    def _fail_all(self, reason: str) -> None:
        for answers in self._waiting.values():
            answers.put_nowait(("lost", reason))

    def _tell_connection(self, is_connected: bool) -> None:
        self._is_ready = self.head_answers = is_connected
        for callback in self.on_connection:
            callback(is_connected)
        self._changed.send()

    def _tell_head(self, answers: bool) -> None:
        self.head_answers = answers
        self._abandon_driver_without_use()
        self._changed.send()

    def _abandon_driver_without_use(self) -> None:
        """End a connection that has neither a head nor nodes: Ray itself would notice that much later."""
        if not self.head_answers and not self.known_nodes() and self._driver is not None:
            self._driver.kill()

    def _refuse_without_nodes(self) -> None:
        """Raise ClusterUnavailable if no node may be used."""
        if self.known_nodes():
            return
        reasons = "; ".join(f"{facts.id}: {facts.reason}" for facts in self._nodes.values())
        hint = "Start nodes with processors: ray start --address=HEAD --num-cpus=N."
        if reasons:
            hint = "`rove doctor --cluster ADDRESS` says what each node needs."
        raise ClusterUnavailable(f"The cluster has no node that may be used. {reasons}".strip(), hint=hint)


def _tell(callbacks: list[NodeCallback], facts: NodeFacts) -> None:
    for callback in callbacks:
        callback(facts)


def _result(payload: bytes) -> Any:
    is_result, value = decode(payload)
    if not is_result:
        raise value
    return value


def _node_lost(node: str, reason: str) -> NodeLost:
    return NodeLost(f"The node {node} has gone: {reason}.")


def _unavailable(options: ClusterOptions, reason: str, hint: str = START_HINT) -> ClusterUnavailable:
    return ClusterUnavailable(f"The cluster at {options.address} cannot be reached: {reason}.", hint=hint)


def _refuse_unprotected(options: ClusterOptions) -> None:
    """Raise InvalidSettings for a cluster that others could reach and use."""
    if not is_loopback(options.host) and not is_protected(os.environ):
        hint = (
            "Set RAY_USE_TLS=1 with its certificates and RAY_AUTH_MODE=token, here and on every node (docs/cluster.md)."
        )
        message = f"{options.host} is beyond the loopback, and Ray's TLS and token authentication are not both set."
        raise InvalidSettings(message, hint=hint)
