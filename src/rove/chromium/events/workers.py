"""Threads beside the pages: a page's own workers, and those that a session's pages share."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Iterator
from typing import Any

from rove.browser.logs import ConsoleSource
from rove.browser.page_events import PageEvents
from rove.chromium.events.console import ConsoleLog
from rove.chromium.events.network_conditions import NetworkConditions
from rove.chromium.events.network_log import NetworkLog
from rove.chromium.frames.worlds import World
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.errors import ScriptFailed
from rove.outcome import origin_in
from rove.record import dataclass
from rove.tasks import BackgroundTasks

KINDS = {"worker": "worker", "shared_worker": "shared worker", "service_worker": "service worker"}
STOPPING_PATIENCE = 1.0
ASKING_PATIENCE = 1.0
TELLING_PATIENCE = 1.0
# A worker that does not come to an end of what it does within so many seconds keeps a processor to itself.
BUSY = 2.0
LOOK_AGAIN = 5.0
MOST_WATCHED = 20


@dataclass(frozen=True)
class Worker:
    """One that is running."""

    target: str
    kind: str
    url: str
    cdp: CdpSession

    async def rests(self, patience: float) -> bool:
        """Whether it answers, between two things that it does, in so many seconds."""
        try:
            async with asyncio.timeout(patience):
                await self.cdp.send("Runtime.evaluate", {"expression": "1"})
        except TimeoutError:
            return False
        return True

    async def stop(self) -> None:
        """End it, also if its script never lets go."""
        with contextlib.suppress(TimeoutError, CdpError):
            async with asyncio.timeout(STOPPING_PATIENCE):
                await self.cdp.send("Runtime.terminateExecution")
                await self.cdp.send("Runtime.evaluate", {"expression": "self.close()"})


class Workers:
    """The workers of one page, or those that belong to no page alone."""

    def __init__(
        self,
        console: ConsoleLog,
        network_conditions: NetworkConditions,
        network: NetworkLog | None = None,
        page_events: PageEvents | None = None,
        *,
        tasks: BackgroundTasks,
    ) -> None:
        self._console = console
        self._events = page_events
        self._conditions = network_conditions
        self._network = network
        self._running: dict[str, Worker] = {}
        self._tasks = tasks

    def __iter__(self) -> Iterator[Worker]:
        return iter(list(self._running.values()))

    async def set_up(self, cdp: CdpSession, target: dict[str, Any]) -> None:
        """Listen to one that has just been made, and let it go on: it waits for that."""
        worker = Worker(target["targetId"], KINDS[target["type"]], target["url"], cdp)
        self._running[worker.target] = worker
        cdp.on("closed", lambda _: self._running.pop(worker.target, None))
        place = ConsoleSource(worker.kind, origin_in(worker.url.removeprefix("blob:")))
        self._console.listen(cdp, lambda _: place)
        if self._network is not None:
            self._network.listen(cdp, worker.kind)
        # A service worker that was stopped is started again over the same wire, and waits once more.
        cdp.on("Inspector.targetReloadedAfterCrash", lambda _: self._tasks.start(self._set_up(cdp)))
        await self._set_up(cdp)
        if self._events is not None and len(self._running) <= MOST_WATCHED:
            self._tasks.start(self._watch(worker, self._events))

    async def _watch(self, worker: Worker, page_events: PageEvents) -> None:
        """Say, once, that it never rests."""
        while worker.target in self._running:
            if not await worker.rests(BUSY):
                address = worker.url[:200]
                page_events.add("busy worker", f"{address} has not rested for {BUSY:g} s, and keeps a processor busy.")
                return
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(worker.cdp.wait_closed(), LOOK_AGAIN)

    async def _set_up(self, cdp: CdpSession) -> None:
        await asyncio.gather(
            cdp.send("Runtime.enable"),
            cdp.send("Network.enable"),
            self._conditions.join(cdp),
            cdp.send("Runtime.runIfWaitingForDebugger"),
        )


async def controller(world: World) -> str | None:
    """The script of the service worker that answers for a page; None if there is none, or the page does not say."""
    asked = "() => { try { return navigator.serviceWorker.controller.scriptURL } catch { return null } }"
    try:
        async with asyncio.timeout(ASKING_PATIENCE):
            script: str | None = await world.call(asked)
    except (TimeoutError, CdpError, ScriptFailed):
        return None
    return script


@dataclass(frozen=True)
class Registration:
    """A service worker as the browser has it on record, running or not."""

    scope: str
    script: str
    state: str
    is_running: bool
    version: str


class Registrations:
    """The service workers of a session, as the browser tells them to one of its pages."""

    def __init__(self, cdp: CdpSession) -> None:
        self._cdp = cdp
        self._scopes: dict[str, str] = {}
        self._versions: dict[str, dict[str, Any]] = {}
        self._is_told = False
        self._changed = asyncio.Event()

    @classmethod
    @contextlib.asynccontextmanager
    async def of(cls, cdp: CdpSession) -> AsyncGenerator[Registrations]:
        """What there is now, kept up to date for as long as this lasts."""
        found = cls(cdp)
        with (
            cdp.subscription("ServiceWorker.workerRegistrationUpdated", found._on_registrations),
            cdp.subscription("ServiceWorker.workerVersionUpdated", found._on_versions),
        ):
            await cdp.send("ServiceWorker.enable")
            try:
                # It tells all it has at once, be it nothing, but maybe a moment after it has answered.
                await found._until(lambda: found._is_told)
                yield found
            finally:
                with contextlib.suppress(CdpError):
                    await cdp.send("ServiceWorker.disable")

    def __iter__(self) -> Iterator[Registration]:
        for version, facts in list(self._versions.items()):
            if (scope := self._scopes.get(facts["registrationId"])) and facts["status"] != "redundant":
                yield Registration(scope, facts["scriptURL"], facts["status"], self._is_running(version), version)

    async def stop(self, one: Registration) -> None:
        await self._cdp.send("ServiceWorker.stopWorker", {"versionId": one.version})
        await self._until(lambda: not self._is_running(one.version))

    async def unregister(self, one: Registration) -> None:
        await self._cdp.send("ServiceWorker.unregister", {"scopeURL": one.scope})
        await self._until(lambda: one.scope not in self._scopes.values())

    def _is_running(self, version: str) -> bool:
        return bool(self._versions[version]["runningStatus"] != "stopped")

    async def _until(self, holds: Callable[[], bool]) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(TELLING_PATIENCE):
                while not holds():
                    self._changed.clear()
                    await self._changed.wait()

    def _on_registrations(self, event: dict[str, Any]) -> None:
        for each in event["registrations"]:
            if each["isDeleted"]:
                self._scopes.pop(each["registrationId"], None)
            else:
                self._scopes[each["registrationId"]] = each["scopeURL"]
        self._changed.set()

    def _on_versions(self, event: dict[str, Any]) -> None:
        self._versions.update({each["versionId"]: each for each in event["versions"]})
        self._is_told = True
        self._changed.set()
