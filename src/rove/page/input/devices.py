"""The input devices of one page: mouse, keyboard, clipboard and file chooser, and the guard of password fields."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rove.browser.page_events import PageEvents
from rove.page.frames.world import World
from rove.page.input.aims import Aims, FilledField
from rove.page.input.clipboard import Clipboard
from rove.page.input.guards import InputGuards
from rove.page.input.keyboard import Keyboard
from rove.page.input.mouse import Mouse
from rove.page.input.page_modes import PageModes
from rove.page.input.password_guard import NoSecrets, PasswordGuard
from rove.page.input.press_tracker import DoneReports, PressTracker
from rove.page.input.uploads import FileChooser, copy_files
from rove.page.live_page import LivePage
from rove.page.secrets.secret_fields import SecretFields

if TYPE_CHECKING:
    from rove.browser.aria.reader import AriaReader
    from rove.browser.element import SecretSource


class InputDevices(ABC):
    """The input devices of one tab, which elements use to act on the page.

    `note_touched` is called with the world of each frame that an action acts in.
    """

    def __init__(
        self,
        page: LivePage,
        events: PageEvents,
        clipboard: Clipboard,
        scratch: Path,
        note_touched: Callable[[World], None],
        aria: AriaReader,
    ) -> None:
        self.page = page
        self.events = events
        self.note_touched = note_touched
        self.aria = aria
        # The folder for copies of uploaded files, which the page may read until it is closed.
        self.scratch = scratch
        # The SHA-256 of files that a person was shown, by path, while an action that they approved runs.
        self.approved_files: dict[str, str] = {}
        self.clipboard = clipboard
        self.secrets: SecretSource = NoSecrets()
        self.page_modes = PageModes(page.worlds.main, events)
        self.aims: Aims[Any] = Aims()
        # The fields that the running action has filled in, and the value of each.
        self.filled: list[tuple[FilledField, str]] = []
        self.press_tracker = PressTracker()
        self.done_reports = DoneReports(page.dialogs)
        self.file_chooser = FileChooser(events)
        self.password_guard = PasswordGuard(page, self._offer)
        self.secret_fields = SecretFields(page.every_world, events, lambda: clipboard.secrets)
        guards = InputGuards(self.password_guard, self.secret_fields, clipboard, self.page_modes)
        self.mouse = self.make_mouse(guards)
        self.keyboard = self.make_keyboard(guards)

    @abstractmethod
    def make_mouse(self, guards: InputGuards) -> Mouse:
        """Return the mouse of the engine."""

    @abstractmethod
    def make_keyboard(self, guards: InputGuards) -> Keyboard:
        """Return the keyboard of the engine."""

    def on_report(self, report: str) -> None:
        """Handle what rove's script in a frame reports."""
        for part in (self.press_tracker, self.done_reports, self.secret_fields, self.page_modes):
            part.on_report(report)

    def note_document(self, frame: str) -> None:
        """Note that a frame shows another document."""
        self.file_chooser.note_document(frame)

    async def copy_files(self, paths: tuple[str, ...]) -> list[Path]:
        """Copy files of the workspace to where only the page reads them; returns the copies."""
        return await copy_files(self.page.settings, paths, self.scratch, self.approved_files)

    @property
    def known_secrets(self) -> SecretSource:
        """The secrets of the session, also before an action has typed one."""
        return self.clipboard.secrets

    def _offer(self, origin: str) -> str:
        return self.secrets.offer(origin)
