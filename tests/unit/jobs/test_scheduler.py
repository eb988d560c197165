"""A job from addresses to results, with workers that answer as the test says."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import pytest

from rove.errors import BrowserUnavailable, InvalidArguments, NavigationFailed, RoveError
from rove.jobs import worker
from rove.jobs.addresses import Address
from rove.jobs.scheduler import Job, JobStopped, Summary
from rove.jobs.worker import Health, JobOptions, PageAnswer, PageError, PageTask, WorkerState

Answering = Callable[[PageTask, int], PageAnswer]
DONE = PageAnswer(result="text", status=200)


class ScriptedWorker:
    """Answers as it is told, given a page and how often it was visited before."""

    def __init__(self, answering: Answering = lambda task, before: DONE, slots: int = 4) -> None:
        self.slots = slots
        self.visits: list[str] = []
        self.at_once: Counter[str] = Counter()
        self.most_at_once: Counter[str] = Counter()
        self.holding = asyncio.Event()
        self.holding.set()
        self.drained: list[float] = []
        self._answering = answering

    async def open(self) -> None: ...

    async def run(self, task: PageTask) -> PageAnswer:
        before = self.visits.count(task.url)
        self.visits.append(task.url)
        self.at_once[task.host] += 1
        self.most_at_once[task.host] = max(self.most_at_once[task.host], self.at_once[task.host])
        await asyncio.sleep(0)
        await self.holding.wait()
        self.at_once[task.host] -= 1
        return self._answering(task, before)

    async def save(self) -> WorkerState:
        return WorkerState()

    async def restore(self, state: WorkerState) -> None: ...

    async def drain(self, seconds: float) -> None:
        self.drained.append(seconds)

    async def health(self) -> Health:
        return Health(0, len(self.visits), 0)


class Kept:
    """Results in memory."""

    is_sync_due = False

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []

    def append(self, record: dict[str, Any]) -> None:
        self.records.append(record)

    def sync(self) -> None: ...


async def given(urls: Iterable[str]) -> AsyncIterator[Address]:
    for url in urls:
        yield Address.of(url)


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "FIRST_WAIT", 0.01)


def pages(count: int, host: str = "a.example") -> list[str]:
    return [f"https://{host}/{number}" for number in range(count)]


async def run(
    urls: Iterable[str],
    worker: ScriptedWorker | None = None,
    before: Iterable[dict[str, Any]] = (),
    **options: Any,
) -> tuple[list[dict[str, Any]], Summary]:
    kept = Kept()
    job = Job(JobOptions(**options), {"do": "extract"}, kept)
    job.resume(before)
    summary = await asyncio.wait_for(job.run(given(urls), [worker or ScriptedWorker()]), 30)
    return kept.records, summary


def failing(error: RoveError, times: int, status: int | None = None) -> Answering:
    return lambda task, before: PageAnswer(error=PageError.of(error), status=status) if before < times else DONE


async def test_each_address_is_visited_once_and_written_once() -> None:
    worker = ScriptedWorker()
    records, summary = await run([*pages(20), *pages(20), "HTTPS://A.example:443/3"], worker)
    assert sorted(record["url"] for record in records) == sorted(pages(20))
    assert (summary.done, summary.failed, summary.skipped) == (20, 0, 21)
    assert worker.drained == [0]
    assert records[0].keys() == {"url", "ok", "do", "result", "status", "seconds", "attempts", "time"}


async def test_with_repeat_an_address_is_visited_as_often_as_the_input_has_it() -> None:
    done = [{"url": pages(1)[0], "ok": True, "do": "extract"}]
    records, summary = await run([*pages(2), *pages(2)], before=done, repeat=True)
    assert [record["url"] for record in records].count(pages(1)[0]) == 1
    assert (summary.done, summary.skipped) == (3, 1)


async def test_what_is_in_the_results_is_not_visited_again_unless_it_failed_and_that_is_asked_for() -> None:
    before = [{"url": url, "ok": url != pages(3)[1], "do": "extract"} for url in pages(3)]
    records, summary = await run(pages(4), before=before)
    assert [record["url"] for record in records] == [pages(4)[3]]
    assert summary.failed_before == 1
    records, summary = await run(pages(4), before=before, retry_failed=True)
    assert sorted(record["url"] for record in records) == [pages(4)[1], pages(4)[3]]
    assert summary.failed_before == 0


async def test_results_of_another_job_are_refused() -> None:
    with pytest.raises(InvalidArguments, match="another job"):
        await run(pages(1), before=[{"url": pages(1)[0], "ok": True, "do": "pdf"}])


async def test_two_visits_of_a_host_at_once_and_any_number_on_this_machine() -> None:
    worker = ScriptedWorker(slots=8)
    await run([*pages(20), *pages(20, "b.example"), *pages(20, "localhost:3000")], worker)
    assert worker.most_at_once["a.example"] == worker.most_at_once["b.example"] == 2
    assert worker.most_at_once["localhost:3000"] > 2
    worker = ScriptedWorker(slots=8)
    await run(pages(20, "localhost:3000"), worker, per_host=1)
    assert worker.most_at_once["localhost:3000"] == 1


async def test_failures_that_may_pass_are_tried_again_and_others_are_not() -> None:
    records, _ = await run(pages(1), ScriptedWorker(failing(NavigationFailed("Connection refused"), 2)))
    assert (records[0]["ok"], records[0]["attempts"]) == (True, 3)
    records, _ = await run(pages(1), ScriptedWorker(failing(NavigationFailed("Connection refused"), 3)))
    assert (records[0]["error"]["code"], records[0]["attempts"]) == ("navigation_failed", 3)
    gone = failing(NavigationFailed("HTTP 404", retryable=False), 1, status=404)
    records, summary = await run(pages(1), ScriptedWorker(gone))
    assert (records[0]["ok"], records[0]["attempts"], records[0]["status"]) == (False, 1, 404)
    assert summary.failures == (("HTTP 404", 1),)


async def test_a_lost_browser_costs_no_attempt_and_one_that_cannot_start_stops_the_job() -> None:
    records, _ = await run(pages(5), ScriptedWorker(failing(BrowserUnavailable("It died.", retry_after=0), 1)))
    assert [(record["ok"], record["attempts"]) for record in records] == [(True, 1)] * 5
    fatal = PageError.of(BrowserUnavailable("No browser was found."), is_fatal=True)
    kept = Kept()
    worker = ScriptedWorker(lambda task, before: PageAnswer(error=fatal))
    with pytest.raises(JobStopped, match="No browser"):
        await Job(JobOptions(), {}, kept).run(given(pages(50)), [worker])
    assert kept.records == []
    assert worker.drained == [0]


async def test_text_that_is_no_address_fails_and_the_rest_goes_on() -> None:
    records, _ = await run(["not an address", *pages(1)])
    by_url = {record["url"]: record for record in records}
    assert by_url["not an address"]["error"]["code"] == "invalid_arguments"
    assert by_url[pages(1)[0]]["ok"]


async def test_visits_begin_before_the_input_has_ended_and_a_drained_job_finishes_what_runs() -> None:
    async def endless() -> AsyncIterator[Address]:
        for number in range(10**9):
            yield Address.of(f"https://a.example/{number}")
            await asyncio.sleep(0)

    worker, kept = ScriptedWorker(slots=2), Kept()
    job = Job(JobOptions(), {}, kept)
    running = asyncio.ensure_future(job.run(endless(), [worker]))
    while len(kept.records) < 5:
        await asyncio.sleep(0)
    worker.holding.clear()
    while not worker.at_once["a.example"]:
        await asyncio.sleep(0)
    job.drain()
    visited, held = len(worker.visits), worker.at_once["a.example"]
    done = len(kept.records)
    worker.holding.set()
    summary = await asyncio.wait_for(running, 10)
    assert summary.is_interrupted
    assert len(worker.visits) == visited
    assert len(kept.records) == done + held


async def test_a_visit_that_the_worker_broke_off_is_not_written() -> None:
    worker, kept = ScriptedWorker(lambda task, before: PageAnswer(is_broken_off=True), slots=1), Kept()
    summary = await Job(JobOptions(), {}, kept).run(given(pages(1)), [worker])
    assert (kept.records, summary.done, summary.failed) == ([], 0, 0)
