"""Slots are given in the order in which callers asked for them."""

from __future__ import annotations

import asyncio

import pytest

from rove.engine.admission import SessionSlots
from rove.errors import LimitReached, NotOpen
from rove.settings.tree import Limits


def limit_error(ahead: int) -> LimitReached:
    return LimitReached("Full.", retry_after=float(ahead))


def new_slots(sessions: int = 1, queue: int = 10, queue_seconds: float = 30) -> SessionSlots:
    return SessionSlots(Limits(sessions=sessions, queue=queue, queue_seconds=queue_seconds), limit_error)


async def start_waiting(slots: SessionSlots, number: int) -> list[asyncio.Task[None]]:
    """Start `number` more callers that wait for a slot, in this order."""
    tasks = []
    for _ in range(number):
        before = slots.waiting
        tasks.append(asyncio.ensure_future(slots.take()))
        while slots.waiting == before:
            await asyncio.sleep(0)
    return tasks


async def finish(task: asyncio.Task[None]) -> None:
    await asyncio.wait_for(task, 10)


async def test_free_slots_are_taken_at_once() -> None:
    slots = new_slots(sessions=3)
    for _ in range(3):
        await slots.take()
    assert (slots.taken, slots.waiting) == (3, 0)


async def test_the_caller_that_asked_first_gets_the_first_free_slot() -> None:
    slots = new_slots()
    await slots.take()
    first, second = await start_waiting(slots, 2)
    slots.release()
    (third,) = await start_waiting(slots, 1)
    await finish(first)
    assert not second.done()
    slots.release()
    await finish(second)
    assert not third.done()
    slots.release()
    await finish(third)
    slots.release()
    assert (slots.taken, slots.waiting) == (0, 0)


async def test_a_caller_that_waits_too_long_is_refused_with_no_caller_ahead_of_it() -> None:
    slots = new_slots(queue_seconds=0.05)
    await slots.take()
    with pytest.raises(LimitReached) as refused:
        await slots.take()
    assert refused.value.retry_after == 0
    assert (slots.taken, slots.waiting) == (1, 0)


async def test_a_full_queue_refuses_the_next_caller() -> None:
    slots = new_slots(queue=2)
    await slots.take()
    waiting = await start_waiting(slots, 2)
    with pytest.raises(LimitReached) as refused:
        await slots.take()
    assert refused.value.retry_after == 2
    for task in waiting:
        slots.release()
        await finish(task)


async def test_a_cancelled_caller_leaves_the_queue() -> None:
    slots = new_slots()
    await slots.take()
    cancelled, patient = await start_waiting(slots, 2)
    cancelled.cancel()
    await asyncio.wait({cancelled})
    assert slots.waiting == 1
    slots.release()
    await finish(patient)
    assert slots.taken == 1


async def test_a_slot_given_to_a_caller_at_the_moment_of_its_cancellation_goes_to_the_next() -> None:
    slots = new_slots()
    await slots.take()
    cancelled, patient = await start_waiting(slots, 2)
    slots.release()
    cancelled.cancel()
    await asyncio.wait({cancelled})
    assert cancelled.cancelled()
    await finish(patient)
    slots.release()
    assert (slots.taken, slots.waiting) == (0, 0)


async def test_closing_raises_the_error_in_callers_that_wait_and_in_later_ones() -> None:
    slots = new_slots()
    await slots.take()
    waiting = await start_waiting(slots, 2)
    slots.close(NotOpen("Closed."))
    for task in waiting:
        with pytest.raises(NotOpen):
            await finish(task)
    with pytest.raises(NotOpen):
        await slots.take()
