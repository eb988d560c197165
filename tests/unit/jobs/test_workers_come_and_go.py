"""A job whose workers come while it runs, and are lost."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import pytest
from tests.unit.jobs.test_scheduler import DONE, Kept, ScriptedWorker, given, pages

from rove.errors import ClusterUnavailable
from rove.jobs.scheduler import Job, JobStopped, Summary
from rove.jobs.worker import JobOptions, PageAnswer, PageError, PageTask, Worker, WorkerLost

SECONDS = 30


def lost_after(count: int) -> ScriptedWorker:
    """Return a worker that is lost with the pages that it has after so many answers."""
    answered = 0

    def answer(task: PageTask, before: int) -> PageAnswer:
        nonlocal answered
        answered += 1
        if answered > count:
            raise WorkerLost
        return DONE

    return ScriptedWorker(answer)


async def run(job: Job, urls: list[str], more: AsyncIterator[Worker]) -> Summary:
    return await asyncio.wait_for(job.run(given(urls), more=more), SECONDS)


async def test_pages_of_a_lost_worker_are_visited_by_the_next_and_have_not_failed() -> None:
    workers = [lost_after(5), lost_after(0), ScriptedWorker()]

    async def coming() -> AsyncIterator[Worker]:
        for worker in workers:
            yield worker
        await asyncio.Event().wait()

    kept = Kept()
    summary = await run(Job(JobOptions(retries=0, per_host=3), {"do": "extract"}, kept), pages(40), coming())
    assert Counter(record["url"] for record in kept.records) == Counter(pages(40))
    assert {record["attempts"] for record in kept.records} == {1}
    assert (summary.done, summary.failed) == (40, 0)
    visited = Counter(url for worker in workers for url in worker.visits)
    # Each slot of a lost worker has tried one page.
    assert max(visited.values()) <= 1 + 2 * 4 and all(worker.most_at_once["a.example"] <= 3 for worker in workers)
    assert all(worker.drained for worker in workers)


async def test_a_job_without_workers_waits_and_ends_when_no_more_will_come() -> None:
    async def given_up() -> AsyncIterator[Worker]:
        yield lost_after(2)
        await asyncio.sleep(0)
        raise JobStopped(PageError.of(ClusterUnavailable("The cluster has gone."), is_fatal=True))

    kept = Kept()
    with pytest.raises(JobStopped) as stopped:
        await run(Job(JobOptions(), {"do": "extract"}, kept), pages(10), given_up())
    assert (stopped.value.error.code, len(kept.records) < 10) == ("cluster_unavailable", True)


async def test_a_job_whose_pages_are_done_ends_without_a_worker() -> None:
    async def never() -> AsyncIterator[Worker]:
        await asyncio.Event().wait()
        yield ScriptedWorker()

    kept = Kept()
    job = Job(JobOptions(), {"do": "extract"}, kept)
    job.resume({"url": url, "ok": True, "do": "extract"} for url in pages(5))
    assert (await run(job, pages(5), never())).skipped == 5
