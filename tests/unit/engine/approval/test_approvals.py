"""Requests that wait for a person."""

from __future__ import annotations

import asyncio

import pytest

from rove import ApprovalAnswer, ApprovalRequest, Place
from rove.engine.approval import approvals
from rove.engine.approval.approvals import MAX_PENDING, MAX_PER_MINUTE, Approvals
from rove.errors import Denied, LimitReached


def request(session: str = "default") -> ApprovalRequest:
    return ApprovalRequest("click", "Click e1", {"target": "e1"}, "Really?", Place(session, "t1", "https://a.example"),
                           ("https://a.example",))  # fmt: skip


class Slow:
    """Someone who answers when told to."""

    def __init__(self) -> None:
        self.asked: dict[str, asyncio.Future[ApprovalAnswer]] = {}

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.asked[request.id] = asyncio.get_running_loop().create_future()
        return await self.asked[request.id]


class Yes:
    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        return ApprovalAnswer.ONCE


async def waiting(house: Approvals, slow: Slow, *requests: ApprovalRequest) -> list[asyncio.Task[None]]:
    running = [asyncio.ensure_future(house.ask(each, slow)) for each in requests]
    while len(slow.asked) < len(requests):
        await asyncio.sleep(0)
    return running


async def test_a_request_is_pending_until_it_is_answered() -> None:
    house, slow, asked = Approvals(None, 20), Slow(), request()
    (running,) = await waiting(house, slow, asked)
    (pending,) = house.pending
    assert (pending.id, pending.question) == (asked.id, "Really?")
    assert pending.expires > pending.created
    slow.asked[asked.id].set_result(ApprovalAnswer.ONCE)
    await running
    assert house.pending == ()


async def test_equal_requests_are_asked_one_by_one_and_answered_one_by_one() -> None:
    """A yes is to one deed: two equal ones need two."""
    house, slow, one, two = Approvals(None, 20), Slow(), request(), request()
    first, second = await waiting(house, slow, one, two)
    slow.asked[one.id].set_result(ApprovalAnswer.ONCE)
    await first
    assert not second.done()
    slow.asked[two.id].set_result(ApprovalAnswer.NO)
    with pytest.raises(Denied):
        await second


async def test_more_than_a_few_at_once_are_refused_per_session() -> None:
    house, slow = Approvals(None, 20), Slow()
    running = await waiting(house, slow, *(request() for _ in range(MAX_PENDING)))
    with pytest.raises(LimitReached) as caught:
        await house.ask(request(), slow)
    assert "20 s" in caught.value.hint
    assert caught.value.retryable
    await house.ask(request("other"), Yes())
    slow.asked[next(iter(slow.asked))].set_result(ApprovalAnswer.ONCE)
    await running[0]
    await house.ask(request(), Yes())
    for left in running[1:]:
        left.cancel()


async def test_more_than_so_many_a_minute_are_refused_until_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    house = Approvals(None, 20)
    for _ in range(MAX_PER_MINUTE):
        await house.ask(request(), Yes())
    for session in ("default", "other"):
        with pytest.raises(LimitReached) as caught:
            await house.ask(request(session), Yes())
        assert "60 s" in caught.value.hint or "59 s" in caught.value.hint
    monkeypatch.setattr(approvals, "MINUTE", 0.0)
    await house.ask(request(), Yes())


async def test_who_is_not_waited_for_any_more_is_not_pending() -> None:
    house, slow = Approvals(None, 20), Slow()
    (running,) = await waiting(house, slow, request())
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert house.pending == ()


@pytest.mark.parametrize("answer", [ApprovalAnswer.ONCE, ApprovalAnswer.FOR_SESSION])
async def test_a_yes_to_a_session_that_was_closed_meanwhile_is_worth_nothing(answer: ApprovalAnswer) -> None:
    house, slow, asked = Approvals(None, 20), Slow(), request()
    (running,) = await waiting(house, slow, asked)
    house.forget("default")
    slow.asked[asked.id].set_result(answer)
    with pytest.raises(Denied):
        await running
    assert not house.remembers(asked)
