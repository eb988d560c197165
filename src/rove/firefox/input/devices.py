"""The input devices of one page, and what Firefox reports of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rove.firefox.events.live_page import LivePage
from rove.firefox.input.keyboard import Keyboard
from rove.firefox.input.mouse import Mouse
from rove.page.frames.world import World
from rove.page.input import devices
from rove.page.input.clipboard import COPIED_BINDING, Clipboard
from rove.page.input.guards import InputGuards
from rove.page.input.page_modes import REPORT_BINDING

if TYPE_CHECKING:
    from rove.browser.aria.reader import AriaReader

Report = Callable[[str, str], None]


class InputDevices(devices.InputDevices):
    """The input devices of one tab, which elements use to act on the page."""

    def __init__(
        self,
        page: LivePage,
        clipboard: Clipboard,
        scratch: Path,
        note_touched: Callable[[World | None], None],
        aria: AriaReader,
    ) -> None:
        self._page = page
        super().__init__(page, page.events, clipboard, scratch, note_touched, aria)

    def make_mouse(self, guards: InputGuards) -> Mouse:
        return Mouse(self._page, guards)

    def make_keyboard(self, guards: InputGuards) -> Keyboard:
        return Keyboard(self._page, guards)

    def listen(self, on_report: Report) -> None:
        """Hear what rove's script reports; `on_report` gets all of it too, with the realm that it runs in."""
        channel = self._page.channel
        channel.on("script.message", lambda event: self._on_message(event, on_report))
        channel.on("input.fileDialogOpened", self._on_file_dialog)
        channel.on("browsingContext.navigationCommitted", lambda event: self.note_document(event["context"]))

    def _on_message(self, event: dict[str, Any], on_report: Report) -> None:
        text = str(event["data"].get("value") or "")
        if event["channel"] == COPIED_BINDING:
            self.clipboard.note_copied(text, self._page.origins.of(event["source"].get("context")))
        elif event["channel"] == REPORT_BINDING:
            self.on_report(text)
            on_report(text, event["source"]["realm"])

    def _on_file_dialog(self, event: dict[str, Any]) -> None:
        element = event.get("element") or {}
        self.file_chooser.note_opened(event["context"], element.get("sharedId"))
