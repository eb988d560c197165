"""What the tabs of one context share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rove.browser.network.withholding import NoRedactor, TextRedactor
from rove.page.input.clipboard import Clipboard
from rove.page.secrets.answers import redacted_answer
from rove.refs import RefNumbers
from rove.settings.tree import Settings


class SharedResources:
    """What the tabs of one context share: ref numbers, clipboard, and what may be read."""

    def __init__(self, settings: Settings, scratch: Path, downloads: Path) -> None:
        """`scratch`: for copies of files to upload. `downloads`: where the browser puts what it downloads."""
        self.settings = settings
        self.scratch = scratch
        self.downloads = downloads
        self.ref_numbers = RefNumbers()
        self.clipboard = Clipboard()
        self.may_read: Callable[[str], bool] = lambda address: True
        self.withheld = "(not shown)"
        self.redactor: TextRedactor = NoRedactor()
        # Called when a tab was opened, closed or made current, or shows another URL.
        self.on_changed: Callable[[], object] = lambda: None

    def redact(self, text: str) -> str:
        return self.redactor.redact(text)

    def redact_answer(self, answer: Any) -> Any:
        return redacted_answer(answer, self.redactor)
