"""Errors of actions on a tab: what was lost before them, and what to try next."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import TYPE_CHECKING

from rove.errors import ElementNotFound, RoveError

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab

# The address of a tab in which no page was opened.
EMPTY = "about:blank"


@contextlib.contextmanager
def note_losses(tab: Tab) -> Generator[None]:
    """Add to an error the crash before it that was not told yet."""
    try:
        yield
    except RoveError as error:
        error.notice = error.notice or " ".join(tab.page.events.take_losses())
        if isinstance(error, ElementNotFound) and tab.url == EMPTY:
            error.hint = "No page is open in this tab: open one with {navigate} first."
        raise


@contextlib.contextmanager
def keep_seen(tab: Tab) -> Generator[None]:
    """After an error, treat the page as not looked at: what changed meanwhile is told with the next answer."""
    seen, document = tab.observer.seen, tab.observer.seen_document
    try:
        yield
    except RoveError:
        tab.observer.restore_seen(seen, document)
        raise
