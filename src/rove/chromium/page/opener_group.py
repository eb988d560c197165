"""Pages that opened each other may share one thread: a dialog on one of them stops the others as well."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rove.chromium.page.dialogs import OpenDialog
    from rove.chromium.page.tab import Tab
    from rove.chromium.protocol.connection import CdpSession

# A page that has not answered by then, while a relative's dialog is open, waits for that.
PATIENCE = 0.3


class OpenerGroup:
    """A page, the windows it opened, and theirs."""

    def __init__(self) -> None:
        self._tabs: list[Tab] = []
        self._asking: set[asyncio.Task[None]] = set()

    def add(self, tab: Tab) -> None:
        self._tabs.append(tab)
        tab.dialogs.on_waiting = lambda dialog, cdp: self._on_waiting(tab, dialog, cdp)
        tab.dialogs.on_over = lambda: self._on_over(tab)

    def remove(self, tab: Tab) -> None:
        """It is gone, and its dialog with it."""
        if tab in self._tabs:
            self._tabs.remove(tab)
            tab.dialogs.on_waiting = tab.dialogs.on_over = None
            self._on_over(tab)

    def _on_waiting(self, owner: Tab, dialog: OpenDialog, cdp: CdpSession) -> None:
        for tab in self._tabs:
            if tab is not owner:
                asking = asyncio.ensure_future(self._share(tab, owner, dialog, cdp))
                self._asking.add(asking)
                asking.add_done_callback(self._asking.discard)

    async def _share(self, tab: Tab, owner: Tab, dialog: OpenDialog, cdp: CdpSession) -> None:
        if not await tab.answers(PATIENCE) and owner.dialogs.open is dialog:
            tab.dialogs.share(replace(dialog, tab=owner.id), cdp)

    def _on_over(self, owner: Tab) -> None:
        for tab in self._tabs:
            if tab is not owner:
                tab.dialogs.unshare()
