"""Background tasks and their owner; work that an event may interrupt."""

from __future__ import annotations

import asyncio
import logging

import pytest

from rove.tasks import BackgroundTasks, Interrupted, race, result_of


class Expected(Exception):
    """An expected exception, which is not logged."""


async def fail(error: Exception) -> None:
    raise error


async def forever() -> None:
    await asyncio.Event().wait()


async def done(task: asyncio.Task[None]) -> None:
    await asyncio.wait({task})


async def test_a_failed_task_is_logged_with_its_owner_and_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    await done(BackgroundTasks("page 7").start(fail(ValueError("broken"))))
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert "page 7" in record.getMessage()
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], ValueError)


async def test_an_expected_failure_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    await done(BackgroundTasks("page 7", expected=(Expected,)).start(fail(Expected())))
    assert caplog.records == []


async def test_close_cancels_and_awaits_running_tasks() -> None:
    tasks = BackgroundTasks("page 7")
    cleaned_up = asyncio.Event()

    async def run() -> None:
        try:
            await forever()
        finally:
            await asyncio.sleep(0)
            cleaned_up.set()

    task = tasks.start(run())
    await asyncio.sleep(0)
    await tasks.close()
    assert task.cancelled()
    assert cleaned_up.is_set()


async def test_a_task_that_closes_its_own_owner_does_not_wait_for_itself() -> None:
    tasks = BackgroundTasks("page 7")
    task = tasks.start(tasks.close())
    await asyncio.wait_for(asyncio.wait({task}), 10)
    assert task.done()


async def test_a_task_started_after_close_is_cancelled_at_once() -> None:
    tasks = BackgroundTasks("page 7")
    await tasks.close()
    task = tasks.start(forever())
    await done(task)
    assert task.cancelled()


async def test_a_race_returns_the_result_of_the_work_and_cancels_the_interrupts() -> None:
    interrupt = asyncio.ensure_future(forever())
    assert await race(asyncio.sleep(0, "result"), interrupt) == "result"
    await asyncio.wait({interrupt})
    assert interrupt.cancelled()


async def test_a_race_raises_the_exception_of_the_work() -> None:
    with pytest.raises(ValueError, match="broken"):
        await race(fail(ValueError("broken")), forever())


async def test_an_interrupt_cancels_the_work_and_is_named_in_the_exception() -> None:
    work = asyncio.ensure_future(forever())
    with pytest.raises(Interrupted) as interrupted:
        await race(work, forever(), asyncio.sleep(0, "dialog"))
    assert (interrupted.value.index, interrupted.value.result) == (1, "dialog")
    assert work.cancelled()


async def test_a_race_returns_work_that_ends_within_the_grace_after_an_interrupt() -> None:
    interrupted = asyncio.Event()

    async def work() -> str:
        await interrupted.wait()
        return "result"

    async def interrupt() -> None:
        interrupted.set()

    assert await race(work(), interrupt(), grace=10) == "result"


async def test_cancelling_a_race_cancels_the_work_and_the_interrupts() -> None:
    work, interrupt = asyncio.ensure_future(forever()), asyncio.ensure_future(forever())
    racing = asyncio.ensure_future(race(work, interrupt))
    await asyncio.sleep(0)
    racing.cancel()
    await asyncio.wait({racing, work, interrupt})
    assert racing.cancelled()
    assert work.cancelled()
    assert interrupt.cancelled()


async def test_a_task_that_its_owner_cancels_is_the_given_error_to_its_waiter() -> None:
    tasks = BackgroundTasks("page 7")
    waiting = asyncio.ensure_future(result_of(tasks.start(forever()), Expected("the page is closed")))
    await asyncio.sleep(0)
    await tasks.close()
    with pytest.raises(Expected):
        await waiting


async def test_a_waiter_that_is_cancelled_leaves_the_task_running() -> None:
    task = asyncio.ensure_future(forever())
    waiting = asyncio.ensure_future(result_of(task, Expected()))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait({waiting})
    assert waiting.cancelled()
    assert not task.done()
    task.cancel()


async def test_finish_waits_for_tasks_that_end_by_themselves() -> None:
    tasks = BackgroundTasks("page 7")
    task = tasks.start(asyncio.sleep(0, "done"))
    await tasks.finish(10)
    assert task.result() == "done"
