"""Workers of a page, as far as Firefox tells of them: their scripts, and service workers of its origin."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

from rove.browser.failures import BrowserError
from rove.browser.firefox.connection import PageChannel
from rove.browser.page_data import WorkerInfo
from rove.browser.shared import workers
from rove.browser.shared.live_page import LivePage
from rove.errors import ScriptFailed, Unsupported
from rove.outcome import origin_in
from rove.page_text import Own, PageText

# The oldest of more than that are forgotten.
MAX_WORKERS = 1000
REGISTRATIONS_TIMEOUT = 5.0
USE_CHROMIUM = "Open a session with the engine chromium for it."
# What each registration of the origin has: its newest worker, its scope, whether it controls the page.
_LIST = """async () => {
  const container = globalThis.navigator?.serviceWorker;
  if (!container?.getRegistrations) return [];
  const controller = container.controller?.scriptURL;
  return (await container.getRegistrations()).map(each => {
    const worker = each.active || each.waiting || each.installing;
    const controls = !!worker && worker.scriptURL === controller && location.href.startsWith(each.scope);
    return { scope: each.scope, script: worker?.scriptURL || "", state: worker?.state || "", controls };
  });
}"""
_EACH = """async (scopes, unregisters) => {
  for (const each of await globalThis.navigator.serviceWorker.getRegistrations())
    if (scopes.includes(each.scope)) await (unregisters ? each.unregister() : each.update());
}"""

Registrations = list[dict[str, Any]]
# The states of a service worker; a page could name any other.
_STATES = {name: Own(name) for name in ("installing", "installed", "activating", "activated", "redundant")}


class WorkerScripts:
    """Their addresses, by the realms that they run in."""

    def __init__(self) -> None:
        self._by_realm: dict[str, str] = {}

    def listen(self, channel: PageChannel) -> None:
        channel.on("script.realmCreated", self._on_created)
        channel.on("script.realmDestroyed", lambda event: self._by_realm.pop(event["realm"], None))

    def _on_created(self, event: dict[str, Any]) -> None:
        if event["type"] == "dedicated-worker":
            self._by_realm[event["realm"]] = event["origin"]
            if len(self._by_realm) > MAX_WORKERS:
                del self._by_realm[next(iter(self._by_realm))]

    def __contains__(self, url: str) -> bool:
        return bool(url) and url in self._by_realm.values()

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._by_realm.values()))


class WorkerControl(workers.WorkerControl):
    """The workers of a tab: dedicated ones as Firefox reports them, service workers of its origin as the page does."""

    def __init__(self, page: LivePage, channel: PageChannel) -> None:
        super().__init__()
        self._page = page
        self._running = WorkerScripts()
        self._running.listen(channel)

    async def list(self) -> list[WorkerInfo]:
        workers = [
            WorkerInfo(Own("worker"), PageText(url, self._page.origins.of_document(url)), Own("running"))
            for url in self._running
        ]
        return [*await self.inspect(None), *workers]

    async def inspect(self, url: str | None) -> Sequence[WorkerInfo]:
        """Return what is known of the service workers whose URL or scope contains `url`, or of all of them."""
        return [_info(each) for each in await self._registrations() if _matches(each, url)]

    async def update(self, url: str | None) -> None:
        """Have Firefox look for a new version of the service workers whose URL or scope contains `url`."""
        await self._do(url, unregisters=False)

    async def unregister(self, url: str | None) -> None:
        await self._do(url, unregisters=True)

    async def bypass(self, bypass: bool) -> None:
        """Raise Unsupported: Firefox cannot send requests past a service worker."""
        if bypass:
            raise Unsupported("Firefox cannot bypass service workers.", hint="Unregister it instead. " + USE_CHROMIUM)

    async def stop(self, url: str | None) -> None:
        """Raise Unsupported: Firefox does not let workers be stopped."""
        raise Unsupported("Firefox does not let workers be stopped.", hint=USE_CHROMIUM)

    async def _do(self, url: str | None, unregisters: bool) -> None:
        scopes = [each["scope"] for each in await self._registrations() if _matches(each, url)]
        if scopes:
            async with asyncio.timeout(REGISTRATIONS_TIMEOUT):
                await self._page.worlds.main.call(_EACH, scopes, unregisters)

    async def _registrations(self) -> Registrations:
        """Return the registrations of the page's origin; none where the page cannot tell."""
        try:
            async with asyncio.timeout(REGISTRATIONS_TIMEOUT):
                found: Registrations = await self._page.worlds.main.call(_LIST)
        except (TimeoutError, BrowserError, ScriptFailed):
            return []
        return found


def _matches(registration: dict[str, Any], url: str | None) -> bool:
    return url is None or url in registration["script"] or url in registration["scope"]


def _info(registration: dict[str, Any]) -> WorkerInfo:
    script, scope = (PageText(registration[name], origin_in(registration[name])) for name in ("script", "scope"))
    state = _STATES.get(registration["state"], Own("unknown"))
    return WorkerInfo(Own("service worker"), script, state, scope, registration["controls"])
