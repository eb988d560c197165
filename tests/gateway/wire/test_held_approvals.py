"""Decisions that wait for a call to be made again, or that hold for a session: for the same thing, and no longer."""

from __future__ import annotations

import asyncio

import pytest
from tests.gateway.clients import running_gateway

from rove.errors import Denied
from rove.guard.policy import ApprovalAnswer, ApprovalRequest, Place, ShownElement
from rove.surfaces.gateway.approvals import ApprovalInbox, Decision, ToolQuestion
from rove.surfaces.gateway.events import Events

ORIGIN = "https://shop.example"
YES = Decision(ApprovalAnswer.ONCE, "the owner")


def inbox() -> ApprovalInbox:
    return ApprovalInbox(Events(), 60)


def click(line: str, identity: int) -> ApprovalRequest:
    shown = (ShownElement("target", f"e{identity}", line, identity),)
    return ApprovalRequest(
        "click", "Click #go", {"target": "#go"}, "May it?", Place("buying", "t1", ORIGIN), (ORIGIN,), shown
    )


def batch(*steps: ApprovalRequest) -> ApprovalRequest:
    arguments = {"steps": [{"action": step.action, **step.arguments} for step in steps]}
    return ApprovalRequest(
        "batch", "2 steps", arguments, "May it?", steps[0].place, (ORIGIN,), steps=steps, expires=4e9
    )


async def approve_later(box: ApprovalInbox, request: ApprovalRequest) -> None:
    """Make a request that does not wait, then approve it."""
    with pytest.raises(Denied):
        await box.answer_or_link(request, 0)
    box.decide(request.id, YES)


async def test_a_yes_for_a_batch_is_for_the_elements_that_were_shown() -> None:
    box = inbox()
    await approve_later(box, batch(click("button Save", 1), click("button Save", 1)))
    with pytest.raises(Denied, match="approve this first"):
        await box.answer_or_link(batch(click("button Pay", 2), click("button Pay", 2)), 0)
    same = batch(click("button Save", 1), click("button Save", 1))
    assert await box.answer_or_link(same, 0) is ApprovalAnswer.ONCE


async def test_a_yes_ends_with_its_session_though_it_was_not_used() -> None:
    box = inbox()
    await approve_later(box, batch(click("button Save", 1), click("button Save", 1)))
    box.forget("buying")
    with pytest.raises(Denied, match="approve this first"):
        await box.answer_or_link(batch(click("button Save", 1), click("button Save", 1)), 0)


async def test_a_yes_for_a_session_ends_when_an_agent_closes_it() -> None:
    question = ToolQuestion("shopping", None, "browser", "Click", {}, (ORIGIN,), "click")
    async with running_gateway() as running, running.client() as person:
        gateway = running.gateway
        await person.call("sessions.create", name="shopping")
        asking = asyncio.ensure_future(gateway.approvals.ask(question))
        first = (await person.event("exec.approval_request"))["approvalId"]
        await person.call("exec.approve", approvalId=first, remember="session")
        await asking
        await gateway.sessions.owned_by(None).close_session("shopping")
        await person.call("sessions.create", name="shopping")
        asking = asyncio.ensure_future(gateway.approvals.ask(question))
        await asyncio.wait({asking}, timeout=0.2)
        assert len((await person.call("approvals.list"))["approvals"]) == 1
        asking.cancel()


async def test_a_request_whose_caller_has_gone_before_it_was_shown_does_not_wait() -> None:
    box, begun = inbox(), asyncio.Event()

    async def slow(session: str, data: object) -> None:
        begun.set()
        await asyncio.Event().wait()

    box.illustrate = slow
    asking = asyncio.ensure_future(box.answer(click("button Save", 1)))
    await begun.wait()
    asking.cancel()
    await asyncio.wait({asking})
    assert box.pending == []
