"""The whole page after an action, for callers that are shown all of it: tabs, snapshot, console, locators."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rove.browser.failures import BrowserError
from rove.browser.page_data import LEVELS, ConsoleMessage
from rove.errors import DialogOpen, RoveError
from rove.outcome import (
    ConsoleCounts,
    ModalState,
    PageView,
    ViewedDownload,
    ViewedTab,
    ViewKind,
    WrittenLines,
    console_line,
    moment,
)
from rove.page_text import Own, PageText
from rove.target import targets_in
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.action import AnyAction
    from rove.browser.context import TabInfo
    from rove.browser.shared.context import Context
    from rove.browser.shared.reading import AriaSnapshot
    from rove.browser.shared.tab import Tab

FOLDER = ".playwright-mcp"
LEAST_LEVEL = "info"

# Seconds for what a view is not worth waiting for: locators, titles, the snapshot of a page that does not answer.
LOCATOR_SECONDS = 2.0
TITLE_SECONDS = 1.0
SNAPSHOT_SECONDS = 5.0
UPLOAD = "upload"


def stamp(at: float) -> str:
    """Format a time for the name of a file: 2026-01-31T12-30-00-000Z."""
    return moment(at).removesuffix("+00:00").replace(":", "-").replace(".", "-") + "Z"


async def save_snapshot(workspace: Path, text: str) -> str:
    """Write a snapshot to a new file; return its path."""
    return str(await Workspace(workspace).save(FOLDER, f"page-{stamp(time.time())}.yml", text.encode()))


class ConsoleFile:
    """The console messages of a tab's document, in a file that grows."""

    def __init__(self) -> None:
        self._loaded = 0.0
        self._path: Path | None = None
        self._lines = 0
        self._told: set[tuple[float, str]] = set()

    async def write(
        self, workspace: Path, loaded: float, messages: list[ConsoleMessage], redact: Callable[[str], str]
    ) -> WrittenLines | None:
        """Add the messages that are not in the file yet, without secrets; another document gets another file."""
        if loaded != self._loaded:
            self._loaded, self._path, self._lines, self._told = loaded, None, 0, set()
        fresh = [
            message for message in messages if (message.at, message.text) not in self._told and _is_written(message)
        ]
        if not fresh:
            return None
        self._told |= {(message.at, message.text) for message in fresh}
        text = redact("".join(_written(each, loaded) for each in fresh))
        first, self._lines = self._lines + 1, self._lines + text.count("\n")
        if self._path is None:
            self._path = await Workspace(workspace).save(FOLDER, f"console-{stamp(loaded)}.log", text.encode())
        else:
            await asyncio.to_thread(Workspace(workspace).append, self._path, text.encode())
        return WrittenLines(Own(self._path), first, self._lines)


def _written(message: ConsoleMessage, loaded: float) -> str:
    line = console_line(message.kind, message.level, message.text, message.location)
    return f"[{round((message.at - loaded) * 1000):>8}ms] {line}\n"


def _is_written(message: ConsoleMessage) -> bool:
    return LEVELS.index(message.level) >= LEVELS.index(LEAST_LEVEL)


