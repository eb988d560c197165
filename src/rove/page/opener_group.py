"""Pages that opened each other: they may share one thread, so that a dialog of one blocks the others."""

from __future__ import annotations

from dataclasses import replace

from rove.browser.page_data import OpenDialog
from rove.page.events.dialogs import Asker
from rove.page.live_page import LivePage
from rove.page_text import Own

# A page that has not answered by then, while the dialog of a related page is open, is blocked by that dialog.
ANSWER_TIMEOUT = 0.3


class OpenerGroup:
    """A page, the windows it opened, and the windows those opened, each by the id of its tab."""

    def __init__(self) -> None:
        self._pages: dict[str, LivePage] = {}

    def add(self, tab: str, page: LivePage) -> None:
        self._pages[tab] = page
        page.dialogs.on_open = lambda dialog, asker: self._on_dialog_open(page, dialog, asker)
        page.dialogs.on_close = lambda: self._on_dialog_close(page)

    def remove(self, page: LivePage) -> None:
        """Remove a closed page, and its dialog from the others."""
        for tab in [tab for tab, known in self._pages.items() if known is page]:
            del self._pages[tab]
            page.dialogs.on_open = page.dialogs.on_close = None
            self._on_dialog_close(page)

    def rename(self, page: LivePage, tab: str) -> None:
        """Note that a page now goes by another tab id."""
        self._pages = {tab if known is page else name: known for name, known in self._pages.items()}

    def _others(self, page: LivePage) -> list[LivePage]:
        return [other for other in self._pages.values() if other is not page]

    def _on_dialog_open(self, owner: LivePage, dialog: OpenDialog, asker: Asker) -> None:
        for page in self._others(owner):
            page.tasks.start(self._share(page, owner, dialog, asker))

    async def _share(self, page: LivePage, owner: LivePage, dialog: OpenDialog, asker: Asker) -> None:
        if not await page.answers_within(ANSWER_TIMEOUT) and owner.dialogs.open is dialog:
            tab = next((tab for tab, known in self._pages.items() if known is owner), "")
            page.dialogs.share(replace(dialog, tab=Own(tab)), asker)

    def _on_dialog_close(self, owner: LivePage) -> None:
        for page in self._others(owner):
            page.dialogs.unshare()
