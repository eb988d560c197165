"""Keeps the requests that a proxy refused or failed to forward, so that the agent can be told why."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import field

from rove.guard.network.refusal import Failure, Refusal
from rove.guard.network.urls import Endpoint
from rove.records import dataclass

MAX_ENTRIES = 256


@dataclass(frozen=True)
class RefusedRequest:
    """A request that the rules forbid."""

    method: str
    refusal: Refusal
    at: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class FailedRequest:
    """A request that the rules allow, and that failed."""

    method: str
    endpoint: Endpoint
    kind: Failure
    at: float = field(default_factory=time.monotonic)


class RefusalLog:
    """The latest refused and failed requests. Older ones are dropped, so a page cannot fill the memory."""

    def __init__(self) -> None:
        self.refusals: deque[RefusedRequest] = deque(maxlen=MAX_ENTRIES)
        self.failures: deque[FailedRequest] = deque(maxlen=MAX_ENTRIES)
        # Called with each refusal.
        self.on_refused: Callable[[Refusal], object] = lambda refusal: None
        # Called with each entry, before the client is answered.
        self.on_entry: Callable[[RefusedRequest | FailedRequest], object] = lambda entry: None

    def add_refusal(self, method: str, refusal: Refusal) -> None:
        """Keep a refused request, and report it."""
        self.add(RefusedRequest(method, refusal))

    def add_failure(self, method: str, endpoint: Endpoint, kind: Failure) -> None:
        """Keep a request that failed, and report it."""
        self.add(FailedRequest(method, endpoint, kind))

    def add(self, entry: RefusedRequest | FailedRequest) -> None:
        """Keep an entry, and report it."""
        if isinstance(entry, RefusedRequest):
            self.refusals.append(entry)
            self.on_refused(entry.refusal)
        else:
            self.failures.append(entry)
        self.on_entry(entry)

    def latest(self, endpoint: Endpoint, since: float) -> Refusal | Failure | None:
        """Return the latest refusal or failure of a request to the endpoint since a time of the monotonic clock."""
        for refused in reversed(self.refusals):
            if refused.at >= since and (refused.refusal.host, refused.refusal.port) == (endpoint.host, endpoint.port):
                return refused.refusal
        for failed in reversed(self.failures):
            if failed.at >= since and failed.endpoint == endpoint:
                return failed.kind
        return None
