"""The input devices of one page, and what rove's script reports of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rove.page.frames.world import World
from rove.page.input import devices
from rove.page.input.clipboard import Clipboard
from rove.page.input.guards import InputGuards
from rove.webkit.events.live_page import LivePage
from rove.webkit.input.keyboard import Keyboard
from rove.webkit.input.mouse import Mouse

if TYPE_CHECKING:
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
        return Keyboard(self._page, guards, self)
