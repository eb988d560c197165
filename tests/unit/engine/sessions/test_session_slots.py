"""Places are given in the order in which they were asked for."""

from __future__ import annotations

import asyncio

import pytest

from rove.engine.sessions.session_slots import SessionSlots
from rove.errors import LimitReached, NotOpen
from rove.settings import Limits


def refusal(ahead: int) -> LimitReached:
    return LimitReached("Full.", retry_after=float(ahead))


def places(sessions: int = 1, queue: int = 10, queue_seconds: float = 30) -> SessionSlots:
    return SessionSlots(Limits(sessions=sessions, queue=queue, queue_seconds=queue_seconds), refusal)


async def standing(places: SessionSlots, number: int) -> list[asyncio.Task[None]]:
    """So many more who wait, in this order."""
    tasks = []
    for _ in range(number):
        before = places.waiting
        tasks.append(asyncio.ensure_future(places.take()))
        while places.waiting == before:
            await asyncio.sleep(0)
    return tasks


async def turn(task: asyncio.Task[None]) -> None:
    await asyncio.wait_for(task, 10)


async def test_as_many_as_there_are_are_taken_at_once() -> None:
    line = places(sessions=3)
    for _ in range(3):
        await line.take()
    assert (line.taken, line.waiting) == (3, 0)


async def test_whoever_came_first_is_served_first_and_nobody_gets_in_between() -> None:
    line = places()
    await line.take()
    first, second = await standing(line, 2)
    line.release()
    (third,) = await standing(line, 1)
    await turn(first)
    assert not second.done()
    line.release()
    await turn(second)
    assert not third.done()
    line.release()
    await turn(third)
    line.release()
    assert (line.taken, line.waiting) == (0, 0)


async def test_a_wait_has_an_end_and_the_refusal_says_that_nobody_is_ahead() -> None:
    line = places(queue_seconds=0.05)
    await line.take()
    with pytest.raises(LimitReached) as refused:
        await line.take()
    assert refused.value.retry_after == 0
    assert (line.taken, line.waiting) == (1, 0)


async def test_a_line_that_is_too_long_is_not_joined() -> None:
    line = places(queue=2)
    await line.take()
    waiting = await standing(line, 2)
    with pytest.raises(LimitReached) as refused:
        await line.take()
    assert refused.value.retry_after == 2
    for task in waiting:
        line.release()
        await turn(task)


async def test_who_is_cancelled_leaves_the_line() -> None:
    line = places()
    await line.take()
    gone, patient = await standing(line, 2)
    gone.cancel()
    await asyncio.wait({gone})
    assert line.waiting == 1
    line.release()
    await turn(patient)
    assert line.taken == 1


async def test_a_place_given_to_one_who_is_cancelled_at_that_moment_goes_to_the_next() -> None:
    line = places()
    await line.take()
    gone, patient = await standing(line, 2)
    line.release()
    gone.cancel()
    await asyncio.wait({gone})
    assert gone.cancelled()
    await turn(patient)
    line.release()
    assert (line.taken, line.waiting) == (0, 0)


async def test_when_the_house_closes_whoever_waits_is_told() -> None:
    line = places()
    await line.take()
    waiting = await standing(line, 2)
    line.close(NotOpen("Closed."))
    for task in waiting:
        with pytest.raises(NotOpen):
            await turn(task)
    with pytest.raises(NotOpen):
        await line.take()
