"""Questions of a node: answered by the server that reads, and refused without one."""

from __future__ import annotations

import asyncio

import pytest

from rove.cluster.sessions.relays import Outbox
from rove.errors import ClusterUnavailable, Denied


async def test_without_a_server_a_question_is_refused_at_once() -> None:
    with pytest.raises(ClusterUnavailable):
        await Outbox().ask("approve")


async def test_a_server_answers_or_raises_and_may_go() -> None:
    outbox = Outbox()
    events = outbox.read()
    reading = asyncio.ensure_future(anext(events))
    await asyncio.sleep(0)
    asking = [asyncio.ensure_future(outbox.ask("approve", number)) for number in range(3)]
    told = await reading
    assert [event[3] for event in told] == [(0,), (1,), (2,)]
    outbox.answer(told[0][1], "yes", None)
    outbox.answer(told[1][1], None, Denied("no"))
    assert await asking[0] == "yes"
    with pytest.raises(Denied):
        await asking[1]
    await events.aclose()
    with pytest.raises(ClusterUnavailable):
        await asking[2]


async def test_a_question_that_is_given_up_is_withdrawn() -> None:
    outbox = Outbox()
    events = outbox.read()
    reading = asyncio.ensure_future(anext(events))
    await asyncio.sleep(0)
    asking = asyncio.ensure_future(outbox.ask("approve"))
    ((_, number, *_),) = await reading
    asking.cancel()
    assert await anext(events) == [("withdrawn", number)]
    await events.aclose()
