"""A cluster as the rest of rove sees it: its nodes, calls to them, streams from them, and its driver process."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import os
import secrets
import signal
import socket
import sys
import time
from collections import Counter, deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from rove.cluster.connection.options import (
    ClusterOptions,
    HeadRefused,
    NodeFacts,
    is_loopback,
    probe_head,
    require_cluster_packages,
    uses_tls,
    uses_token,
)
from rove.cluster.node.sealing import seal
from rove.cluster.payload import decode, encode, frame, messages
from rove.errors import ClusterUnavailable, InvalidSettings, NodeLost
from rove.tasks import BackgroundTasks, Signal

log = logging.getLogger(__name__)
MODULE = "rove.cluster.connection.driver"
# With this, Ray uses the loopback address itself instead of another address of the machine.
USE_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
QUIET = {"RAY_DEDUP_LOGS": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
END_SECONDS = 20.0
LINES_KEPT = 20
# Seconds between two attempts to reach a head that has gone.
RETRY_SECONDS = 1.0
START_HINT = "Start its head again at that address; this machine must be one of its nodes (ray start --address)."
TRUST_HINT = "Use the same token and certificates of one authority, here and on every node (docs/cluster.md)."
NodeCallback = Callable[[NodeFacts], None]
_Answers = asyncio.Queue[tuple[str, Any]]


class DriverProcess:
    """One connection to Ray, until it breaks."""

    def __init__(self, process: asyncio.subprocess.Process, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self._process = process
        self._reader = reader
        self._writer = writer
        self._tasks = BackgroundTasks("the Ray driver process")
        # The last lines that it wrote to standard error.
        self.said: deque[str] = deque(maxlen=LINES_KEPT)
        self._tasks.start(self._keep_what_it_says())

    @classmethod
    async def start(cls, options: ClusterOptions, name: str, losses: Mapping[str, int]) -> DriverProcess:
        """`name`: of the rove process, for its actors. `losses`: how often each node was lost before."""
        configuration = json.dumps({**_configuration(options, name), "losses": dict(losses)})
        ours, theirs = socket.socketpair()
        with theirs:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", MODULE, str(theirs.fileno()), configuration),
                pass_fds=[theirs.fileno()],
                env=_environment(options),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,  # Ctrl-C in the terminal reaches only the rove process
            )
        return cls(process, *await asyncio.open_connection(sock=ours))

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, *message: Any) -> None:
        """Send a message. One to a process that has ended is not sent: `messages` says so."""
        if not self._writer.is_closing():
            self._writer.write(frame(message))

    def messages(self) -> AsyncIterator[Any]:
        """Yield what the process sends, until it has ended."""
        return messages(self._reader)

    async def end(self) -> None:
        """Close the connection, which ends the process and its actors; kill it if that takes too long."""
        self._writer.close()
        with contextlib.suppress(ConnectionError):
            await self._writer.wait_closed()
        try:
            async with asyncio.timeout(END_SECONDS):
                await self._process.wait()
        except TimeoutError:
            log.warning("the Ray driver process does not end: it is killed")
            self.kill()
            await self._process.wait()
        await self._tasks.close()

    def kill(self) -> None:
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)  # not with its own method, which waits for the process too

    async def _keep_what_it_says(self) -> None:
        assert self._process.stderr is not None
        async for line in self._process.stderr:
            text = line.decode(errors="replace").rstrip()
            if text:  # an empty line would be no reason at all
                self.said.append(text)
            log.debug("Ray: %s", text)


def _configuration(options: ClusterOptions, name: str) -> dict[str, Any]:
    return {
        "address": f"{options.host}:{options.port}" if ":" not in options.host else f"[{options.host}]:{options.port}",
        "name": name,
        "lease_seconds": options.lease_seconds,
        "poll_seconds": options.poll_seconds,
        "start_seconds": options.start_seconds,
        "runtime_env": dict(options.runtime_env),
        "is_protected": is_protected(os.environ),
    }


def _environment(options: ClusterOptions) -> dict[str, str]:
    loopback = USE_LOOPBACK if is_loopback(options.host) else {}
    return {**os.environ, **QUIET, **loopback}


def is_protected(environment: Mapping[str, str]) -> bool:
    """Whether Ray, in a process with this environment, speaks TLS and shows a token."""
    return uses_tls(environment) and uses_token(environment)


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
