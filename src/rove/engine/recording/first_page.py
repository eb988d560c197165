"""The page that is open when a recording begins: it was loaded before, and is the first step all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab


STEP = "s0"


def load_began(tab: Tab) -> float | None:
    """Return when the page that a tab shows was asked for; None if that is not known any more."""
    pages = tab.network.pages
    if pages:
        sent = [request.at for request in tab.network if request.page == pages[-1].number]
        return min(sent, default=pages[-1].at)
    address = str(tab.url).partition("#")[0]
    loads = [each.at for each in tab.network if each.kind == "document" and each.url.partition("#")[0] == address]
    return loads[-1] if loads else None


def load_ended(tab: Tab, began: float) -> float:
    """Return when the page was loaded, or its requests were answered."""
    loaded = tab.network.pages[-1].loaded if tab.network.pages else None
    return loaded or max((each.at + (each.seconds or 0) for each in tab.network if each.at >= began), default=began)


def first_step(url: str, began: float, ended: float) -> dict[str, Any]:
    """Return what a trace tells of the load of the page, in the form of a step."""
    return {
        "label": f"navigate {url}", "url": url, "arguments": {"url": url}, "step": STEP, "action": "navigate",
        "began": began, "ended": ended,
    }  # fmt: skip
