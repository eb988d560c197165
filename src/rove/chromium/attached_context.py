"""The context of somebody's own browser, in which we are guests: their cookies, their tabs, their downloads."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rove.browser.context import SavedContext, SavedTarget
from rove.browser.schemes import is_readable_scheme
from rove.browser.tab import TabInfo
from rove.chromium.context import CLOSING_PATIENCE, Context
from rove.chromium.page.closing import close_target
from rove.chromium.process.run_folder import discard
from rove.chromium.protocol.connection import CdpConnection, CdpError, CdpSession
from rove.errors import Denied
from rove.record import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from rove.chromium.page.tab import Tab
    from rove.settings import Settings


@dataclass
class KnownPage:
    """A page that is there, whether or not we have it in hand. Nothing is set up in it until an agent goes to it."""

    id: str
    target: str
    url: str
    name: str
    # A page that we are not attached to reports no dialogs.
    open_dialog: None = None

    async def title(self) -> str:
        return self.name


class AttachedContext(Context):
    """Lists what is open, takes a page in hand when it is asked for, and closes only what it has opened itself."""

    def __init__(self, connection: CdpConnection, identity: str, settings: Settings, scratch: Path) -> None:
        super().__init__(connection, identity, settings, scratch)
        self._pages: dict[str, KnownPage] = {}
        self._ours: set[str] = set()
        self._remembered: dict[str, SavedTarget] = {}
        self._taking = asyncio.Lock()
        self._attaching: set[str] = set()
        self._loads: dict[str, tuple[Tab, int, str]] = {}
        self._setup = replace(self._setup, is_attached=True)

    async def open(self, saved: SavedContext | None) -> None:
        """See who is there. No permission is set, no download folder, and no cookie kept or put back."""
        saved = saved or SavedContext()
        self._shared.restore(saved.shared)
        self._remembered = {known.target: known for known in saved.targets}
        self._numbers = saved.numbers
        there = await self._root.send("Target.getTargets", {"filter": [{"type": "page"}]})
        for target in there["targetInfos"]:
            self.notice(target)
        # Only to be told of downloads: they go where the browser's own settings say.
        await self._root.send("Browser.setDownloadBehavior", {"behavior": "default", "eventsEnabled": True})
        at = next((known.id for known in saved.targets if known.is_current), None)
        self._current = at if at in self._opened else None

    @property
    def listed(self) -> list[TabInfo]:
        held = {tab.page.target_id: tab for tab in self.tabs}
        shown = [held.get(page.target, page) for page in self._pages.values() if is_readable_scheme(page.url)]
        return sorted(shown, key=lambda page: _number(page.id))

    @property
    def targets(self) -> tuple[SavedTarget, ...]:
        return tuple(
            SavedTarget(page.id, page.target, page.target in self._ours, page.id == self._current)
            for page in self._pages.values()
        )

    @property
    def _opened(self) -> list[str]:
        return [page.id for page in self._pages.values() if page.target in self._ours]

    async def tab(self, name: str | None = None) -> Tab:
        """Without a name the one in front, which is never one that we were not sent to."""
        wanted = name or self._current
        page = next((page for page in self.listed if page.id == wanted and isinstance(page, KnownPage)), None)
        if page is not None:
            await self._take(page)
        return await super().tab(name)

    async def close_tab(self, tab: TabInfo) -> None:
        if self._tabs[tab.id].page.target_id not in self._ours:
            raise Denied(
                f"{tab.id} was not opened by rove, and is not closed by it.",
                hint="It is the person's own: only they close it.",
            )
        await super().close_tab(tab)

    async def save(self) -> SavedContext:
        """Nothing of the person's: their browser keeps it."""
        return SavedContext(tabs=self.addresses, current=self._current)

    async def close(self) -> None:
        """Close what we opened, let go of the rest and leave all else as it is."""
        held = {tab.page.target_id for tab in self.tabs}
        leaving = [self._let_go(tab) for tab in self.tabs]
        leaving += [self._close_unheld(target) for target in self._ours - held]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_PATIENCE):
                await asyncio.gather(*map(_ignoring_loss, leaving))
        await self.release()
        await asyncio.to_thread(discard, self._uploads)
        if self.on_closed is not None:
            self.on_closed()

    # What the browser tells of this context

    def notice(self, target: dict[str, Any]) -> None:
        """A page is there, or is elsewhere now. Those of the browser's own are not told of."""
        if target.get("browserContextId") != self._identity or target["type"] != "page":
            return
        page = self._pages.get(target["targetId"])
        if page is not None:
            page.url, page.name = target["url"], target["title"]
        elif is_readable_scheme(target["url"]):
            self._meet(target)

    def forget_page(self, target: str) -> None:
        self._pages.pop(target, None)
        self._ours.discard(target)

    def is_taking(self, target: str) -> bool:
        """Whether we attach to it ourselves at this moment."""
        return target in self._attaching

    def receive(self, cdp: CdpSession, target: dict[str, Any]) -> None:
        """A page has come into being: a popup of one that we have in hand, or none of our business."""
        opener = next((tab for tab in self.tabs if tab.page.target_id == target.get("openerId")), None)
        if opener is None:
            self._announce(target)
            self._shared.tasks.start(resume_target(cdp))
            return
        if opener.page.target_id in self._ours:
            if opener.popups.is_refused(len(self._opened)):
                self._arrival.set()
                self._shared.tasks.start(close_target(self._root, cdp, target["targetId"]))
                return
            self._ours.add(target["targetId"])
        tab = self._made(cdp, target, self._meet(target).id)
        self._shared.tasks.start(self._welcome(tab, opener))

    def receive_download(self, event: dict[str, Any]) -> None:
        if "frameId" in event:
            owner = next((tab for tab in self.tabs if tab.page.worlds.has_frame(event["frameId"])), None)
            if owner is not None:
                self._loads[event["guid"]] = (
                    owner,
                    owner.page.downloads.begin(),
                    event["suggestedFilename"] or "download",
                )
        elif event["state"] != "inProgress" and (load := self._loads.pop(event["guid"], None)):
            tab, number, name = load
            tab.page.downloads.end(number)
            is_whole = event["state"] == "completed"
            where = f"{name}, where this browser keeps its downloads: not in the workspace"
            tab.page.events.add("download" if is_whole else "download failed", where if is_whole else name)

    # Pages in hand

    async def _take(self, page: KnownPage) -> Tab:
        """Attach to a page and set it up; it is told nothing, and what it showed stays."""
        async with self._taking:
            if (held := self._tabs.get(page.id)) is not None:
                return held
            self._attaching.add(page.target)
            try:
                attached = await self._root.send("Target.attachToTarget", {"targetId": page.target, "flatten": True})
            finally:
                self._attaching.discard(page.target)
            cdp = self._connection.cdp_session(attached["sessionId"])
            tab = self._made(cdp, {"targetId": page.target, "url": page.url}, page.id)
            try:
                await tab.open()
                await tab.catch_up()
            except BaseException:
                self._forget(tab)
                self._shared.tasks.start(cdp.detach())
                raise
            return tab

    def _meet(self, target: dict[str, Any]) -> KnownPage:
        identity = target["targetId"]
        if identity not in self._pages:
            known = self._remembered.pop(identity, None)
            if known is not None and known.is_ours:
                self._ours.add(identity)
            name = known.id if known else self._next_id()
            self._pages[identity] = KnownPage(name, identity, target["url"] or "about:blank", target.get("title", ""))
        return self._pages[identity]

    async def _created(self) -> Tab:
        # Behind what the person looks at, so that what they type does not go into it.
        asking = asyncio.ensure_future(
            self._root.send("Target.createTarget", {"url": "about:blank", "background": True})
        )
        try:
            target = (await asyncio.shield(asking))["targetId"]
        except asyncio.CancelledError:
            self._shared.tasks.start(self._undo(asking))
            raise
        self._ours.add(target)
        try:
            return await self._take(self._meet({"targetId": target, "url": "about:blank"}))
        except BaseException:
            self._shared.tasks.start(self._close_unheld(target))
            raise

    async def _undo(self, asking: asyncio.Future[dict[str, Any]]) -> None:
        await self._close_unheld((await asking)["targetId"])

    def _announce(self, target: dict[str, Any]) -> None:
        """A window that does not know its opener may still be what a page in hand has said that it opens."""
        opener = next((tab for tab in self.tabs if tab.popups.announced > 0), None)
        if opener is not None and is_readable_scheme(target["url"] or "about:blank"):
            opener.popups.admit(self._meet(target).id, target["url"])
            self._arrival.set()

    def _rename(self, tab: Tab, identity: str) -> None:
        replaced = next((page for page in self._pages.values() if page.id == identity), None)
        if replaced is not None:
            replaced.id = self._next_id()
        super()._rename(tab, identity)
        self._pages[tab.page.target_id].id = identity

    def _dismiss(self, tab: Tab) -> None:
        self._shared.tasks.start(self._let_go(tab))

    def _forget(self, tab: Tab) -> None:
        super()._forget(tab)
        if self._current is not None and self._current not in self._opened:
            # We do not end up, unasked, on a page of the person's.
            self._current = next(reversed(self._opened), None)

    async def _let_go(self, tab: Tab) -> None:
        if tab.page.target_id in self._ours:
            await tab.close()
        else:
            await tab.page.cdp.detach()

    async def _close_unheld(self, target: str) -> None:
        await self._root.send("Target.closeTarget", {"targetId": target})


def _number(identity: str) -> int:
    return int(identity.removeprefix("t"))


async def resume_target(cdp: CdpSession) -> None:
    """It is not ours to drive: let it run, and leave it."""
    await cdp.send("Runtime.runIfWaitingForDebugger")
    await cdp.detach()


async def _ignoring_loss(work: Coroutine[Any, Any, None]) -> None:
    """Close or leave a page that may be gone already."""
    with contextlib.suppress(CdpError):
        await work
