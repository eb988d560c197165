"""The service `pages` of a node: visits pages for `rove map`."""

from __future__ import annotations

import asyncio
import os
import pkgutil
import secrets
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rove.cluster.node.node import Node, offered, ray_ports
from rove.cluster.pages.messages import JournalPart, Opened, PagesSetup, Visited, read_part
from rove.engine.memory import available_memory
from rove.errors import NotOpen
from rove.jobs.browser_worker import SESSION, BrowserWorker
from rove.jobs.worker import PageOptions, PageTask, WorkerState, parallel_for
from rove.settings.tree import Settings

# Folders of the workspace whose files are written little by little, until a session is closed.
GROWING = ("videos", "har")
NO_LIMIT = 10**6


class Service:
    """Visits pages in a browser of the node. What it writes is sent to the rove process and removed here."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._job = ""
        self._journal = secrets.token_hex(4)
        self._worker: BrowserWorker | None = None
        self._options: PageOptions | None = None
        self._workspace = node.folder / "workspace"

    @offered
    async def open(self, sealed: bytes) -> Opened:
        """Make ready for a job. What runs for one before is broken off: its rove process asks for it again."""
        await self.close()
        setup: PagesSetup = self._node.keys.unseal(sealed)
        configuration = setup.configuration
        self._options = _options_here(setup.options)
        slots = setup.slots or default_slots(setup.cores, setup.neighbours)
        self._worker = BrowserWorker(
            _with_one_journal_file(configuration.settings_on(self._node.folder)),
            self._options,
            slots,
            pkgutil.resolve_name(setup.session_class),
            configuration.policy,
            configuration.named_secrets(),
        )
        await self._worker.open(await asyncio.to_thread(ray_ports))
        if setup.state is not None:
            names = [SESSION.format(number) for number in range(1, slots + 1)]
            await self._worker.restore(WorkerState(dict.fromkeys(names, setup.state)))
        self._job = secrets.token_hex(8)
        return Opened(self._job, self._journal, slots)

    @offered
    async def visit(self, job: str, task: PageTask) -> Visited:
        """Visit a page. Raises NotOpen if that is of another job."""
        if self._worker is None or job != self._job:
            raise NotOpen("The node is not ready for that job.")
        answer = await self._worker.run(task)
        return Visited(answer, await asyncio.to_thread(self._take_files, answer.files))

    @offered
    async def read_journal(self, known: dict[str, int]) -> JournalPart:
        """Return what the journals have got beyond what is known of each of their files."""
        return await asyncio.to_thread(read_part, self._node.folder / "home" / "sessions", known)

    @offered
    async def drain(self, seconds: float) -> None:
        """Finish the pages that are being visited, for at most so many seconds, and close the browser."""
        if self._worker is not None:
            await self._worker.drain(seconds)

    async def describe(self) -> dict[str, Any]:
        if self._worker is None:
            return {}
        health = await self._worker.health()
        return {"busy": health.busy, "pages": health.pages, "failed": health.failed, "slots": self._worker.slots}

    async def close(self) -> None:
        worker, self._worker, self._job = self._worker, None, ""
        if worker is not None:
            await worker.drain(0)

    def _take_files(self, named: tuple[str, ...]) -> dict[str, bytes]:
        """Return and remove the files of a visit; those of a script, which names none, are all that are there."""
        assert self._options is not None
        paths = _files_below(self._workspace) if self._options.script is not None else iter(named)
        taken: dict[str, bytes] = {}
        for path in dict.fromkeys((*named, *paths)):
            file = self._workspace / path
            if file.is_file() and not file.is_symlink():
                taken[path] = file.read_bytes()
                file.unlink()
        return taken


def _files_below(folder: Path) -> Iterator[str]:
    """Yield paths of files that are complete, relative to the folder."""
    for parent, folders, names in os.walk(folder):
        if Path(parent) == folder:
            folders[:] = [name for name in folders if name not in GROWING]
        for name in names:
            if not name.startswith("."):  # one that is being written
                yield str((Path(parent) / name).relative_to(folder))


def _with_one_journal_file(settings: Settings) -> Settings:
    """Return settings with which a journal does not go on in a new file, while it is copied."""
    return replace(settings, journal=replace(settings.journal, file_megabytes=NO_LIMIT))


def _options_here(options: PageOptions) -> PageOptions:
    """Return the options with the script where Ray has put it, which is the folder that the process runs in."""
    do = options.do if options.script is None else str(Path.cwd() / options.script.name)
    return replace(options, do=do, state=None)  # what is in the state is sent


def default_slots(cores: float, neighbours: int) -> int:
    """Return how many pages a node can visit at once, by its share of the machine's cores and memory."""
    memory = available_memory()
    return parallel_for(max(round(cores), 1), None if memory is None else memory.available // max(neighbours, 1))
