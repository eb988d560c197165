"""Workers: those of a page, and its service workers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from rove.action import Effect, TabAction, action, arg
from rove.browser.page_data import WorkerInfo
from rove.outcome import PageText, Passage, Result
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab

LONGEST_ADDRESS = 200


@dataclass(frozen=True)
class WorkerList(Result):
    workers: tuple[WorkerInfo, ...]
    is_bypassed: bool

    def __str__(self) -> str:
        return "\n".join(passage.text for passage in self.passages(""))

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell each worker as written by its own origin."""
        yield from (Passage(_line(worker), worker.url.origin) for worker in self.workers)
        if not self.workers:
            yield Passage("There are no workers.")
        if self.is_bypassed:
            yield Passage("Service workers are bypassed in this tab.")


@action(Effect.ACT, observes=False, group="workers")
class Workers(TabAction[WorkerList]):
    """List workers and stop them; inspect, update or unregister service workers, or have the tab bypass those."""

    operation: Literal["list", "inspect", "update", "stop", "unregister", "bypass", "use"] = arg(
        "`use` ends a bypass; reload the page after a change.", default="list"
    )
    url: str | None = arg("Part of the worker's address; all if not given.", default=None, min_length=1)

    async def perform(self, tab: Tab) -> WorkerList:
        match self.operation:
            case "bypass" | "use":
                await tab.workers.bypass(self.operation == "bypass")
            case "stop":
                await tab.workers.stop(self.url)
            case "update":
                await tab.workers.update(self.url)
            case "unregister":
                await tab.workers.unregister(self.url)
            case "list" | "inspect":
                pass
        inspects = self.operation == "inspect"
        found = await tab.workers.inspect(self.url) if inspects else await tab.workers.list()
        return WorkerList(tuple(map(_shown, found)), tab.workers.are_bypassed)


def _shown(worker: WorkerInfo) -> WorkerInfo:
    """Cut long addresses, such as `data:` URLs."""
    clients = tuple(map(_short, worker.clients))
    return replace(worker, url=_short(worker.url), scope=worker.scope and _short(worker.scope), clients=clients)


def _line(worker: WorkerInfo) -> str:
    controls = ", controls this page" if worker.controls_page else ""
    scope = f" (scope {worker.scope})" if worker.scope else ""
    facts = [f"script fetched {worker.fetched}"] if worker.fetched else []
    facts += [f"script changed {worker.modified}"] if worker.modified else []
    facts += [f"controls {client}" for client in worker.clients]
    return "\n  ".join([f"{worker.kind} {worker.url} {worker.state}{controls}{scope}", *facts])


def _short(address: PageText) -> PageText:
    return address if len(address) <= LONGEST_ADDRESS else address.around(address[: LONGEST_ADDRESS - 1] + "…")
