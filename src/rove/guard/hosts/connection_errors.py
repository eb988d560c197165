"""Why a connection that the rules allow failed."""

from __future__ import annotations

import errno
from enum import StrEnum


class Failure(StrEnum):
    """Kinds of failed connections. A browser behind a proxy reports the same error for all of them."""

    DNS = "dns"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    RESET = "reset"
    EMPTY = "empty"  # the server closed the connection without sending a byte
    SHORT = "short"  # the server closed the connection in the middle of a message
    MALFORMED = "malformed"
    UPSTREAM = "upstream"
    CREDENTIALS = "credentials"  # the upstream proxy did not accept them


class Unreachable(Exception):
    """A connection to an allowed host failed."""

    def __init__(self, kind: Failure, detail: str = "") -> None:
        super().__init__(f"{kind}: {detail}" if detail else kind)
        self.kind = kind


_RESET = frozenset({errno.ECONNRESET, errno.EPIPE, errno.ECONNABORTED})


def failure_of(error: OSError) -> Failure:
    """Return the kind of failure that an error of the operating system means."""
    if error.errno == errno.ECONNREFUSED:
        return Failure.REFUSED
    if isinstance(error, TimeoutError):
        return Failure.TIMEOUT
    return Failure.RESET if error.errno in _RESET else Failure.UNREACHABLE
