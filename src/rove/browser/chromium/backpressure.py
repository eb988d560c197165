"""Backpressure on pages that send more than is read: their processes are paused until the browser has caught up.

Chromium takes whatever a page process sends, into memory, in the order of arrival. A page that writes to its console in
a loop is faster than the browser passes that on, so that the commands of every other session wait behind a backlog of
seconds. A process that is paused whenever a backlog can have formed gets ahead by the work of a few milliseconds only.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING

from rove.browser.chromium.connection import CdpConnection, CdpError

if TYPE_CHECKING:
    from rove.browser.chromium.flood import TargetGroup
    from rove.browser.shared.machine import PageProcesses
    from rove.tasks import BackgroundTasks

log = logging.getLogger(__name__)
# Seconds that a flooding process runs before the browser has to catch up again.
SLICE_SECONDS = 0.005
# A group that sends fewer messages than this in so many slices no longer floods rove.
SLICE_MESSAGES = 10
QUIET_SLICES = 10
# A process is paused no longer than this, even if the browser does not catch up.
MAX_PAUSE_SECONDS = 3.0
# All page processes, those of other sessions too, are paused no longer than this.
FIRST_PAUSE_SECONDS = 0.1
# While other sessions work, the pause is longer than the browser needs to catch up: commands often follow each other.
WORK_SECONDS = 0.03
CHECK_SECONDS = 0.003
# Messages that arrive so long after the browser has caught up come from a process that is not paused.
STRAY_SECONDS = 0.015
STRAY_MESSAGES = 10
MAX_PROCESSES = 8
# A process that has run for less than this part of the busiest one's time is not paused.
MIN_SHARE = 0.2
# So many pauses in a row with such messages, and one more process is paused.
STRAY_PAUSES = 3
# Which processes are the busiest is looked up in each of the first slices, then in each tenth.
FIRST_SLICES = 20
SLICES_BETWEEN_LOOKS = 10


class Backpressure:
    """Pauses the busiest page processes of one browser while pages flood rove."""

    def __init__(self, connection: CdpConnection, processes: PageProcesses, tasks: BackgroundTasks) -> None:
        self._connection = connection
        self._processes = processes
        self._tasks = tasks
        self._groups: set[TargetGroup] = set()
        self._is_running = False
        # How many processes are paused at a time: more than one if a single one does not stop the messages.
        self._count = 1
        self._stray_pauses = 0

    def start(self, group: TargetGroup) -> None:
        """Pause the processes of a group now and then, until it no longer floods rove."""
        self._groups.add(group)
        if not self._is_running:
            self._is_running = True
            self._tasks.start(self._run())

    async def _run(self) -> None:
        try:
            await self._pause_in_turns()
        finally:
            self._is_running = False
            self._groups.clear()

    async def _pause_in_turns(self) -> None:
        before = self._processes.processor_times()
        # All of them at first, as the commands of other sessions wait behind the backlog in any case.
        await self._catch_up(list(before), most=FIRST_PAUSE_SECONDS)
        busiest, quiet, slices, self._count, self._stray_pauses = list[int](), 0, 0, 1, 0
        while quiet < QUIET_SLICES and self._connection.is_open:
            received = self._received
            await asyncio.sleep(SLICE_SECONDS)
            if slices < FIRST_SLICES or slices % SLICES_BETWEEN_LOOKS == 0:
                busiest = busiest_since(before, self._processes.processor_times())
            slices += 1
            await self._catch_up(busiest[: self._count], WORK_SECONDS)
            quiet = quiet + 1 if self._received - received < SLICE_MESSAGES else 0

    @property
    def _received(self) -> int:
        return sum(group.received for group in self._groups)

    async def _catch_up(self, pids: list[int], longer: float = 0.0, most: float = MAX_PAUSE_SECONDS) -> None:
        """Pause processes until all that they have sent has been read, and longer while other sessions work."""
        self._processes.pause(pids)
        try:
            async with asyncio.timeout(most):
                # The answer comes behind all that the browser has sent before.
                await self._connection.root.send("Browser.getVersion")
                await self._wait_for_others(time.monotonic() + longer)
        except (TimeoutError, CdpError):
            log.debug("the browser has not caught up with a page that floods it")
        finally:
            self._processes.resume(pids)

    async def _wait_for_others(self, until: float) -> None:
        stray_from, strays_before = until - WORK_SECONDS + STRAY_SECONDS, None
        while (now := time.monotonic()) < until and self._connection.is_used_besides(self._groups, now - WORK_SECONDS):
            if now >= stray_from and strays_before is None:
                strays_before = self._received
            await asyncio.sleep(CHECK_SECONDS)
        if strays_before is not None:
            self._note_strays(self._received - strays_before > STRAY_MESSAGES)

    def _note_strays(self, has_strays: bool) -> None:
        self._stray_pauses = self._stray_pauses + 1 if has_strays else 0
        if self._stray_pauses >= STRAY_PAUSES:
            self._count, self._stray_pauses = min(self._count + 1, MAX_PROCESSES), 0


def busiest_since(before: dict[int, int], now: dict[int, int]) -> list[int]:
    """Return the processes that have run the most between two looks, the busiest first."""
    spent = {pid: used - before.get(pid, 0) for pid, used in now.items()}
    most = max(spent.values(), default=0)
    return [pid for pid in sorted(spent, key=lambda pid: -spent[pid]) if spent[pid] >= most * MIN_SHARE]