class PageViewer:
    """Views pages as one caller is shown them. Without a kind it views nothing."""

    def __init__(self, kind: ViewKind | None, may_show: Callable[[Tab], bool], redact: Callable[[str], str]) -> None:
        """`may_show`: whether the caller may read a page without asking. `redact`: removes secrets from a text."""
        self._redact = redact
        self._kind = kind
        self._may_show = may_show

    def refuse_modal(self, action: AnyAction, tab: Tab) -> None:
        """Raise DialogOpen if the page waits for files and the action does not give it any."""
        if self._kind is not None and tab.awaits_files and action.verb != UPLOAD:
            raise DialogOpen("The page waits for files.", hint="Give them with {upload}.")

    async def locators(self, action: AnyAction, tab: Tab) -> dict[Own, PageText]:
        """Return a Playwright locator for each target of an action, as far as they can be found in time."""
        found: dict[Own, PageText] = {}
        if self._kind is None:
            return found
        with contextlib.suppress(RoveError, BrowserError, TimeoutError):  # the action itself says what is wrong
            async with asyncio.timeout(LOCATOR_SECONDS):
                for place, target in targets_in(action).items():
                    (element, *_) = await tab.resolve_all(target, wait=False)
                    locator = await tab.observer.aria.locator_of(element.ref)
                    found[Own(place)] = PageText(locator, getattr(element.line, "origin", tab.url.origin))
        return found

    async def view(self, context: Context, tab: Tab | None, locators: dict[Own, PageText]) -> PageView | None:
        """Return the session's tabs and the page of one of them; None if the caller is not shown them."""
        if self._kind is None:
            return None
        if tab is None or tab not in context.tabs:
            tab = context.current
        taken = await self._snapshot(tab) if tab is not None and self._may_show(tab) else None
        tabs = tuple([await self._viewed(each, context) for each in context.tab_infos])
        view = PageView(tabs, True, modal_states=_modal_states(tab), locators=locators)
        # Checked again, as the tab may have navigated meanwhile.
        return await self._with_page(view, tab, taken) if tab is not None and self._may_show(tab) else view

    async def _with_page(self, view: PageView, tab: Tab, taken: AriaSnapshot | None) -> PageView:
        """Add what the page shows. What goes to files leaves the session as answers do: without secrets."""
        is_blocked, folder = bool(view.modal_states), tab.settings.workspace_folder
        loaded = 0.0 if is_blocked else await _loaded_at(tab)
        messages = [each for each in tab.console[0] if each.at >= loaded and _may_tell(tab, each.source.origin)]
        view = replace(view, status=tab.page.status, counts=_counts(messages), loaded=loaded, downloads=_downloads(tab))
        text = taken.text.around(self._redact(taken.text)) if taken else tab.url.around("")
        with contextlib.suppress(RoveError):  # the action is done: after an error the agent would repeat it
            file = await save_snapshot(folder, text) if self._kind == "aria" else None
            lines = None if is_blocked else await _console_file(tab).write(folder, loaded, messages, self._redact)
            saved = Own(file) if file else None
            view = replace(view, snapshot=text if taken else None, snapshot_file=saved, console=lines)
        return replace(view, is_changed=_is_news(tab, view))

    def view_of_error(self, context: Context | None) -> PageView | None:
        """Return what the current page waits for, without reading it."""
        if self._kind is None or context is None:
            return None
        return PageView(modal_states=_modal_states(context.current))

    async def _viewed(self, tab: TabInfo, context: Context) -> ViewedTab:
        is_current = tab is context.current
        if not context.may_read(tab.url):
            return ViewedTab(
                Own(tab.id), tab.url.around(tab.url.origin), tab.url.around(""), is_current
            )  # an address can contain text of the page
        title = tab.url.around("")
        with contextlib.suppress(TimeoutError, BrowserError):
            async with asyncio.timeout(TITLE_SECONDS):
                title = tab.url.around("") if tab.open_dialog else await tab.title()
        shown = tab.url.around("") if _names_address(title, tab.url) else title
        return ViewedTab(Own(tab.id), tab.url, shown, is_current)

    async def _snapshot(self, tab: Tab) -> AriaSnapshot | None:
        """Return the page as it is now; None if it waits for an answer, or does not answer itself."""
        taken: list[AriaSnapshot] = []

        async def take() -> None:
            taken.append(await tab.observer.aria.take_snapshot())

        if self._kind == "aria" and not _modal_states(tab):
            with contextlib.suppress(TimeoutError, BrowserError, RoveError):
                async with asyncio.timeout(SNAPSHOT_SECONDS):
                    await tab.page.dialogs.run_until_dialog(take())
        return taken[0] if taken else None


def _may_tell(tab: Tab, origin: str) -> bool:
    return origin in ("", tab.url.origin) or tab.page.may_read(origin)


def _names_address(title: str, url: str) -> bool:
    """Whether a title is the address, which the browser shows where a page has no title."""
    return bool(title) and title.rstrip("/") in (url.rstrip("/"), url.partition("://")[2].rstrip("/"))


def _modal_states(tab: Tab | None) -> tuple[ModalState, ...]:
    if tab is None:
        return ()
    dialog = tab.page.dialogs.open
    states = [ModalState("files")] if tab.awaits_files else []
    return (*states, *([ModalState("answer", dialog.kind, dialog.message)] if dialog else []))


async def _loaded_at(tab: Tab) -> float:
    with contextlib.suppress(TimeoutError, BrowserError):
        async with asyncio.timeout(TITLE_SECONDS):
            return await tab.observer.aria.loaded_at()
    return time.time()


def _counts(messages: list[ConsoleMessage]) -> ConsoleCounts:
    # An assertion that failed is no error to Playwright.
    errors = sum(message.count for message in messages if message.level == "error" and message.kind != "assert")
    warnings = sum(message.count for message in messages if message.level == "warning")
    return ConsoleCounts(sum(message.count for message in messages), errors, warnings)


def _is_news(tab: Tab, view: PageView) -> bool:
    """Return whether the caller has been told otherwise, and remember what it is told now."""
    told = (view.tabs, view.status, view.counts)
    before, tab.observer.aria.told = tab.observer.aria.told, told
    return before != told


def _downloads(tab: Tab) -> tuple[ViewedDownload, ...]:
    """Return the latest download, unless the caller has been told of it as it is now."""
    latest = tab.page.downloads.latest(0)
    if latest is None or latest == tab.observer.aria.told_download:
        return ()
    tab.observer.aria.told_download = latest
    return (ViewedDownload(latest.name, latest.path),)


def _console_file(tab: Tab) -> ConsoleFile:
    if tab.observer.aria.console_file is None:
        tab.observer.aria.console_file = ConsoleFile()
    file = tab.observer.aria.console_file
    assert isinstance(file, ConsoleFile)
    return file
