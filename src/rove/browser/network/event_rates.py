"""How many events of a page are recorded: what it writes and requests beyond this is counted only."""

from __future__ import annotations

# Console messages, errors, and messages of WebSockets and event streams, of a page with its frames and workers.
MESSAGES_PER_SECOND = 1000
MESSAGE_BYTES_PER_SECOND = 4_000_000
# Uncaught errors and entries of the browser itself, which other messages do not count against.
ERRORS_PER_SECOND = 500
# Requests at once, and how many more in each second.
REQUESTS_AT_ONCE = 1000
REQUESTS_PER_SECOND = 100


def unrecorded_messages(count: int) -> str:
    """Say that console messages were not recorded; nothing if all were."""
    megabytes = MESSAGE_BYTES_PER_SECOND // 1_000_000
    rate = f"more than {MESSAGES_PER_SECOND} messages or {megabytes} MB a second were written"
    return f"{count} were not recorded, and the newest were kept: {rate}." if count else ""


# Said beside that number, where a browser sends all events through one thread.
UNCOUNTED_MESSAGES = "Pages of this session wrote so much that nothing was recorded for some seconds."


def unrecorded_requests(count: int) -> str:
    """Say that requests were not recorded; nothing if all were."""
    rate = f"more than {REQUESTS_AT_ONCE} were sent at once, or {REQUESTS_PER_SECOND} a second"
    return f"{count} were not recorded: {rate}." if count else ""
