"""The workers of a job on a cluster, as nodes come and go."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from dataclasses import replace

from rove.cluster.connection.cluster import Cluster
from rove.cluster.connection.node_facts import NodeFacts
from rove.cluster.pages.journal_copy import JournalCopy
from rove.cluster.pages.node_worker import NodeWorker
from rove.cluster.pages.setup import PagesSetup
from rove.errors import ClusterUnavailable, NodeLost, RoveError
from rove.jobs.scheduler import JobStopped
from rove.jobs.worker import PageError, Worker
from rove.tasks import BackgroundTasks

log = logging.getLogger(__name__)
# In the folder of journals, a folder for the journals of each node.
NODES = "nodes"
_Found = NodeWorker | JobStopped


class NodeWorkers:
    """Makes a worker of each node that comes, and gives up when there was none for too long."""

    def __init__(self, cluster: Cluster, setup: PagesSetup, wait_seconds: float) -> None:
        """`setup`: for every node; what differs is filled in. `wait_seconds`: how long there may be no node."""
        self._cluster = cluster
        self._setup = setup
        self._wait = wait_seconds
        self._journals: dict[str, JournalCopy] = {}
        # The worker of each node that was made last: the pages of one before are refused.
        self._current: dict[str, NodeWorker] = {}
        self._found: asyncio.Queue[_Found] = asyncio.Queue()
        self._tasks = BackgroundTasks("the workers of the cluster")
        # Nodes that cannot visit pages, and why.
        self._unusable: dict[str, RoveError] = {}
        cluster.on_node_added.append(self._add)

    async def workers(self) -> AsyncGenerator[Worker]:
        """Yield workers that are open. Raises JobStopped when the cluster is given up."""
        for facts in self._cluster.known_nodes():
            self._add(facts)
        self._tasks.start(self._give_up_in_time())
        try:
            while not isinstance(found := await self._found.get(), JobStopped):
                yield found
            raise found
        finally:
            await self._tasks.close()

    def _add(self, facts: NodeFacts, slots: int | None = None) -> None:
        self._tasks.start(self._open(facts, slots))

    def _add_again(self, worker: NodeWorker) -> None:
        """Let a node that had stopped, and has not gone, begin again when it answers, with fewer pages at once."""
        for facts in self._cluster.known_nodes():
            if facts.id == worker.node and self._current.get(facts.id) is worker:
                self._add(facts, max(worker.slots // 2, 1))

    async def _open(self, facts: NodeFacts, slots: int | None) -> None:
        neighbours = sum(each.machine == facts.machine for each in self._cluster.known_nodes())
        slots = slots or self._setup.slots
        setup = replace(self._setup, cores=facts.cores, neighbours=max(neighbours, 1), slots=slots)
        worker = NodeWorker(self._cluster, facts, setup, self._add_again)
        try:
            await worker.open()
        except (NodeLost, ClusterUnavailable):
            return  # if it comes back, it is added again
        except RoveError as error:
            log.warning("the node %s cannot visit pages: %s", facts.id, error.message)
            self._unusable[facts.id] = error
            self._refuse_if_none_is_usable()
            return
        worker.copy_journal_to(self._journal_of(worker))
        self._unusable.pop(facts.id, None)
        self._current[facts.id] = worker
        self._found.put_nowait(worker)

    def _journal_of(self, worker: NodeWorker) -> JournalCopy:
        """Return the copy of a node's journals, which goes on when only the connection broke."""
        folder = self._setup.configuration.settings.journal_folder / NODES
        return self._journals.setdefault(worker.journal_id, JournalCopy(folder / worker.journal_id))

    def _refuse_if_none_is_usable(self) -> None:
        """Stop the job if every node says that it cannot visit pages."""
        nodes = {facts.id for facts in self._cluster.known_nodes()}
        if nodes and nodes <= self._unusable.keys():
            self._found.put_nowait(JobStopped(PageError.of(next(iter(self._unusable.values())), is_fatal=True)))

    async def _give_up_in_time(self) -> None:
        """Stop the job when there was no node for too long, or the connection is given up."""
        seen = time.monotonic()
        while self._cluster.failure is None and time.monotonic() - seen < self._wait:
            if self._cluster.known_nodes() or not self._cluster.is_connected:  # which has a limit of its own
                seen = time.monotonic()
            left = self._wait - (time.monotonic() - seen)
            try:
                async with asyncio.timeout(max(left, 0)):
                    await self._cluster.wait_for_change()
            except TimeoutError:
                continue
        failure = self._cluster.failure or _without_nodes(self._cluster.options.address, self._wait)
        self._found.put_nowait(JobStopped(PageError.of(failure, is_fatal=True)))


def _without_nodes(address: str, seconds: float) -> ClusterUnavailable:
    return ClusterUnavailable(
        f"The cluster at {address} has had no node that may be used for {seconds:g} s.",
        hint="Start its nodes again: ray start --address=HEAD --num-cpus=N.",
    )
