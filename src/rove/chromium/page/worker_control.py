"""Listing, stopping and bypassing the workers of a tab."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rove.browser.page_data import WorkerInfo
from rove.chromium.events.live_page import LivePage
from rove.chromium.events.workers import Registration, Registrations, Worker, Workers, controller_script
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.outcome import Own, PageText, moment, origin_in

# Further pages that a service worker controls are left out.
MAX_CLIENTS = 20


class WorkerControl:
    """The workers of a tab, and those that its session shares."""

    def __init__(self, page: LivePage, root: CdpSession, own: Workers, shared: Workers) -> None:
        self._page = page
        self._root = root
        self._own = own
        self._shared = shared
        self.are_bypassed = False

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
        """Return all that is known of the service workers whose URL or scope contains `url`, or of all of them."""
        return [
            await self._inspected(registration, info)
            for registration, info in await self._service_workers()
            if _matches(registration, url)
        ]

    async def update(self, url: str | None) -> None:
        """Have the browser look for a new version of the service workers whose URL or scope contains `url`."""
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
        """Send the tab's requests past its service worker, from the next request on."""
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
