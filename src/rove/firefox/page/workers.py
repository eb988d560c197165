"""Workers of a tab, of which WebDriver BiDi tells only the console messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from rove.browser.page_data import WorkerInfo
from rove.errors import Unsupported
from rove.page.live_page import LivePage
from rove.page_text import Own

# The service workers that are registered for the page's origin, as the page's own API lists them.
_REGISTRATIONS = """async () => {
  if (!navigator.serviceWorker) return [];
  const registrations = await navigator.serviceWorker.getRegistrations();
  const controller = navigator.serviceWorker.controller;
  return registrations.map((each) => {
    const worker = each.active || each.waiting || each.installing;
    const isController = Boolean(controller) && worker !== null && controller.scriptURL === worker.scriptURL;
    return [worker ? worker.scriptURL : "", worker ? worker.state : "", each.scope, isController];
  });
}"""
_UNREGISTER = """async (part) => {
  for (const each of await navigator.serviceWorker.getRegistrations()) {
    const worker = each.active || each.waiting || each.installing;
    if (part === null || each.scope.includes(part) || worker?.scriptURL.includes(part)) await each.unregister();
  }
}"""
_UPDATE = """async (part) => {
  for (const each of await navigator.serviceWorker.getRegistrations()) {
    const worker = each.active || each.waiting || each.installing;
    if (part === null || each.scope.includes(part) || worker?.scriptURL.includes(part)) await each.update();
  }
}"""


STATES = {state: state for state in ("installing", "installed", "activating", "activated", "redundant")}


class PageWorkers:
    """The service workers of the page's origin. Dedicated and shared workers are not listed."""

    are_bypassed = False

    def __init__(self, page: LivePage) -> None:
        self._page = page

    async def list(self) -> list[WorkerInfo]:
        found = await self._page.worlds.main.call(_REGISTRATIONS)
        quote = self._page.url.around
        return [
            WorkerInfo(
                Own("service_worker"), quote(url), Own(STATES.get(state, "unknown")), quote(scope), controls_page
            )
            for url, state, scope, controls_page in found
        ]

    async def inspect(self, url: str | None) -> Sequence[WorkerInfo]:
        """Return what is known of the service workers whose URL or scope contains `url`, or of all of them."""
        return [each for each in await self.list() if url is None or url in each.url or url in (each.scope or "")]

    async def update(self, url: str | None) -> None:
        """Have the browser look for a new version of the service workers whose URL or scope contains `url`."""
        await self._page.worlds.main.call(_UPDATE, url)

    async def bypass(self, bypass: bool) -> None:
        """Raise `Unsupported`, unless nothing is asked for."""
        if bypass:
            _refuse("send requests past a service worker")

    async def stop(self, url: str | None) -> None:
        """Raise `Unsupported`."""
        _refuse("stop a worker")

    async def unregister(self, url: str | None) -> None:
        """Unregister the service workers whose URL or scope contains `url`, or all of them."""
        await self._page.worlds.main.call(_UNREGISTER, url)


def _refuse(what: str) -> NoReturn:
    raise Unsupported(f"Firefox has no command to {what}.", hint="Open a session with the engine chromium for it.")
