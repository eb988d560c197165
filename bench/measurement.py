"""Runs every task on every server in turn, while all servers of a round are running."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench import pages
from bench.client import NoAnswer, ServerFailed
from bench.driver import Driver
from bench.results import Column, Results, Start
from bench.servers import Server
from bench.site import Site
from bench.tasks import Task, WrongResult

# Starts vary much, so each server is started this often in a round; the median is reported.
COLD_STARTS = 5
AFTER_FIRST_PAGE = "after the first page"
AFTER_PAGES = "after the pages up to 2,000 rows"

FAILURES = (NoAnswer, ServerFailed, WrongResult, LookupError, OSError)


@dataclass(frozen=True)
class Plan:
    """Which tasks to run, how often, and the seconds that a call may take."""

    tasks: Sequence[Task]
    rounds: int
    repeats: int
    limit: float


class Bench:
    """Runs the plan and fills the results."""

    def __init__(self, plan: Plan, site: Site, results: Results) -> None:
        self._plan = plan
        self._site = site
        self._results = results
        self._drivers: dict[str, Driver] = {}
        self._names = pages.names()

    async def run(self, servers: Sequence[Server]) -> None:
        for server in servers:
            await self._start_once(server)
        if not self._results.columns:
            raise SystemExit("no server could be started")
        for number in range(self._plan.rounds):
            print(f"round {number + 1} of {self._plan.rounds}", flush=True)
            try:
                await self._round(number)
            finally:
                await self._stop_all()

    async def _start_once(self, server: Server) -> None:
        """Start a server once without timing it, to warm the file cache and to skip one that cannot start."""
        try:
            driver = await Driver.start(server, self._site, self._plan.limit)
        except FAILURES as failure:
            self._results.skipped[server.key] = f"does not start: {failure}"
            print(f"  {server.title} is skipped, it does not start: {failure}", flush=True)
            return
        try:
            await driver.first_page()
        except FAILURES as failure:
            self._results.skipped[server.key] = f"cannot open a page: {failure}"
            print(f"  {server.title} is skipped, it cannot open a page: {failure}", flush=True)
            await driver.kill()
        else:
            left = await driver.stop()
            self._results.columns[server.key] = Column(server, tools=driver.tools, left_running=[left])

    async def _round(self, number: int) -> None:
        for turn in range(COLD_STARTS):
            for column in self._turns(number + turn):
                await self._start_cold(column)
        for column in self._turns(number):
            await self._start(column)
        # Measured when all browsers run, because they share the memory of their program.
        self._read_memory(AFTER_FIRST_PAGE)
        for task in self._plan.tasks:
            if not task.is_heavy:
                await self._each_in_turn(task, number, self._plan.repeats)
        self._read_memory(AFTER_PAGES)
        for task in self._plan.tasks:
            if task.is_heavy:
                await self._each_in_turn(task, number, repeats=1)

    async def _each_in_turn(self, task: Task, number: int, repeats: int) -> None:
        print(f"  {task.title}", flush=True)
        for turn in range(repeats):
            for column in self._turns(number + turn):
                await self._measure(column, task)

    def _turns(self, shift: int) -> Iterator[Column]:
        """Yield every server, beginning with another each time, so that none always follows the same one."""
        columns = list(self._results.columns.values())
        shift %= max(1, len(columns))
        yield from columns[shift:] + columns[:shift]

    async def _start_cold(self, column: Column) -> None:
        """Time a start from creating the process until its first page is loaded, while no other server runs."""
        try:
            driver = await Driver.start(column.server, self._site, self._plan.limit)
            try:
                reply = await driver.first_page()
                column.starts.append(Start(driver.handshake, reply.arrived - driver.started))
            finally:
                await driver.stop()
        except FAILURES as failure:
            column.start_failures.append(str(failure))

    async def _start(self, column: Column) -> None:
        """Start a server for the rest of the round."""
        try:
            driver = await Driver.start(column.server, self._site, self._plan.limit)
            self._drivers[column.server.key] = driver
            await driver.first_page()
        except FAILURES as failure:
            column.start_failures.append(str(failure))

    async def _measure(self, column: Column, task: Task) -> None:
        tool_calls = column.server.tool_calls
        if task.twin and tool_calls.snapshot == tool_calls.whole_snapshot:
            column.cells[task.key] = column.cell(task.twin)
            return
        cell = column.cell(task.key)
        if cell.gave_up:
            return
        try:
            driver = await self._driver(column)
            cell.add(await task.perform(driver), self._names.get(task.page, ()))
        except FAILURES as failure:
            # A server that timed out may keep a core busy, and would slow the others down.
            cell.fail(str(failure), for_good=task.is_heavy or isinstance(failure, NoAnswer))
            print(f"    {column.server.title}: {failure}", flush=True)
            await self._drop(column)

    async def _driver(self, column: Column) -> Driver:
        """Return the running driver, or start a new one if it was stopped."""
        key = column.server.key
        if key not in self._drivers:
            self._drivers[key] = await Driver.start(column.server, self._site, self._plan.limit)
            await self._drivers[key].first_page()
        return self._drivers[key]

    async def _drop(self, column: Column) -> None:
        driver = self._drivers.pop(column.server.key, None)
        if driver is not None:
            await driver.kill()

    def _read_memory(self, moment: str) -> None:
        for key, driver in self._drivers.items():
            self._results.columns[key].memory.setdefault(moment, []).append(driver.memory())

    async def _stop_all(self) -> None:
        for key, driver in list(self._drivers.items()):
            self._results.columns[key].left_running.append(await driver.stop())
        self._drivers.clear()
