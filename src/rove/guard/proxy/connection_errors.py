"""Why a connection that was allowed did not come about."""

from __future__ import annotations

import errno
from enum import StrEnum


class Failure(StrEnum):
    """Told apart here because a browser behind a proxy calls them all the same."""

    DNS = "dns"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    RESET = "reset"
    EMPTY = "empty"  # ended in good order, without a word
    SHORT = "short"  # ended in good order, in the middle
    MALFORMED = "malformed"
    UPSTREAM = "upstream"
    CREDENTIALS = "credentials"  # of the upstream proxy


class Unreachable(Exception):
    """A host that is allowed could not be talked to."""

    def __init__(self, kind: Failure, detail: str = "") -> None:
        super().__init__(f"{kind}: {detail}" if detail else kind)
        self.kind = kind


class Malformed(Exception):
    """What came in is not HTTP as the standard writes it. Doubt about where a message ends is the end of it."""


_RESET = frozenset({errno.ECONNRESET, errno.EPIPE, errno.ECONNABORTED})


def kind_of(error: OSError) -> Failure:
    """What the system's error means to someone who wanted to connect."""
    if error.errno == errno.ECONNREFUSED:
        return Failure.REFUSED
    if isinstance(error, TimeoutError):
        return Failure.TIMEOUT
    return Failure.RESET if error.errno in _RESET else Failure.UNREACHABLE
