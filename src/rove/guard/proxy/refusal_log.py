"""What a proxy did not do, and why: kept for whoever has to tell the agent."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import field

from rove.guard.hosts.refusal import Refusal
from rove.guard.hosts.urls import Endpoint
from rove.guard.proxy.connection_errors import Failure
from rove.record import dataclass

_KEPT = 256


@dataclass(frozen=True)
class RefusedRequest:
    """A request that the rules forbade."""

    method: str
    refusal: Refusal
    at: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class FailedRequest:
    """A request that was allowed and came to nothing."""

    method: str
    endpoint: Endpoint
    kind: Failure
    at: float = field(default_factory=time.monotonic)


class RefusalLog:
    """The latest of both. A page that fires requests without end only pushes out its own."""

    def __init__(self) -> None:
        self.refusals: deque[RefusedRequest] = deque(maxlen=_KEPT)
        self.failures: deque[FailedRequest] = deque(maxlen=_KEPT)

    def why_not(self, endpoint: Endpoint, since: float) -> Refusal | Failure | None:
        """What last kept anyone from that endpoint, since a moment of the monotonic clock."""
        for refused in reversed(self.refusals):
            if refused.at >= since and (refused.refusal.host, refused.refusal.port) == (endpoint.host, endpoint.port):
                return refused.refusal
        for failed in reversed(self.failures):
            if failed.at >= since and failed.endpoint == endpoint:
                return failed.kind
        return None
