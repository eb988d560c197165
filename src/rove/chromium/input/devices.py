"""The input devices of one page: mouse, keyboard, clipboard and file chooser, and the guard of password fields."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from rove.browser.page_events import PageEvents
from rove.chromium.frames.worlds import World
from rove.chromium.input.clipboard import Clipboard
from rove.chromium.input.keyboard import Keyboard
from rove.chromium.input.mouse import Mouse
from rove.chromium.input.page_modes import PageModes
from rove.chromium.input.password_guard import NoSecrets, PasswordGuard
from rove.chromium.input.press_tracker import DoneReports, PressTracker
from rove.chromium.input.uploads import FileChooser, copy_files
from rove.chromium.protocol.connection import CdpSession
from rove.chromium.secrets.secret_fields import SecretFields
from rove.page_text import PageText, Text

if TYPE_CHECKING:
    from rove.browser.aria.reader import AriaReader
    from rove.browser.element import SecretSource
    from rove.chromium.input.page import Page


class FilledField(Protocol):
    """A field that was filled in."""

    @property
    def line(self) -> Text: ...
    @property
    def ref(self) -> str: ...
    async def value(self) -> PageText | None:
        """Return what it holds; None if that may not be shown."""
        ...

    def quote(self, text: str, /) -> PageText:
        """Return a text as the words of the frame that it is in."""
        ...


class InputDevices:
    """The input devices of one tab, which elements use to act on the page.

    `note_touched` is called with the world of each frame that an action acts in.
    """

    def __init__(
        self,
        page: Page,
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
        # The fields that the running action has filled in, and the value of each.
        self.filled: list[tuple[FilledField, str]] = []
        self.press_tracker = PressTracker()
        self.done_reports = DoneReports(page.dialogs)
        self.file_chooser = FileChooser(events)
        self.password_guard = PasswordGuard(page, self._offer)
        self.secret_fields = SecretFields(page.every_world, events, lambda: clipboard.secrets)
        self.mouse = Mouse(page, self.password_guard, clipboard, self.secret_fields)
        self.keyboard = Keyboard(page, self.password_guard, clipboard, self.page_modes, self.secret_fields)

    def listen(self, cdp: CdpSession) -> list[Coroutine[Any, Any, None]]:
        """Set up a CDP session of the page, or of a frame in another process.

        The caller awaits what is returned in one gather with the command that lets the page run. A gather of its own
        here would start these one step later, and the page would run without them.
        """
        self.press_tracker.listen(cdp)
        self.done_reports.listen(cdp)
        self.file_chooser.listen(cdp)
        self.secret_fields.listen(cdp)
        return [
            self.clipboard.listen(cdp, self.page.origins),
            self.page_modes.listen(cdp),
            self.password_guard.watch_new_documents(cdp),
        ]

    async def copy_files(self, paths: tuple[str, ...]) -> list[Path]:
        """Copy files of the workspace to where only the page reads them; returns the copies."""
        return await copy_files(self.page.settings, paths, self.scratch, self.approved_files)

    @property
    def known_secrets(self) -> SecretSource:
        """The secrets of the session, also before an action has typed one."""
        return self.clipboard.secrets

    def _offer(self, origin: str) -> str:
        return self.secrets.offer(origin)
