"""The network log as a HAR file, which the developer tools of browsers open."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from rove.action import ContextAction, Effect, action, arg
from rove.errors import NotOpen, unwritable
from rove.outcome import Own, Result
from rove.validation.record import dataclass
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.browser.context import TabInfo
    from rove.browser.shared.context import Context
    from rove.browser.shared.tab import Tab
    from rove.har.disclosure import Disclosure

FOLDER = "har"


@dataclass(frozen=True)
class HarSaved(Result):
    path: Own
    entries: int
    pages: int
    # Requests that are not in the file: dropped from the log before, or of origins that may not be read.
    dropped: int = 0
    withheld: int = 0

    def __str__(self) -> str:
        requests = f"{self.entries} request{'' if self.entries == 1 else 's'}"
        lines = [f"Saved {requests} of {self.pages} page{'' if self.pages == 1 else 's'}: {self.path}"]
        if self.dropped:
            lines.append(f"{self.dropped} older ones had left the log: record a session with `har` to have all.")
        if self.withheld:
            lines.append(f"{self.withheld} were left out, as the policy does not let them be read.")
        return "\n".join(lines)


@action(Effect.READ, group="capture")
class SaveHar(ContextAction[HarSaved]):
    """Save the latest requests of the session, or of one tab, as a HAR file."""

    command: ClassVar[str | None] = "har"

    name: str | None = arg("Name of the file.", default=None, min_length=1, max_length=100)
    tab: str | None = arg("Only of this tab.", default=None)
    bodies: bool = arg("Keep the bodies that the browser still has.", default=False)

    @property
    def is_about_page(self) -> bool:
        return False  # requests help most where a page failed to load

    def concerns(self, context: Context) -> TabInfo | None:
        return next((tab for tab in context.tab_infos if tab.id == self.tab), None)

    async def perform(self, context: Context) -> HarSaved:
        from rove.har.archive import page_of  # not needed to start a server

        tabs = [tab for tab in context.tabs if self.tab in (None, tab.id)]
        if not tabs:
            raise NotOpen(f"There is no tab {self.tab or ''}".rstrip() + ".", hint="Open a page first, or list {tabs}.")
        entries: list[tuple[str, str]] = []
        pages: list[dict[str, Any]] = []
        withheld = 0
        for tab in tabs:
            shown = self._disclosure(tab)
            await tab.network.catch_up()
            made = await _entries(tab, shown)
            entries += [each for each in made if each is not None]
            withheld += made.count(None)
            used = {request.page for request in tab.network}
            pages += [page_of(tab.id, load, shown) for load in tab.network.pages if load.number in used]
        path = await self._write(context, [text for _, text in sorted(entries)], pages)
        dropped = sum(tab.network.dropped + tab.network.unrecorded for tab in tabs)
        return HarSaved(path, len(entries), len(pages), dropped, withheld)

    def _disclosure(self, tab: Tab) -> Disclosure:
        from rove.har.disclosure import Disclosure

        largest = tab.settings.capture.har_body_kilobytes * 1024
        return Disclosure(tab.redact, tab.page.may_read, largest if self.bodies else 0)

    async def _write(self, context: Context, entries: Sequence[str], pages: Sequence[dict[str, Any]]) -> Own:
        from rove.har.archive import HarArchive

        workspace = Workspace(context.settings.workspace_folder)
        name = (self.name or "network").removesuffix(".har") + ".har"
        largest = context.settings.capture.har_megabytes * 1_000_000

        def write() -> Own:
            path, descriptor = workspace.create(FOLDER, name)
            archive = HarArchive(descriptor, largest)
            for entry in entries:
                archive.add(entry, ())
            archive.close(pages)
            return Own(path)

        try:
            return await asyncio.to_thread(write)
        except OSError as error:
            raise unwritable(workspace.root, error) from error


async def _entries(tab: Tab, shown: Disclosure) -> list[tuple[str, str] | None]:
    """Return when each request of a tab began, and its entry; None for one that may not be shown."""
    from rove.har.archive import page_id
    from rove.har.entry import entry_of, may_show, read_bodies

    known = {load.number for load in tab.network.pages}
    made: list[tuple[str, str] | None] = []
    for request in [*tab.network]:
        if not may_show(request, shown):
            made.append(None)
            continue
        page = page_id(tab.id, request.page) if request.page in known else None
        entry = entry_of(request, shown, await read_bodies(request, shown), page)
        line = shown.line(entry)
        made.append(None if line is None else (entry["startedDateTime"], line))
    return made
