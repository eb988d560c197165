"""The workers of a job whose pages are visited by nodes, as nodes come and go."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace

from rove.cluster.connection.cluster import Cluster
from rove.cluster.connection.options import NodeFacts
from rove.cluster.pages.messages import JournalCopy, JournalPart, Opened, PagesSetup, Visited
from rove.errors import ClusterUnavailable, NodeLost, NotOpen, RoveError
from rove.jobs.scheduler import JobStopped
from rove.jobs.worker import Health, PageAnswer, PageError, PageTask, Worker, WorkerLost, WorkerState
from rove.tasks import BackgroundTasks
from rove.workspace import Workspace

log = logging.getLogger(__name__)
# Seconds beyond the time of a visit, after which a node is taken for one that has stopped.
GRACE_SECONDS = 20.0
JOURNAL_SECONDS = 5.0
GONE = (NodeLost, ClusterUnavailable, NotOpen)
BROKEN_OFF = PageAnswer(is_broken_off=True)
OnStop = Callable[["NodeWorker"], None]
# In the folder of journals, a folder for the journals of each node.
NODES = "nodes"


class NodeWorker:
    """Visits pages on one node. A node that has gone, or stopped, ends it: its pages are visited elsewhere."""

    def __init__(self, cluster: Cluster, facts: NodeFacts, setup: PagesSetup, on_stop: OnStop) -> None:
        """`on_stop`: called when every slot was lost, while the node may be there."""
        self._cluster = cluster
        self.node = facts.id
        self._setup = setup
        self._opened = Opened("", "", 0)
        self._lost_slots = 0
        self._on_stop = on_stop
        self._is_draining = False
        self._workspace = Workspace(setup.configuration.settings.workspace_folder)
        self._tasks = BackgroundTasks(f"the node {facts.id}")
        self._journal: JournalCopy | None = None

    @property
    def slots(self) -> int:
        return self._opened.slots

    async def open(self) -> None:
        """Make the node ready. Raises NodeLost, or why it cannot visit pages."""
        sealed = self._cluster.seal(self.node, self._setup)
        self._opened = await self._cluster.call(self.node, "pages.open", sealed)

    @property
    def journal_id(self) -> str:
        return f"{self.node}-{self._opened.journal}"

    def copy_journal_to(self, journal: JournalCopy) -> None:
        """Copy the journals of the node from now on."""
        self._journal = journal
        self._tasks.start(self._copy_journal())

    async def run(self, task: PageTask) -> PageAnswer:
        try:
            async with asyncio.timeout(self._setup.options.seconds + GRACE_SECONDS):
                visited: Visited = await self._cluster.call(self.node, "pages.visit", self._opened.job, task)
        except GONE as error:
            if self._is_draining:
                return BROKEN_OFF
            raise self._lose_slot(error.message) from error
        except TimeoutError as error:
            log.warning("the node %s has not answered for a whole visit: it gets fewer pages", self.node)
            raise self._lose_slot("the node does not answer") from error
        except RoveError as error:
            return PageAnswer(error=PageError.of(error), node=self.node)
        return await self._with_files(visited)

    def _lose_slot(self, reason: str) -> WorkerLost:
        self._lost_slots += 1
        if self._lost_slots == self.slots:
            self._tasks.cancel()
            self._on_stop(self)
        return WorkerLost(reason)

    async def _with_files(self, visited: Visited) -> PageAnswer:
        """Return the answer, with its files in the workspace of the caller."""
        answer, saved = replace(visited.answer, node=self.node), {}
        for path, data in visited.files.items():
            folder, _, name = path.rpartition("/")
            kept = await self._workspace.save(folder or ".", name, data, self._setup.options.replaces_files)
            saved[path] = str(kept.relative_to(self._workspace.root))
        if not saved:
            return answer
        named = tuple(saved.pop(path, path) for path in answer.files)
        return replace(answer, files=(*named, *saved.values()))

    async def save(self) -> WorkerState:
        """Return nothing: each page of a cluster begins with the state of the job."""
        return WorkerState()

    async def restore(self, state: WorkerState) -> None:
        """Do nothing: the state of the job is a part of its setup."""

    async def drain(self, seconds: float) -> None:
        self._is_draining = True
        self._tasks.cancel()
        try:
            async with asyncio.timeout(seconds + GRACE_SECONDS):
                await self._cluster.call(self.node, "pages.drain", seconds)
                await self._copy_journal_once()
        except GONE:
            pass  # there is nothing to drain
        except (TimeoutError, RoveError, OSError, ValueError) as error:
            log.warning("the node %s was not closed in order: %s", self.node, error)

    async def health(self) -> Health:
        facts = {each.id: each for each in await self._cluster.nodes()}.get(self.node)
        pages = facts.services.get("pages", {}) if facts is not None else {}
        return Health(pages.get("busy", 0), pages.get("pages", 0), pages.get("failed", 0), None, self._is_draining)

    async def _copy_journal(self) -> None:
        """Copy the journals of the node as they grow, until it has gone."""
        while True:
            await asyncio.sleep(JOURNAL_SECONDS)
            try:
                await self._copy_journal_once()
            except GONE:
                return
            except (RoveError, OSError, ValueError):
                log.exception("the journal of the node %s is not copied", self.node)

    async def _copy_journal_once(self) -> None:
        while self._journal is not None:
            part: JournalPart = await self._cluster.call(self.node, "pages.read_journal", self._journal.known)
            await asyncio.to_thread(self._journal.add, part)
            if not part.lines:
                return


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
