"""The input devices of one page, and what its CDP sessions report of them."""

from __future__ import annotations

from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rove.chromium.events.live_page import LivePage
from rove.chromium.frames.document_script import DocumentScript
from rove.chromium.input.keyboard import Keyboard
from rove.chromium.input.mouse import Mouse
from rove.chromium.protocol.connection import CdpSession
from rove.page.frames.world import WORLD, World
from rove.page.input import devices
from rove.page.input.clipboard import COPIED_BINDING, Clipboard
from rove.page.input.guards import InputGuards
from rove.page.input.page_modes import REPORT_BINDING

if TYPE_CHECKING:
    from collections.abc import Callable

    from rove.browser.aria.reader import AriaReader


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

    def listen(self, cdp: CdpSession) -> list[Coroutine[Any, Any, object]]:
        """Set up a CDP session of the page, or of a frame in another process.

        The caller awaits what is returned in one gather with the command that lets the page run. A gather of its own
        here would start these one step later, and the page would run without them.
        """
        cdp.on("Runtime.bindingCalled", lambda event: self._on_binding_called(cdp, event))
        cdp.on("Page.fileChooserOpened", self._on_file_chooser)
        cdp.on("Page.frameNavigated", lambda event: self.note_document(event["frame"]["id"]))
        return [
            cdp.send("Runtime.addBinding", {"name": COPIED_BINDING, "executionContextName": WORLD}),
            cdp.send("Runtime.addBinding", {"name": REPORT_BINDING, "executionContextName": WORLD}),
            self._watch_typing(cdp),
        ]

    async def _watch_typing(self, cdp: CdpSession) -> None:
        """If rove is typing, watch the documents that will load in this CDP session."""
        script = self.password_guard.script
        assert isinstance(script, DocumentScript)
        await script.add_to(cdp)

    def _on_binding_called(self, cdp: CdpSession, event: dict[str, Any]) -> None:
        if event["name"] == COPIED_BINDING:
            self.clipboard.note_copied(event["payload"], self._page.origins.of_context(cdp, event))
        elif event["name"] == REPORT_BINDING:
            self.on_report(event["payload"])

    def _on_file_chooser(self, event: dict[str, Any]) -> None:
        self.file_chooser.note_opened(event["frameId"], event.get("backendNodeId"))
