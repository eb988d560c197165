"""Dedicated, shared and service workers: those that run or are registered, and stopping them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from rove.browser.chromium.connection import CdpError, CdpSession
from rove.browser.chromium.console import ConsoleLog
from rove.browser.chromium.emulation import SessionOverrides
from rove.browser.chromium.frames import World, reporting
from rove.browser.chromium.live_page import LivePage
from rove.browser.chromium.network import NetworkConditions, NetworkLog
from rove.browser.page_data import ConsoleSource, WorkerInfo
from rove.browser.page_state import PageEvents
from rove.browser.shared import workers
from rove.browser.shared.frames import web_origin
from rove.errors import ScriptFailed
from rove.outcome import moment, origin_in
from rove.page_text import NOWHERE, Own, PageText
from rove.records import dataclass
from rove.tasks import BackgroundTasks

KINDS = {"worker": "worker", "shared_worker": "shared worker", "service_worker": "service worker"}
STOP_TIMEOUT = 1.0
CONTROLLER_TIMEOUT = 1.0
REGISTRATIONS_TIMEOUT = 1.0
INSTALL_TIMEOUT = 5.0
# A worker that runs one task for longer than this keeps a processor busy.
BUSY_SECONDS = 2.0
CHECK_INTERVAL = 5.0
MAX_WATCHED = 20

# Further pages that a service worker controls are left out.
MAX_CLIENTS = 20


@dataclass(frozen=True)
class Worker:
    """A running worker."""

    target: str
    kind: str
    url: str
    cdp: CdpSession

    # That of its script, or of the page where its address does not tell.
    origin: str

    def quote(self, text: str) -> PageText:
        """Return a text as the words of its script."""
        return PageText(text, self.origin)

    async def answers_within(self, timeout: float) -> bool:
        """Return whether the worker is free to run a script within `timeout` seconds."""
        try:
            async with asyncio.timeout(timeout):
                await self.cdp.send("Runtime.evaluate", {"expression": "1"})
        except TimeoutError:
            return False
        return True

    async def stop(self) -> None:
        """End the worker, even if its script runs in an endless loop."""
        with contextlib.suppress(TimeoutError, CdpError):
            async with asyncio.timeout(STOP_TIMEOUT):
                await self.cdp.send("Runtime.terminateExecution")
                await self.cdp.send("Runtime.evaluate", {"expression": "self.close()"})


class Workers:
    """The running workers of one page, or those that the pages of a context share."""

    def __init__(
        self,
        console: ConsoleLog,
        network_conditions: NetworkConditions,
        overrides: SessionOverrides,
        network: NetworkLog | None = None,
        page_events: PageEvents | None = None,
        *,
        tasks: BackgroundTasks,
    ) -> None:
        self._console = console
        self._events = page_events
        self._conditions = network_conditions
        self._overrides = overrides
        self._network = network
        self._running: dict[str, Worker] = {}
        self._tasks = tasks
        # Returns whose words the script at an address is.
        self.find_origin: Callable[[str], str] = lambda url: web_origin(url) or NOWHERE
        # Whether workers must not notice that their console is read.
        self.is_stealthy = False

    def __iter__(self) -> Iterator[Worker]:
        return iter(list(self._running.values()))

    async def set_up(self, cdp: CdpSession, target: dict[str, Any]) -> None:
        """Listen to a worker that was just created, and let it run: it waits for the debugger."""
        origin = self.find_origin(target["url"])
        worker = Worker(target["targetId"], KINDS[target["type"]], target["url"], cdp, origin)
        self._running[worker.target] = worker
        cdp.on("closed", lambda _: self._running.pop(worker.target, None))
        source = ConsoleSource(worker.kind, origin)
        self._console.listen(cdp, lambda _: source)
        if self._network is not None:
            self._network.listen(cdp, worker.kind)
        # A service worker that was stopped restarts in the same CDP session, and waits for the debugger again.
        cdp.on("Inspector.targetReloadedAfterCrash", lambda _: self._tasks.start(self._enable(cdp)))
        await self._enable(cdp)
        if self._events is not None and len(self._running) <= MAX_WATCHED:
            self._tasks.start(self._watch(worker, self._events))

    async def _watch(self, worker: Worker, page_events: PageEvents) -> None:
        """Report, once, a worker whose script does not yield."""
        while worker.target in self._running:
            if not await worker.answers_within(BUSY_SECONDS):
                text = f"{worker.url[:200]} has run without a pause for {BUSY_SECONDS:g} s, and keeps a processor busy."
                page_events.add("busy worker", worker.quote(text))
                return
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(worker.cdp.wait_closed(), CHECK_INTERVAL)

    async def _enable(self, cdp: CdpSession) -> None:
        await asyncio.gather(
            reporting(cdp, self.is_stealthy),
            cdp.send("Network.enable"),
            self._conditions.add(cdp),
            *self._overrides.add(cdp, "worker", self._network),
            cdp.send("Runtime.runIfWaitingForDebugger"),
        )


async def controller_script(world: World) -> str | None:
    """Return the script URL of the service worker that controls a page; None if there is none or it is unknown."""
    function = "() => { try { return navigator.serviceWorker.controller.scriptURL } catch { return null } }"
    try:
        async with asyncio.timeout(CONTROLLER_TIMEOUT):
            script: str | None = await world.call(function)
    except (TimeoutError, CdpError, ScriptFailed):
        return None
    return script


@dataclass(frozen=True)
class Registration:
    """A registered service worker, running or not."""

    scope: str
    script: str
    state: str
    is_running: bool
    version: str
    # The ids of the targets that it controls, and when its script was fetched and last changed, in seconds.
    clients: tuple[str, ...] = ()
    fetched: float | None = None
    modified: float | None = None


class Registrations:
    """The registered service workers of a browser context, as the browser reports them to one of its pages."""

    def __init__(self, cdp: CdpSession) -> None:
        self._cdp = cdp
        self._scopes: dict[str, str] = {}
        self._versions: dict[str, dict[str, Any]] = {}
        self._is_loaded = False
        self._changed = asyncio.Event()

    @classmethod
    @contextlib.asynccontextmanager
    async def of(cls, cdp: CdpSession) -> AsyncGenerator[Registrations]:
        """Yield the registrations, kept up to date within this block."""
        registrations = cls(cdp)
        with (
            cdp.subscription("ServiceWorker.workerRegistrationUpdated", registrations._on_registrations),
            cdp.subscription("ServiceWorker.workerVersionUpdated", registrations._on_versions),
        ):
            await cdp.send("ServiceWorker.enable")
            try:
                # The browser reports all registrations, or none, in events that may follow its answer.
                await registrations._wait_until(lambda: registrations._is_loaded)
                yield registrations
            finally:
                with contextlib.suppress(CdpError):
                    await cdp.send("ServiceWorker.disable")

    def __iter__(self) -> Iterator[Registration]:
        for version, info in list(self._versions.items()):
            if (scope := self._scopes.get(info["registrationId"])) and info["status"] != "redundant":
                yield Registration(
                    scope,
                    info["scriptURL"],
                    info["status"],
                    self._is_running(version),
                    version,
                    tuple(info.get("controlledClients", ())),
                    info.get("scriptResponseTime"),
                    info.get("scriptLastModified"),
                )

    async def update(self, registration: Registration) -> None:
        """Have the browser fetch the script again; wait for the new version, if the script has changed."""
        known = set(self._versions)
        await self._cdp.send("ServiceWorker.updateRegistration", {"scopeURL": registration.scope})
        await self._wait_until(lambda: bool(set(self._versions) - known))
        await self._wait_until(lambda: not self._is_replacing(registration.scope), INSTALL_TIMEOUT)

    async def stop(self, registration: Registration) -> None:
        await self._cdp.send("ServiceWorker.stopWorker", {"versionId": registration.version})
        await self._wait_until(lambda: not self._is_running(registration.version))

    async def unregister(self, registration: Registration) -> None:
        await self._cdp.send("ServiceWorker.unregister", {"scopeURL": registration.scope})
        await self._wait_until(lambda: registration.scope not in self._scopes.values())

    def _is_replacing(self, scope: str) -> bool:
        """Return whether a version of a registration is on its way to its final state, or about to replace another."""
        states = [each.state for each in self if each.scope == scope]
        return any(state in ("new", "installing", "activating") for state in states) or states.count("activated") > 1

    def _is_running(self, version: str) -> bool:
        return bool(self._versions[version]["runningStatus"] != "stopped")

    async def _wait_until(self, condition: Callable[[], bool], timeout: float = REGISTRATIONS_TIMEOUT) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                while not condition():
                    self._changed.clear()
                    await self._changed.wait()

    def _on_registrations(self, event: dict[str, Any]) -> None:
        for update in event["registrations"]:
            if update["isDeleted"]:
                self._scopes.pop(update["registrationId"], None)
            else:
                self._scopes[update["registrationId"]] = update["scopeURL"]
        self._changed.set()

    def _on_versions(self, event: dict[str, Any]) -> None:
        self._versions.update({update["versionId"]: update for update in event["versions"]})
        self._is_loaded = True
        self._changed.set()


class WorkerControl(workers.WorkerControl):
    """The workers of a tab, and those that its session shares."""

    def __init__(self, page: LivePage, root: CdpSession, own: Workers, shared: Workers) -> None:
        super().__init__()
        self._page = page
        self._root = root
        self._own = own
        self._shared = shared

    async def list(self) -> list[WorkerInfo]:
        infos = [info for _, info in await self._service_workers()]
        return [
            *infos,
            *(
                WorkerInfo(Own(worker.kind), worker.quote(worker.url), Own("running"))
                for worker in self._ordinary_workers()
            ),
        ]

    async def inspect(self, url: str | None) -> Sequence[WorkerInfo]:
        return [
            await self._inspected(registration, info)
            for registration, info in await self._service_workers()
            if _matches(registration, url)
        ]

    async def update(self, url: str | None) -> None:
        async with Registrations.of(self._page.cdp) as registrations:
            found = {each.scope: each for each in registrations if _matches(each, url)}
            for registration in found.values():
                await registrations.update(registration)

    async def _service_workers(self) -> Sequence[tuple[Registration, WorkerInfo]]:
        async with Registrations.of(self._page.cdp) as registrations:
            found = tuple(registrations)
        script = await controller_script(self._page.worlds.main) if found else None
        return [(each, _service_worker_info(each, script, self._page.url)) for each in found]

    async def _inspected(self, registration: Registration, info: WorkerInfo) -> WorkerInfo:
        clients = [await self._client(target) for target in registration.clients[:MAX_CLIENTS]]
        fetched, modified = (Own(moment(at)) if at else None for at in (registration.fetched, registration.modified))
        return replace(info, clients=tuple(filter(None, clients)), fetched=fetched, modified=modified)

    async def _client(self, target: str) -> PageText | None:
        """Return the URL of a page or worker; None if it is gone."""
        try:
            answer = await self._root.send("Target.getTargetInfo", {"targetId": target})
        except CdpError:
            return None
        url: str = answer["targetInfo"]["url"]
        return PageText(url, origin_in(url.removeprefix("blob:")))

    async def bypass(self, bypass: bool) -> None:
        self.are_bypassed = bypass
        cdp_sessions = [self._page.cdp, *self._page.worlds.cdp_sessions]
        await asyncio.gather(*(self.apply_bypass(cdp) for cdp in cdp_sessions))

    async def apply_bypass(self, cdp: CdpSession) -> None:
        await cdp.send("Network.setBypassServiceWorker", {"bypass": self.are_bypassed})

    async def stop(self, url: str | None) -> None:
        async with Registrations.of(self._page.cdp) as registrations:
            for registration in [registration for registration in registrations if _matches(registration, url)]:
                await registrations.stop(registration)
        for worker in self._ordinary_workers():
            if url is None or url in worker.url:
                await worker.stop()

    async def unregister(self, url: str | None) -> None:
        async with Registrations.of(self._page.cdp) as registrations:
            for registration in [registration for registration in registrations if _matches(registration, url)]:
                await registrations.unregister(registration)

    def _ordinary_workers(self) -> Iterator[Worker]:
        """Yield the dedicated and shared workers; service workers are listed by their registrations."""
        yield from (worker for worker in (*self._own, *self._shared) if worker.kind != "service worker")


def _matches(registration: Registration, url: str | None) -> bool:
    return url is None or url in registration.script or url in registration.scope


def _service_worker_info(registration: Registration, controlling: str | None, page: str) -> WorkerInfo:
    controls = (
        registration.script == controlling and registration.state == "activated" and page.startswith(registration.scope)
    )
    state = f"{registration.state}, {'running' if registration.is_running else 'stopped'}"
    script, scope = (PageText(url, origin_in(url)) for url in (registration.script, registration.scope))
    return WorkerInfo(Own("service worker"), script, Own(state), scope, controls)
