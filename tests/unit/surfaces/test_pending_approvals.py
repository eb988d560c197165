"""Calls that are held while the user is asked for an approval."""

from __future__ import annotations

import asyncio

import pytest

from rove import ApprovalRequest, Place
from rove.errors import Denied
from rove.outcome import AnyOutcome
from rove.surfaces.mcp.request import Progress
from rove.surfaces.mcp.tool_calls import PendingCall
from rove.tasks import BackgroundTasks

QUESTION = ApprovalRequest("click", "Click e1", {}, "Shall it?", Place("default"))


async def ignore(message: object) -> None:
    pass


def new_call() -> PendingCall:
    return PendingCall("digest", Progress(ignore, {}, BackgroundTasks("the test")))


async def begun_and_asked(error: Exception) -> PendingCall:
    """Begin a call that asks for an approval, and that raises an error when it is cancelled."""
    call = new_call()

    async def run() -> AnyOutcome:
        try:
            await call.answer(QUESTION)
        except asyncio.CancelledError:
            raise error from None
        raise AssertionError("the question is not answered")

    call.begin(run())
    assert await call.outcome() is None
    return call


async def test_an_unexpected_error_of_an_abandoned_call_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    call = await begun_and_asked(RuntimeError("a bug"))
    await call.end()
    (record,) = caplog.records
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], RuntimeError)


async def test_an_expected_error_of_an_abandoned_call_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    call = await begun_and_asked(Denied("No."))
    await call.end()
    assert caplog.records == []


async def test_an_error_that_the_caller_receives_is_not_logged_here(caplog: pytest.LogCaptureFixture) -> None:
    call = new_call()

    async def run() -> AnyOutcome:
        raise RuntimeError("a bug")

    call.begin(run())
    with pytest.raises(RuntimeError, match="a bug"):
        await call.outcome()
    assert caplog.records == []
