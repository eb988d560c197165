"""The limit on the tabs of a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rove.errors import LimitReached
from rove.page_text import PageText

LONGEST_URL = 200


def refuse_another_tab(
    tabs: Sequence[str], used: Mapping[str, float], urls: Mapping[str, PageText], limit: int
) -> None:
    """Raise LimitReached if as many tabs are open as may be; it names the one that was unused for longest."""
    if len(tabs) < limit:
        return
    # Tabs that rove itself uses are not listed, and are closed by themselves.
    oldest = min((tab for tab in tabs if tab in urls), key=lambda tab: used.get(tab, 0), default=tabs[0])
    said = [f"{len(tabs)} tabs are open, which is the limit."]
    if url := urls.get(oldest):
        said += [f" {oldest} is longest unused: ", url.around(url[:LONGEST_URL])]
    raise LimitReached(*said, hint=f"Close one with {{tabs}}, such as {oldest}.")
