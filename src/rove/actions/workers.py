"""Workers: a page's own, and the service workers that answer for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from rove.action import Effect, TabAction, action, arg
from rove.chromium.events.workers import Registration, Registrations, Worker, controller
from rove.outcome import Passage, origin_in
from rove.record import dataclass

if TYPE_CHECKING:
    from rove.chromium.page.tab import Tab

LONGEST_ADDRESS = 200


@dataclass(frozen=True)
class WorkerState:
    kind: str
    url: str
    state: str
    scope: str | None = None
    controls_page: bool = False

    def __str__(self) -> str:
        controls = ", controls this page" if self.controls_page else ""
        scope = f" (scope {self.scope})" if self.scope else ""
        return f"{self.kind} {self.url} {self.state}{controls}{scope}"


@dataclass(frozen=True)
class WorkerList:
    workers: tuple[WorkerState, ...]
    is_bypassed: bool

    def __str__(self) -> str:
        return "\n".join(passage.text for passage in self.passages(""))

    def passages(self, _: str) -> Iterator[Passage]:
        """Each worker in words of its own origin."""
        yield from (Passage(str(worker), origin_in(worker.url.removeprefix("blob:"))) for worker in self.workers)
        if not self.workers:
            yield Passage("There are no workers.")
        if self.is_bypassed:
            yield Passage("Service workers are bypassed in this tab.")


@action(Effect.ACT, observes=False, group="workers")
class Workers(TabAction[WorkerList]):
    """List workers; stop them, unregister service workers, or have the tab bypass those."""

    operation: Literal["list", "stop", "unregister", "bypass", "use"] = arg(
        "`use` ends a bypass; reload the page after a change.", default="list"
    )
    url: str | None = arg("Part of the worker's address; all if not given.", default=None, min_length=1)

    async def perform(self, tab: Tab) -> WorkerList:
        if self.operation in ("bypass", "use"):
            await tab.bypass_workers(self.operation == "bypass")
        else:
            await self._change(tab)
        async with Registrations.of(tab.cdp) as registered:
            return WorkerList(tuple(await _shown(tab, list(registered))), tab.bypasses_workers)

    async def _change(self, tab: Tab) -> None:
        if self.operation == "list":
            return
        async with Registrations.of(tab.cdp) as registered:
            for one in [one for one in registered if self._means(one.script) or self._means(one.scope)]:
                await (registered.stop(one) if self.operation == "stop" else registered.unregister(one))
        if self.operation == "stop":
            for worker in _plain_workers(tab):
                if self._means(worker.url):
                    await worker.stop()

    def _means(self, address: str) -> bool:
        return self.url is None or self.url in address


def _plain_workers(tab: Tab) -> list[Worker]:
    return [worker for worker in (*tab.workers, *tab.shared_resources.workers) if worker.kind != "service worker"]


async def _shown(tab: Tab, registered: list[Registration]) -> list[WorkerState]:
    script = await controller(tab.worlds.main) if registered else None
    services = [_service(one, script, tab.url) for one in registered]
    return [*services, *(WorkerState(one.kind, _short(one.url), "running") for one in _plain_workers(tab))]


def _service(one: Registration, controlling: str | None, page: str) -> WorkerState:
    controls = one.script == controlling and one.state == "activated" and page.startswith(one.scope)
    state = f"{one.state}, {'running' if one.is_running else 'stopped'}"
    return WorkerState("service worker", _short(one.script), state, _short(one.scope), controls)


def _short(address: str) -> str:
    return address if len(address) <= LONGEST_ADDRESS else address[: LONGEST_ADDRESS - 1] + "…"
