"""Which page is next: polite to each host, and fair between hosts. Pure: the clock is given."""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
NEVER = float("inf")


class _Host(Generic[T]):
    """The pages of one host that wait, how many are visited now, and when the next may begin."""

    def __init__(self, name: str, limit: int | None) -> None:
        self.name = name
        self.waiting: deque[T] = deque()
        self.running = 0
        self.not_before = 0.0
        # Whether it is looked at again later, and how many of its pages are added later.
        self.is_later = False
        self.later_pages = 0
        self._limit = limit

    @property
    def may_take(self) -> bool:
        return bool(self.waiting) and (self._limit is None or self.running < self._limit)

    @property
    def is_idle(self) -> bool:
        return not (self.waiting or self.running or self.later_pages)


class HostQueues(Generic[T]):
    """A queue for each host. Hosts that may be visited take turns; one that must wait holds up no other.

    `limit`: given a host, how many of its pages may be visited at once; None for any number. `delay`: seconds between
    two starts on one host.
    """

    def __init__(self, limit: Callable[[str], int | None], delay: float, clock: Callable[[], float]) -> None:
        self._limit = limit
        self._delay = delay
        self._clock = clock
        self._hosts: dict[str, _Host[T]] = {}
        # Hosts that may be visited now, in the order of their turns.
        self._ready: dict[str, _Host[T]] = {}
        # Hosts that may be visited later, and pages that are added later.
        self._later: list[tuple[float, int, _Host[T], T | None]] = []
        self._numbers = itertools.count()
        self._size = 0

    def __len__(self) -> int:
        """How many pages wait."""
        return self._size

    @property
    def host_count(self) -> int:
        """How many hosts are remembered: those with pages, and those that must be left alone for a while."""
        return len(self._hosts)

    def add(self, host: str, page: T, *, first: bool = False) -> None:
        """Add a page; `first`: before the others of its host."""
        self._size += 1
        self._put(self._host(host), page, first)

    def add_later(self, host: str, page: T, when: float) -> None:
        """Add a page that is not to be visited before a time."""
        self._size += 1
        found = self._host(host)
        found.later_pages += 1
        heapq.heappush(self._later, (when, next(self._numbers), found, page))

    def take(self, preferred: str | None = None) -> tuple[str, T] | None:
        """Return the next host and page, of the preferred host if that may be visited; None if all must wait."""
        self._wake()
        host = self._ready.pop(preferred, None) if preferred is not None else None
        if host is None:
            if not self._ready:
                return None
            host = self._ready.pop(next(iter(self._ready)))
        page = host.waiting.popleft()
        self._size -= 1
        host.running += 1
        if self._delay:
            host.not_before = max(host.not_before, self._clock() + self._delay)
        self._place(host)
        return host.name, page

    def release(self, host: str) -> None:
        """Note that a visit of a host is over."""
        found = self._hosts[host]
        found.running -= 1
        self._place(found)

    def back_off(self, host: str, seconds: float) -> None:
        """Begin no visit of a host for so many seconds."""
        found = self._host(host)
        found.not_before = max(found.not_before, self._clock() + seconds)
        self._ready.pop(host, None)
        self._place(found)

    def next_time(self) -> float:
        """Return when `take` may find a page that it does not find now, unless a visit ends or a page is added."""
        return self._later[0][0] if self._later else NEVER

    def _host(self, name: str) -> _Host[T]:
        if name not in self._hosts:
            self._hosts[name] = _Host(name, self._limit(name))
        return self._hosts[name]

    def _put(self, host: _Host[T], page: T, first: bool) -> None:
        if first:
            host.waiting.appendleft(page)
        else:
            host.waiting.append(page)
        self._place(host)

    def _wake(self) -> None:
        """Look again at the hosts and pages whose time has come."""
        now = self._clock()
        while self._later and self._later[0][0] <= now:
            _, _, host, page = heapq.heappop(self._later)
            if page is not None:
                host.later_pages -= 1
                self._put(host, page, first=True)
            else:
                host.is_later = False
                self._place(host)

    def _place(self, host: _Host[T]) -> None:
        """Give a host its next turn, now or later. One that has nothing to do is forgotten."""
        if host.name in self._ready or not (host.may_take or host.is_idle):
            return
        if host.not_before > self._clock():
            self._look_later(host)
        elif host.may_take:
            self._ready[host.name] = host
        elif not host.is_later:
            self._hosts.pop(host.name, None)

    def _look_later(self, host: _Host[T]) -> None:
        if not host.is_later:
            host.is_later = True
            heapq.heappush(self._later, (host.not_before, next(self._numbers), host, None))
