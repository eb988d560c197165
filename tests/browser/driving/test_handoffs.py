"""The agent hands a session to a person, who takes it, declines, or does not come."""

from __future__ import annotations

import asyncio

import pytest
from tests.browser.driving.people import Gateway
from tests.driving_person import DrivingPerson

from rove import Session
from rove.engine.session import Session as EngineSession
from rove.engine.sessions import Sessions
from rove.errors import Denied, NotOpen


async def test_a_hand_off_waits_for_the_person_and_answers_with_what_changed(
    agent: Session, engine: EngineSession, gateway: Gateway
) -> None:
    handing_off = asyncio.ensure_future(agent.handoff("Press the button"))
    request = await gateway.requests.get()
    assert (request.reason, request.session, request.tab) == ("Press the button", "default", "t1")
    assert engine.handoffs.pending == (request,)
    person = await DrivingPerson.at(engine)
    await person.click("e2")
    assert not handing_off.done()
    person.hand_back()
    outcome = await handing_off
    assert outcome.result.person == "Ada"
    assert 'heading "Pressed"' in outcome.changes.text
    assert gateway.ends == ["done"]
    assert not engine.handoffs.pending


async def test_a_hand_off_takes_longer_than_a_call_may(agent: Session, engine: EngineSession, gateway: Gateway) -> None:
    handing_off = asyncio.ensure_future(agent.using(timeout=3).handoff("Take your time"))
    await gateway.requests.get()
    person = await DrivingPerson.at(engine)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.shield(handing_off), 3.2)
    person.hand_back()
    assert (await handing_off).result.seconds >= 3


async def test_a_hand_off_without_people_says_how_to_bring_one(session: Session) -> None:
    with pytest.raises(Denied) as raised:
        await session.handoff("Log in")
    assert "rove serve" in raised.value.hint


async def test_a_hand_off_that_no_person_takes_expires(agent: Session, gateway: Gateway) -> None:
    with pytest.raises(Denied, match=r"No person took over within 0\.1 s"):
        await agent.handoff("Log in", timeout=0.1)
    assert gateway.ends == ["expired"]


async def test_a_person_may_decline_and_the_agent_is_told_why(
    agent: Session, engine: EngineSession, gateway: Gateway
) -> None:
    handing_off = asyncio.ensure_future(agent.handoff("Pay"))
    assert engine.handoffs.decline((await gateway.requests.get()).id, "too expensive")
    with pytest.raises(Denied, match="too expensive"):
        await handing_off
    assert gateway.ends == ["declined"]


async def test_a_hand_off_that_is_cancelled_is_taken_back(agent: Session, gateway: Gateway) -> None:
    handing_off = asyncio.ensure_future(agent.handoff("Log in"))
    await gateway.requests.get()
    handing_off.cancel()
    await asyncio.wait({handing_off})
    assert gateway.ends == ["cancelled"]


async def test_a_hand_off_ends_when_its_session_is_closed(
    agent: Session, gateway: Gateway, open_sessions: Sessions
) -> None:
    handing_off = asyncio.ensure_future(agent.handoff("Log in"))
    await gateway.requests.get()
    await open_sessions.close_session("default")
    with pytest.raises(NotOpen):
        await handing_off
    assert gateway.ends == ["cancelled"]
