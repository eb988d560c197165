"""A worker of `rove map` whose pages are visited by a node."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace

from rove.cluster.connection.cluster import Cluster
from rove.cluster.connection.node_facts import NodeFacts
from rove.cluster.pages.journal_copy import JournalCopy, JournalPart
from rove.cluster.pages.setup import Opened, PagesSetup, Visited
from rove.errors import ClusterUnavailable, NodeLost, NotOpen, RoveError
from rove.jobs.worker import Health, PageAnswer, PageError, PageTask, WorkerLost, WorkerState
from rove.tasks import BackgroundTasks
from rove.workspace import Workspace

log = logging.getLogger(__name__)
# Seconds beyond the time of a visit, after which a node is taken for one that has stopped.
GRACE_SECONDS = 20.0
JOURNAL_SECONDS = 5.0
GONE = (NodeLost, ClusterUnavailable, NotOpen)
BROKEN_OFF = PageAnswer(is_broken_off=True)
OnStop = Callable[["NodeWorker"], None]


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
