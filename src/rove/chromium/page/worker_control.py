"""Listing, stopping and bypassing the workers of a tab."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from rove.browser.logs import WorkerInfo
from rove.chromium.events.workers import Registration, Registrations, Worker, Workers, controller
from rove.chromium.page.live_page import LivePage
from rove.chromium.protocol.connection import CdpSession


class WorkerControl:
    """The workers of a tab, and those that its session shares."""

    def __init__(self, page: LivePage, own: Workers, shared: Workers) -> None:
        self._page = page
        self._own = own
        self._shared = shared
        self.are_bypassed = False

    async def list(self) -> list[WorkerInfo]:
        async with Registrations.of(self._page.cdp) as registered:
            services = list(registered)
        script = await controller(self._page.worlds.main) if services else None
        infos = [_service(one, script, self._page.url) for one in services]
        return [*infos, *(WorkerInfo(worker.kind, worker.url, "running") for worker in self._plain())]

    async def bypass(self, bypass: bool) -> None:
        """Send the tab's requests past its service worker, from the next request on."""
        self.are_bypassed = bypass
        sessions = [self._page.cdp, *self._page.worlds.cdp_sessions]
        await asyncio.gather(*(self.apply_bypass(cdp) for cdp in sessions))

    async def apply_bypass(self, cdp: CdpSession) -> None:
        await cdp.send("Network.setBypassServiceWorker", {"bypass": self.are_bypassed})

    async def stop(self, url: str | None) -> None:
        async with Registrations.of(self._page.cdp) as registered:
            for one in [one for one in registered if _is_meant(one, url)]:
                await registered.stop(one)
        for worker in self._plain():
            if url is None or url in worker.url:
                await worker.stop()

    async def unregister(self, url: str | None) -> None:
        async with Registrations.of(self._page.cdp) as registered:
            for one in [one for one in registered if _is_meant(one, url)]:
                await registered.unregister(one)

    def _plain(self) -> Iterator[Worker]:
        """Yield the workers that are no service workers, which the browser lists as registrations."""
        yield from (worker for worker in (*self._own, *self._shared) if worker.kind != "service worker")


def _is_meant(one: Registration, url: str | None) -> bool:
    return url is None or url in one.script or url in one.scope


def _service(one: Registration, controlling: str | None, page: str) -> WorkerInfo:
    controls = one.script == controlling and one.state == "activated" and page.startswith(one.scope)
    state = f"{one.state}, {'running' if one.is_running else 'stopped'}"
    return WorkerInfo("service worker", one.script, state, one.scope, controls)
