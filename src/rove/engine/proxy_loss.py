"""What is told of rove's own proxy process when it ended or does not answer: the server is not to blame."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rove.browser.failures import quoted_url
from rove.errors import NavigationFailed
from rove.outcome import Own

if TYPE_CHECKING:
    from rove.guard.proxy_process.process import ProxyEnd

PROXY_RESTARTED = Own("proxy restarted")
SILENT = Own("rove's own proxy does not answer, and is started again if it stays so: the server may not be the cause")
SILENT_HINT = "Call again, with more time if `timeout` was short."
CALL_AGAIN = "Call again: the server was not the cause."
PART_HINT = "{snapshot} shows the part that has arrived; {navigate} again for the whole page."


def ended_text(end: ProxyEnd) -> Own:
    """Return that the proxy ended, and what that means for pages."""
    return Own(
        f"{_how(end)}; another one was started. Requests that were under way have failed, and what a page was "
        "loading may be incomplete."
    )


def loss_error(end: ProxyEnd, url: str, has_part: bool) -> NavigationFailed:
    """Return the error for a page that was loading when the proxy ended; `has_part`: a part of it has arrived."""
    so_far = " was partly loaded" if has_part else " was loading"
    hint = PART_HINT if has_part else CALL_AGAIN
    return NavigationFailed(f"{_how(end)} while ", quoted_url(url), f"{so_far}; another one was started.", hint=hint)


def cut_error(url: str) -> NavigationFailed:
    """Return the error for a request whose connection to the proxy ended before the server answered."""
    return NavigationFailed("The connection to rove's own proxy ended before ", quoted_url(url), " was answered.")


def latest_since(ends: Iterable[ProxyEnd], since: float) -> ProxyEnd | None:
    """Return the latest end since a time of the monotonic clock."""
    return next((end for end in reversed(tuple(ends)) if end.at >= since), None)


def _how(end: ProxyEnd) -> str:
    return f"rove's own proxy process {'did not answer and was ended' if end.was_silent else 'ended'}"
