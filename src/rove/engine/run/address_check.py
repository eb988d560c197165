"""Whether an action may touch an address: the one that it asks for, or the one of the page that it acts on."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from rove.action import AnyAction, Effect
from rove.browser.context import LOST_NETWORK
from rove.engine.journal import Entry
from rove.engine.network_access import NetworkAccess
from rove.errors import DeadlineExceeded, NavigationFailed, RoveError
from rove.outcome import Own, said_of

if TYPE_CHECKING:
    from rove.browser.shared.context import Context
    from rove.browser.shared.tab import Tab

R = TypeVar("R")


def refuse_unreachable(network: NetworkAccess, action: AnyAction, entry: Entry, tab: Tab | None) -> None:
    """Raise Denied if the address rules refuse what the action loads, or the page that it acts on."""
    entry.decision = "denied"
    if action.destination is not None:
        network.refuse_url(action.destination)
    elif tab is not None and action.effect is not Effect.NAVIGATE:
        # A page at a refused address is not read either, by whatever way the tab got there.
        network.refuse_url(tab.url)
        if action.is_about_page:
            _refuse_failed_page(network, entry, tab)
    entry.decision = "undecided"


def _refuse_failed_page(network: NetworkAccess, entry: Entry, tab: Tab) -> None:
    try:
        network.refuse_document(tab.page.requests.document)
    except NavigationFailed:
        entry.decision = "undecided"  # it was not denied: there is no page to act on
        raise


async def reaching(
    network: NetworkAccess, action: AnyAction, tab: Tab, since: float, perform: Callable[[], Awaitable[R]]
) -> R:
    """Perform an action; if it fails to load its address because rove's proxy ended, once more."""
    try:
        return await _explained(network, action, tab, since, perform())
    except NavigationFailed:
        if not _may_repeat(network, action, tab, since):
            raise
    return await _explained(network, action, tab, time.monotonic(), perform())


def is_repeatable(action: AnyAction, context: Context) -> bool:
    """Whether an action only loads an address, and the browser could send nothing: it had lost its network process."""
    return _loads_address(action) and context.lost.is_set() and context.lost.reason == LOST_NETWORK


async def _explained(network: NetworkAccess, action: AnyAction, tab: Tab, since: float, work: Awaitable[R]) -> R:
    """Wait for an action. Errors have the proxy's reason, if it has one: it says more than the browser's."""
    try:
        return await work
    except NavigationFailed:
        document = tab.page.requests.document
        has_part = document is not None and document.status is not None
        for url in (document.url if document else "", action.destination or ""):
            network.raise_failure(url, since, has_part)
        network.raise_cut(document)
        raise


async def explained_timeout(network: NetworkAccess, work: Awaitable[R]) -> R:
    """Wait for an action; if it takes too long because of rove's own proxy, the error says so."""
    began = time.monotonic()
    try:
        return await work
    except DeadlineExceeded as error:
        network.explain_timeout(error, began)
        raise


def _may_repeat(network: NetworkAccess, action: AnyAction, tab: Tab, since: float) -> bool:
    """Whether a load failed without an answer, as the proxy ended. Loading an address sends a GET request."""
    document = tab.page.requests.document
    has_answer = document is not None and document.status is not None
    return _loads_address(action) and not has_answer and network.proxy_end(since) is not None


def _loads_address(action: AnyAction) -> bool:
    return action.effect is Effect.NAVIGATE and action.destination is not None


FIRST_ERROR_STATUS = 400


def add_status_event(tab: Tab) -> None:
    """Add an event if the server answered with an error, which the page may not show."""
    status = tab.page.status
    if status is not None and status >= FIRST_ERROR_STATUS:
        tab.page.events.add("http error", Own(f"The server answered with HTTP {status}."))


def add_failure_event(network: NetworkAccess, tab: Tab) -> bool:
    """Add an event if the tab shows an answer of the proxy, which says less than the proxy knows; return whether so."""
    try:
        network.refuse_document(tab.page.requests.document)
    except NavigationFailed as error:
        tab.page.events.add("request failed", said_of(error))
    except RoveError:
        return True  # it is among the refusals that each outcome lists
    else:
        return False
    return True
