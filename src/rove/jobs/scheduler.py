"""Runs a job: addresses in, pages through workers, results out."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import random
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Generic, Protocol, TypeVar

from rove.errors import InvalidArguments
from rove.jobs.addresses import Address, is_loopback
from rove.jobs.worker import NOT_OF_THE_PAGE, JobOptions, PageAnswer, PageError, RetryRules, Worker, WorkerLost
from rove.records import dataclass
from rove.tasks import BackgroundTasks, Signal

# Seconds of the recent past that the rate is taken from.
RATE_WINDOW = 30.0
MOST_HOSTS = 10_000
SLOWEST_SHOWN = 3
T = TypeVar("T")
NEVER = float("inf")

# Pages of one host at once, where the caller does not say otherwise.
PER_HOST = 2
# Addresses that wait. While there are so many, no more are read from the input.
MOST_WAITING = 100_000
# Pages of one host that a slot visits one after the other, in one context, before another host gets its turn.
PAGES_IN_A_ROW = 30
NO_ADDRESS = PageError("invalid_arguments", "This is not an address.", "Write one like https://example.com/page.")


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


class Results(Protocol):
    """Where results go. A result that `append` has returned from is never lost."""

    def append(self, record: dict[str, Any], /) -> None: ...
    @property
    def is_sync_due(self) -> bool: ...
    def sync(self) -> None: ...


@dataclass
class _Page:
    """A page that waits or is visited. `others`: failures on the way that were not its own."""

    address: Address
    attempts: int = 0
    others: int = 0


class JobStopped(Exception):
    """No page can be visited any more."""

    def __init__(self, error: PageError) -> None:
        super().__init__(error.message)
        self.error = error


class _Coming:
    """The next worker of a stream of workers."""

    def __init__(self, workers: AsyncIterator[Worker]) -> None:
        self._workers = workers
        self.task: asyncio.Task[Worker] = self._next()

    def take(self) -> Worker:
        """Return the worker that has come, and wait for the next one."""
        worker = self.task.result()
        self.task = self._next()
        return worker

    def _next(self) -> asyncio.Task[Worker]:
        async def follow() -> Worker:
            return await anext(self._workers)

        return asyncio.create_task(follow())


class Job:
    """Visits each address once, politely, and writes each result when it is final."""

    def __init__(
        self,
        options: JobOptions,
        recorded: dict[str, Any],
        results: Results,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`recorded`: what every result says of the job."""
        self._options = options
        self._recorded = recorded
        self._results = results
        self._clock = clock
        self._queues: HostQueues[_Page] = HostQueues(self._limit, options.delay, clock)
        self._rules = RetryRules(options.retries, random.random)
        self._counts = Counts(clock)
        # How often each address was in the input, or is in the results.
        self._known: Counter[bytes] = Counter()
        self._changed = Signal()
        self._running = 0
        self._read = 0
        self._has_read_all = False
        self._is_draining = False
        self._syncing: asyncio.Task[None] | None = None
        self._workers: list[Worker] = []
        self._slots: set[asyncio.Task[None]] = set()
        self._tasks = BackgroundTasks("the job")

    def resume(self, records: Iterable[dict[str, Any]]) -> None:
        """Take over the results of earlier runs. Raises InvalidArguments if they are of another job."""
        failed: set[bytes] = set()
        for record in records:
            if any(record.get(name) != value for name, value in self._recorded.items()):
                said = " ".join(f"{name}={record.get(name)}" for name in self._recorded)
                hint = "Choose another --out, or run the same command as before."
                raise InvalidArguments(f"The results there are of another job ({said}).", hint=hint)
            key = Address.of(record["url"]).key
            self._known[key] += 1
            (failed.discard if record["ok"] else failed.add)(key)
        self._counts.failed_before = len(failed)
        if self._options.retry_failed:
            for key in failed:
                del self._known[key]
            self._counts.failed_before = 0

    async def run(
        self,
        addresses: AsyncIterator[Address],
        workers: Sequence[Worker] = (),
        more: AsyncIterator[Worker] | None = None,
    ) -> Summary:
        """Visit all pages. Raises JobStopped, or what reading the input or writing the results raises.

        `more`: open workers that come later, without an end; it may raise JobStopped.
        """
        self._workers = [*workers]
        reading = asyncio.create_task(self._read_all(addresses))
        coming = None if more is None else _Coming(more)
        try:
            for worker in workers:
                await worker.open()
                self._start_slots(worker)
            await self._finish(reading, coming)
            if reading.done():
                reading.result()
            return self._counts.summary(self._is_draining)
        finally:
            running: list[asyncio.Task[Any]] = [reading, *self._slots, *([coming.task] if coming is not None else [])]
            for task in running:
                task.cancel()
            await asyncio.gather(*(worker.drain(0) for worker in self._workers))
            await asyncio.gather(*running, return_exceptions=True)

    async def _finish(self, reading: asyncio.Task[None], coming: _Coming | None) -> None:
        """Wait until all slots have ended, with workers that come meanwhile, and there is nothing left to visit."""
        while self._slots or not self._is_finished:
            waiting: set[asyncio.Task[Any]] = {*self._slots}
            waiting |= {coming.task} if coming is not None else set()
            waiting |= set() if reading.done() else {reading}
            if not waiting:
                return  # all workers are lost, and there will be no other
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for ended in [slot for slot in self._slots if slot.done()]:
                self._slots.discard(ended)
                ended.result()
            if coming is not None and coming.task.done():
                worker = coming.take()
                self._workers.append(worker)
                self._start_slots(worker)

    def _start_slots(self, worker: Worker) -> None:
        self._slots |= {asyncio.create_task(self._use_slot(worker)) for _ in range(worker.slots)}

    @property
    def _is_finished(self) -> bool:
        is_empty = self._has_read_all and not self._queues and not self._running
        return self._is_draining or is_empty

    def drain(self) -> None:
        """Begin no more visits, and end those that run, after a while if they do not end by themselves."""
        self._is_draining = True
        self._changed.send()
        for worker in self._workers:
            self._tasks.start(worker.drain(self._options.drain_seconds))

    @property
    def progress(self) -> Progress:
        counts = self._counts
        total = self._read if self._has_read_all else None
        return Progress(counts.done, counts.failed, counts.skipped, self._running, total, counts.rate)

    def _limit(self, host: str) -> int | None:
        if self._options.per_host is not None:
            return self._options.per_host
        return None if is_loopback(host) else PER_HOST

    async def _read_all(self, addresses: AsyncIterator[Address]) -> None:
        try:
            await self._add_all(addresses)
        finally:
            self._has_read_all = True
            self._changed.send()

    async def _add_all(self, addresses: AsyncIterator[Address]) -> None:
        async for address in addresses:
            while len(self._queues) >= MOST_WAITING:
                await self._changed.wait()
            if not self._is_known(address):
                self._read += 1
                self._queues.add(address.host, _Page(address))
                self._changed.send()

    def _is_known(self, address: Address) -> bool:
        """Whether an address needs no visit, as it was in the input or in the results before."""
        key = address.key
        if not self._known[key]:
            if not self._options.repeat:
                self._known[key] = 1
            return False
        if self._options.repeat:
            self._known[key] -= 1
        self._counts.skipped += 1
        return True

    async def _use_slot(self, worker: Worker) -> None:
        host, in_a_row = "", 0
        while (page := await self._next(host if in_a_row < PAGES_IN_A_ROW else None)) is not None:
            in_a_row = in_a_row + 1 if page.address.host == host else 1
            host = page.address.host
            self._running += 1
            try:
                answer = await self._visit(worker, page)
            except WorkerLost:
                self._queues.add(host, page, first=True)
                return
            finally:
                self._running -= 1
                self._queues.release(host)
                self._changed.send()  # those that wait run after the answer is handled
            self._handle(page, answer)

    async def _next(self, preferred: str | None) -> _Page | None:
        """Return the next page, when one may be visited; None when there will be none."""
        while not self._is_draining:
            changed = self._changed.wait()
            if (taken := self._queues.take(preferred)) is not None:
                changed.close()
                return taken[1]
            if self._is_finished:
                changed.close()
                break
            when = self._queues.next_time()
            try:
                async with asyncio.timeout(None if when == NEVER else max(when - self._clock(), 0)):
                    await changed
            except TimeoutError:
                pass  # a page may be visited now
        return None

    async def _visit(self, worker: Worker, page: _Page) -> PageAnswer:
        address = page.address
        if not address.is_valid or (not address.host and "://" not in address.href):
            return PageAnswer(error=NO_ADDRESS)
        return await worker.run(page.address.task)

    def _handle(self, page: _Page, answer: PageAnswer) -> None:
        """Write the answer if it is final, or see to another visit. Raises JobStopped."""
        if answer.is_broken_off:
            return
        error = answer.error
        if error is not None and error.code in NOT_OF_THE_PAGE:
            page.others += 1
        else:
            page.attempts += 1
        if pause := self._rules.pause(answer):
            self._queues.back_off(page.address.host, pause)
        retry = self._rules.decide(answer, page.attempts, page.others)
        if error is not None and (error.is_fatal or (retry is None and error.code in NOT_OF_THE_PAGE)):
            raise JobStopped(error)
        if retry is None:
            self._write(page, answer)
        elif retry.of_host:
            self._queues.back_off(page.address.host, retry.seconds)
            self._queues.add(page.address.host, page, first=True)
        else:
            self._queues.add_later(page.address.host, page, self._clock() + retry.seconds)

    def _write(self, page: _Page, answer: PageAnswer) -> None:
        self._results.append(self._record(page, answer))
        self._counts.add(page.address.host, answer)
        if self._results.is_sync_due and (self._syncing is None or self._syncing.done()):
            self._syncing = self._tasks.start(asyncio.to_thread(self._results.sync))

    def _record(self, page: _Page, answer: PageAnswer) -> dict[str, Any]:
        error = answer.error
        record: dict[str, Any] = {"url": page.address.url, "ok": error is None, **self._recorded}
        record |= {"error": error.as_dict()} if error is not None else {"result": answer.result}
        facts = {"final_url": answer.final_url, "title": answer.title, "status": answer.status}
        record |= {name: fact for name, fact in facts.items() if fact is not None}
        record |= {"is_incomplete": True} if answer.is_incomplete else {}
        record |= {"files": list(answer.files)} if answer.files else {}
        record |= {"node": answer.node} if answer.node is not None else {}
        record |= {"seconds": answer.seconds, "attempts": page.attempts}
        record |= {"time": datetime.now(UTC).isoformat(timespec="milliseconds")}
        return record | ({"input": dict(page.address.fields)} if page.address.fields else {})
