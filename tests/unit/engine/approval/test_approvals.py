"""Approval requests that wait for a person."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from rove import ApprovalAnswer, ApprovalRequest, Place
from rove.engine import gate as approvals_module
from rove.engine.gate import MAX_PENDING, MAX_PER_MINUTE, Approvals, AsksOnce
from rove.errors import Denied, LimitReached


def request(session: str = "default") -> ApprovalRequest:
    return ApprovalRequest("click", "Click e1", {"target": "e1"}, "Really?", Place(session, "t1", "https://a.example"),
                           ("https://a.example",))  # fmt: skip


class ManualApprover:
    """An approver that answers when the test sets its answer."""

    def __init__(self) -> None:
        self.asked: dict[str, asyncio.Future[ApprovalAnswer]] = {}

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.asked[request.id] = asyncio.get_running_loop().create_future()
        return await self.asked[request.id]


class AlwaysYes:
    """An approver that approves at once."""

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        return ApprovalAnswer.ONCE


class AlwaysNo:
    """An approver that denies at once."""

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        return ApprovalAnswer.NO


async def start_asking(
    approvals: Approvals, approver: ManualApprover, *requests: ApprovalRequest
) -> list[asyncio.Task[None]]:
    running = [asyncio.ensure_future(approvals.ask(each, approver)) for each in requests]
    while len(approver.asked) < len(requests):
        await asyncio.sleep(0)
    return running


async def test_a_request_is_pending_until_it_is_answered() -> None:
    approvals, approver, asked = Approvals(None, 20), ManualApprover(), request()
    (running,) = await start_asking(approvals, approver, asked)
    (pending,) = approvals.pending
    assert (pending.id, pending.question) == (asked.id, "Really?")
    assert pending.expires > pending.created
    approver.asked[asked.id].set_result(ApprovalAnswer.ONCE)
    await running
    assert approvals.pending == ()


async def test_equal_requests_are_asked_one_by_one_and_answered_one_by_one() -> None:
    """A yes approves one action: two equal ones need two answers."""
    approvals, approver, one, two = Approvals(None, 20), ManualApprover(), request(), request()
    first, second = await start_asking(approvals, approver, one, two)
    approver.asked[one.id].set_result(ApprovalAnswer.ONCE)
    await first
    assert not second.done()
    approver.asked[two.id].set_result(ApprovalAnswer.NO)
    with pytest.raises(Denied):
        await second


async def test_a_session_may_have_only_a_few_pending_requests() -> None:
    approvals, approver = Approvals(None, 20), ManualApprover()
    running = await start_asking(approvals, approver, *(request() for _ in range(MAX_PENDING)))
    with pytest.raises(LimitReached) as caught:
        await approvals.ask(request(), approver)
    assert "20 s" in caught.value.hint
    assert caught.value.retryable
    await approvals.ask(request("other"), AlwaysYes())
    approver.asked[next(iter(approver.asked))].set_result(ApprovalAnswer.ONCE)
    await running[0]
    await approvals.ask(request(), AlwaysYes())
    for left in running[1:]:
        left.cancel()


async def test_a_person_is_asked_a_limited_number_of_times_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    approvals = Approvals(None, 20)
    for _ in range(MAX_PER_MINUTE):
        await approvals.ask(request(), AlwaysYes())
    approvals.forget("default")  # its name may be used again
    with pytest.raises(LimitReached) as caught:
        await approvals.ask(request(), AlwaysYes())
    assert "60 s" in caught.value.hint or "59 s" in caught.value.hint
    await approvals.ask(request("other"), AlwaysYes())
    monkeypatch.setattr(approvals_module, "MINUTE", 0.0)
    await approvals.ask(request(), AlwaysYes())


async def test_only_an_approved_batch_of_a_tool_that_asks_about_every_call_is_not_counted() -> None:
    place = Place("default", "t1", "https://a.example")
    batch = ApprovalRequest("batch", "1 browser action(s)", {"steps": [{"action": "back"}]}, "Really?", place)
    approvals = Approvals(None, 20)
    for _ in range(MAX_PER_MINUTE + 5):
        await approvals.ask(batch, AsksOnce(AlwaysYes()))
    for _ in range(MAX_PER_MINUTE):
        with pytest.raises(Denied):
            await approvals.ask(batch, AsksOnce(AlwaysNo()))
    with pytest.raises(LimitReached):
        await approvals.ask(batch, AsksOnce(AlwaysYes()))
    with pytest.raises(LimitReached):  # a tool that asks because of the policy is counted, whatever the answer is
        for _ in range(MAX_PER_MINUTE + 1):
            await approvals.ask(replace(batch, place=replace(place, session="other")), AlwaysYes())


async def test_a_cancelled_request_is_not_pending() -> None:
    approvals, approver = Approvals(None, 20), ManualApprover()
    (running,) = await start_asking(approvals, approver, request())
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert approvals.pending == ()


@pytest.mark.parametrize("answer", [ApprovalAnswer.ONCE, ApprovalAnswer.FOR_SESSION])
async def test_a_yes_for_a_session_that_was_closed_meanwhile_denies(answer: ApprovalAnswer) -> None:
    approvals, approver, asked = Approvals(None, 20), ManualApprover(), request()
    (running,) = await start_asking(approvals, approver, asked)
    approvals.forget("default")
    approver.asked[asked.id].set_result(answer)
    with pytest.raises(Denied):
        await running
    assert not approvals.remembers(asked)
