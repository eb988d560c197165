"""The order of things: every server is alive during a round, and each takes its turn at each work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench import pages
from bench.client import NoAnswer, ServerFailed
from bench.driver import Driver
from bench.peers import Server
from bench.results import Column, Results, Start
from bench.site import Site
from bench.work import Work, WrongAnswer

# A start takes long and varies much; of these in each round, everyone in turn, the median is told.
COLD_STARTS = 5
AFTER_FIRST_PAGE = "after the first page"
AFTER_PAGES = "after the pages up to 2,000 rows"

Troubles = (NoAnswer, ServerFailed, WrongAnswer, LookupError, OSError)


@dataclass(frozen=True)
class Plan:
    """How much to do."""

    works: Sequence[Work]
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
            await self._rehearse(server)
        if not self._results.columns:
            raise SystemExit("there is nobody to measure")
        for number in range(self._plan.rounds):
            print(f"round {number + 1} of {self._plan.rounds}", flush=True)
            try:
                await self._round(number)
            finally:
                await self._stop_all()

    async def _rehearse(self, server: Server) -> None:
        """One start that is not counted: nobody pays for cold files, and who cannot start is skipped."""
        try:
            driver = await Driver.start(server, self._site, self._plan.limit)
        except Troubles as trouble:
            self._results.skipped[server.key] = f"does not start: {trouble}"
            print(f"  {server.title} is skipped, it does not start: {trouble}", flush=True)
            return
        try:
            await driver.first_page()
        except Troubles as trouble:
            self._results.skipped[server.key] = f"cannot open a page: {trouble}"
            print(f"  {server.title} is skipped, it cannot open a page: {trouble}", flush=True)
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
        # Only now that all browsers run: they share their program's pages, and the first would bear them alone.
        self._read_memory(AFTER_FIRST_PAGE)
        for work in self._plan.works:
            if not work.is_heavy:
                await self._each_in_turn(work, number, self._plan.repeats)
        self._read_memory(AFTER_PAGES)
        for work in self._plan.works:
            if work.is_heavy:
                await self._each_in_turn(work, number, repeats=1)

    async def _each_in_turn(self, work: Work, number: int, repeats: int) -> None:
        print(f"  {work.title}", flush=True)
        for turn in range(repeats):
            for column in self._turns(number + turn):
                await self._measure(column, work)

    def _turns(self, shift: int) -> Iterator[Column]:
        """Everyone, beginning with another each time, so that no one always follows a heavy neighbour."""
        columns = list(self._results.columns.values())
        shift %= max(1, len(columns))
        yield from columns[shift:] + columns[:shift]

    async def _start_cold(self, column: Column) -> None:
        """From before the process exists until its first page is answered, while nobody else runs."""
        try:
            driver = await Driver.start(column.server, self._site, self._plan.limit)
            try:
                reply = await driver.first_page()
                column.starts.append(Start(driver.handshake, reply.arrived - driver.started))
            finally:
                await driver.stop()
        except Troubles as trouble:
            column.start_failures.append(str(trouble))

    async def _start(self, column: Column) -> None:
        """For the rest of the round."""
        try:
            driver = await Driver.start(column.server, self._site, self._plan.limit)
            self._drivers[column.server.key] = driver
            await driver.first_page()
        except Troubles as trouble:
            column.start_failures.append(str(trouble))

    async def _measure(self, column: Column, work: Work) -> None:
        dialect = column.server.dialect
        if work.twin and dialect.snapshot == dialect.whole_snapshot:
            column.cells[work.key] = column.cell(work.twin)
            return
        cell = column.cell(work.key)
        if cell.gave_up:
            return
        try:
            driver = await self._driver(column)
            cell.add(await work.perform(driver), self._names.get(work.page, ()))
        except Troubles as trouble:
            # What was given up may go on burning a core, and what follows would pay for it.
            cell.fail(str(trouble), for_good=work.is_heavy or isinstance(trouble, NoAnswer))
            print(f"    {column.server.title}: {trouble}", flush=True)
            await self._drop(column)

    async def _driver(self, column: Column) -> Driver:
        """The living driver, or a new one in place of one that was dropped."""
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
