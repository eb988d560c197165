"""Whether an action may touch an address: the one that it asks for, or the one of the page that it acts on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rove.action import AnyAction, Effect
from rove.engine.journal import Entry
from rove.engine.network_access import NetworkAccess
from rove.errors import NavigationFailed, RoveError
from rove.outcome import Own, said_of

if TYPE_CHECKING:
    from rove.browser.tab import Tab


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


def raise_network_reason(network: NetworkAccess, action: AnyAction, tab: Tab, since: float) -> None:
    """Raise the proxy's reason for a failed navigation, if it has one: it says more than the browser's."""
    document = tab.page.requests.document
    for url in (document.url if document else "", action.destination or ""):
        network.raise_failure(url, since)


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
