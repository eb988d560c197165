"""A page after an action, for callers that are shown all of it instead of what changed: in the form of Playwright."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from rove.page_text import NOWHERE, Own, PageText
from rove.validation.record import dataclass

# `page`: all but the snapshot. `aria`: the snapshot too.
ViewKind = Literal["page", "aria"]


@dataclass(frozen=True)
class ViewedTab:
    """A tab as its page names it. The title is empty while a dialog blocks the page."""

    id: Own
    url: PageText
    title: PageText
    is_current: bool


@dataclass(frozen=True)
class ModalState:
    """What a page waits for: an answer to a dialog, or files. `kind` is that of the dialog."""

    waits_for: Literal["answer", "files"]
    kind: Own = Own()
    message: PageText = PageText("", NOWHERE)


@dataclass(frozen=True)
class ConsoleCounts:
    """How many console messages there are since the document was loaded."""

    total: int = 0
    errors: int = 0
    warnings: int = 0


@dataclass(frozen=True)
class WrittenLines:
    """A file in the workspace, and the lines that were added to it."""

    path: Own
    first: int
    last: int


@dataclass(frozen=True)
class ViewedDownload:
    """A download by the name that its server gave it; `path` is its file once it is complete."""

    name: PageText
    path: PageText | None = None


@dataclass(frozen=True)
class PageView:
    """The tabs, and the current one of them: its snapshot as YAML and as a file, and what it waits for.

    `is_changed`: whether another tab, title, address, status or number of messages than the caller knows.
    `locators`: a Playwright locator for each target of the action, by its path among the arguments.
    """

    tabs: tuple[ViewedTab, ...] = ()
    is_changed: bool = False
    status: int | None = None
    counts: ConsoleCounts = ConsoleCounts()
    # When the document was loaded, in seconds since the epoch.
    loaded: float = 0.0
    snapshot: PageText | None = None
    snapshot_file: Own | None = None
    modal_states: tuple[ModalState, ...] = ()
    console: WrittenLines | None = None
    downloads: tuple[ViewedDownload, ...] = ()
    locators: dict[Own, PageText] = field(default_factory=dict[Own, PageText])

    @property
    def current(self) -> ViewedTab | None:
        return next((tab for tab in self.tabs if tab.is_current), self.tabs[0] if self.tabs else None)
