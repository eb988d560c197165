"""Background tasks and their owner; work that an event may interrupt."""

from __future__ import annotations

import asyncio
import logging

import pytest

from rove.tasks import BackgroundTasks, Interrupted, Interruption, Signal, race, result_of


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


async def test_a_signal_ends_a_block_and_says_which_it_was() -> None:
    one, two = Signal(), Signal()
    asyncio.get_running_loop().call_soon(two.send)
    with pytest.raises(Interrupted) as interrupted, Interruption(one, two):
        await forever()
    assert interrupted.value.index == 1
    assert asyncio.current_task().cancelling() == 0  # type: ignore[union-attr]


async def test_a_block_that_is_over_is_not_interrupted() -> None:
    signal = Signal()
    with Interruption(signal):
        signal.send()  # by the task itself, which then waits for nothing
    await asyncio.sleep(0)
    signal.send()
    await asyncio.sleep(0)


async def test_a_signal_that_is_held_ends_a_block_at_its_first_wait() -> None:
    signal, begun = Signal(), False
    signal.hold()
    with pytest.raises(Interrupted), Interruption(signal):
        begun = True
        await forever()
    assert begun
    signal.clear()
    with Interruption(signal):
        await asyncio.sleep(0)


async def test_a_block_has_a_grace_in_which_it_may_end() -> None:
    signal, answer = Signal(), asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.call_soon(signal.send)
    loop.call_later(0.01, answer.set)
    with Interruption(signal, grace=5):
        await answer.wait()


async def test_a_block_that_takes_long_to_clean_up_is_left() -> None:
    signal = Signal()
    asyncio.get_running_loop().call_soon(signal.send)
    with pytest.raises(Interrupted), Interruption(signal):
        try:
            await forever()
        finally:
            await forever()


async def test_a_cancellation_from_elsewhere_stays_one() -> None:
    signal = Signal()

    async def run() -> None:
        with Interruption(signal):
            await forever()

    task = asyncio.ensure_future(run())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_the_inner_and_the_outer_of_two_blocks_and_a_timeout_are_told_apart() -> None:
    inner, outer = Signal(), Signal()
    loop = asyncio.get_running_loop()
    loop.call_soon(outer.send)
    with pytest.raises(Interrupted) as interrupted, Interruption(outer):
        async with asyncio.timeout(5):
            with Interruption(inner, inner):
                await forever()
    assert interrupted.value.index == 0
    with Interruption(outer), pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            with Interruption(inner):
                await forever()
