"""Counts of a job: how far it is, how fast, and what failed."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable

from rove.jobs.worker import PageAnswer
from rove.validation.record import dataclass

# Seconds of the recent past that the rate is taken from.
RATE_WINDOW = 30.0
MOST_HOSTS = 10_000
SLOWEST_SHOWN = 3


@dataclass(frozen=True)
class Progress:
    """How far a job is. `total`: pages in all, None while the input has not been read to its end."""

    done: int
    failed: int
    skipped: int
    running: int
    total: int | None
    rate: float

    @property
    def seconds_left(self) -> float | None:
        if self.total is None or not self.rate:
            return None
        return max(self.total - self.done - self.failed, 0) / self.rate


@dataclass(frozen=True)
class SlowHost:
    host: str
    seconds: float
    pages: int


@dataclass(frozen=True)
class Summary:
    """What came of a job. `failures`: how many pages failed, by code or, of servers that answered, by status."""

    done: int
    failed: int
    skipped: int
    failed_before: int
    seconds: float
    failures: tuple[tuple[str, int], ...]
    slowest: tuple[SlowHost, ...]
    is_interrupted: bool

    @property
    def rate(self) -> float:
        return (self.done + self.failed) / self.seconds if self.seconds else 0.0


class Counts:
    """Counts pages as they end."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began = clock()
        self._ended: deque[float] = deque()
        self._failures: Counter[str] = Counter()
        # Seconds and pages of each host.
        self._hosts: dict[str, tuple[float, int]] = {}
        self.done = 0
        self.failed = 0
        # Pages that were in the results before, and how many of these had failed.
        self.skipped = 0
        self.failed_before = 0

    def add(self, host: str, answer: PageAnswer) -> None:
        """Count a page whose answer is final."""
        self._ended.append(self._clock())
        if answer.error is None:
            self.done += 1
        else:
            self.failed += 1
            has_answered = answer.status is not None and answer.status >= 400
            self._failures[f"HTTP {answer.status}" if has_answered else answer.error.code] += 1
        if host in self._hosts or len(self._hosts) < MOST_HOSTS:
            seconds, pages = self._hosts.get(host, (0.0, 0))
            self._hosts[host] = (seconds + answer.seconds, pages + 1)

    @property
    def rate(self) -> float:
        """Pages a second, lately."""
        now = self._clock()
        while self._ended and self._ended[0] < now - RATE_WINDOW:
            self._ended.popleft()
        return len(self._ended) / max(min(now - self._began, RATE_WINDOW), 0.001)

    def summary(self, is_interrupted: bool) -> Summary:
        averages = [SlowHost(host, seconds / pages, pages) for host, (seconds, pages) in self._hosts.items()]
        slowest = sorted(averages, key=lambda each: -each.seconds)[:SLOWEST_SHOWN] if len(averages) > 1 else []
        seconds = self._clock() - self._began
        return Summary(
            self.done,
            self.failed,
            self.skipped,
            self.failed_before,
            seconds,
            tuple(self._failures.most_common()),
            tuple(slowest),
            is_interrupted,
        )
