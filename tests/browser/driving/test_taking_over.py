"""A person drives a session: mouse, keyboard, touch and paste; pause, step and stop; and what is recorded."""

from __future__ import annotations

import asyncio

import pytest
from tests.browser.driving.people import Gateway, entries, evaluate_beside
from tests.driving_person import DrivingPerson
from tests.site import Site

from rove import Session
from rove.browser.input_event import InputEvent
from rove.engine.people import Lease
from rove.engine.session import Session as EngineSession
from rove.engine.sessions import Sessions
from rove.errors import Denied, HeldByPerson, NotOpen
from rove.settings.tree import Settings


async def test_a_person_clicks_types_scrolls_touches_and_pastes(agent: Session, engine: EngineSession) -> None:
    person = await DrivingPerson.at(engine)
    await person.click("e2")
    await person.click("e1")
    await person.type("ab")
    await person.send(InputEvent("paste", text="cd"))
    await person.send(InputEvent("text", text="é"))
    await person.send(InputEvent("wheel", 50, 50, deltaY=10))
    await person.send(InputEvent("mouseDown", 400, 300, count=2))
    await person.send(InputEvent("mouseUp", 400, 300, count=2))
    await person.send(InputEvent("touchStart", 400, 300))
    await person.send(InputEvent("touchEnd", 400, 300))
    seen = str(await evaluate_beside(engine, "[h.textContent, n.value, log.textContent].join('|')"))
    assert "Pressed|abcdé|" in seen
    for happened in ("keydown:a:", "paste:", "keydown:v:ctrl", "wheel:", "dblclick:0", "touchstart:", "touchend:"):
        assert happened in seen


async def test_only_the_lease_drives(agent: Session, engine: EngineSession) -> None:
    with pytest.raises(Denied, match="do not drive"):
        await engine.drive(Lease("Mallory"), InputEvent("mouseDown", 1, 1))
    await engine.driver.take("Ada")
    with pytest.raises(Denied):
        await engine.drive(Lease("Ada"), InputEvent("mouseDown", 1, 1))


async def test_the_agent_neither_acts_nor_reads_while_a_person_drives(agent: Session, engine: EngineSession) -> None:
    person = await DrivingPerson.at(engine)
    for call in (agent.click("e2"), agent.snapshot(), agent.tabs(), agent.status(), agent.close_session()):
        with pytest.raises(HeldByPerson, match="Ada drives"):
            await call
    person.hand_back()
    assert 'heading "Start"' in str((await agent.snapshot()).result)


async def test_another_session_cannot_close_the_one_that_a_person_drives(
    agent: Session, engine: EngineSession, open_sessions: Sessions
) -> None:
    await engine.driver.take("Ada")
    with pytest.raises(HeldByPerson):
        await (await agent.another("other")).close_session("default")


async def test_what_the_person_did_is_told_as_what_changed(agent: Session, engine: EngineSession) -> None:
    person = await DrivingPerson.at(engine)
    await person.click("e2")
    person.hand_back()
    outcome = await agent.click("e1")
    assert 'heading "Pressed"' in outcome.earlier.text


async def test_a_button_that_the_person_holds_is_released_when_they_hand_back(
    agent: Session, engine: EngineSession
) -> None:
    person = await DrivingPerson.at(engine)
    await evaluate_beside(engine, "onmouseup = () => h.textContent = 'Released'")
    await person.send(InputEvent("mouseDown", 400, 300))
    person.hand_back()
    await agent.wait(text="Released")


# Pause, step and stop


async def test_step_runs_one_step_of_a_batch(agent: Session, engine: EngineSession) -> None:
    engine.driver.pause()
    engine.driver.step()
    steps = ({"action": "click", "target": "e2"}, {"action": "fill", "target": "e1", "value": "no"})
    with pytest.raises(HeldByPerson, match="paused"):
        await agent.batch(steps)
    engine.driver.resume()
    seen = str((await agent.snapshot()).result)
    assert "Pressed" in seen
    assert 'value="no"' not in seen


async def test_stop_ends_the_running_action_and_keeps_the_page(agent: Session, engine: EngineSession) -> None:
    waiting = asyncio.ensure_future(agent.wait(seconds=30))
    while engine.driver._running == 0:
        await asyncio.sleep(0.01)
    engine.driver.stop("Ada")
    with pytest.raises(HeldByPerson, match="stopped"):
        await waiting
    engine.driver.resume()
    assert 'heading "Start"' in str((await agent.snapshot()).result)


async def test_taking_over_ends_an_action_that_waits(
    agent: Session, engine: EngineSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rove.engine.people.END_SECONDS", 0.1)
    waiting = asyncio.ensure_future(agent.wait(seconds=30))
    while engine.driver._running == 0:
        await asyncio.sleep(0.01)
    person = await DrivingPerson.at(engine)
    with pytest.raises(HeldByPerson, match="took the session over"):
        await waiting
    await person.click("e2")


# The record


async def test_each_burst_of_acts_is_one_entry_of_the_person(
    agent: Session, engine: EngineSession, gateway: Gateway, held_briefly: Settings
) -> None:
    before = len(gateway.steps)
    person = await DrivingPerson.at(engine)
    await person.click("e1")
    await person.type("Grace Hopper")
    person.hand_back()
    await agent.snapshot()
    (step,) = [step for step in gateway.steps[before:] if step["actor"] == "person"]
    assert (step["action"], step["outcome"], step["tab"]) == ("drive", "done", "t1")
    assert step["arguments"] == {"person": "Ada", "clicks": 1, "keys": 12}
    assert step["url"].endswith("/form")
    assert [entry["event"] for entry in entries(held_briefly, "driver")][-2:] == ["taken", "released"]


async def test_a_surface_is_told_of_sessions_and_of_what_the_guard_refused(
    agent: Session, gateway: Gateway, site: Site
) -> None:
    await agent.navigate(site.page("/bad", "<img src='http://10.1.2.3:8000/x.png'>"))
    await agent.wait(load="load")
    refused = gateway.refused[-1]
    assert (refused["host"], refused["reason"]) == ("10.1.2.3:8000", "private")
    assert refused["flag"] == "--allow-host 10.1.2.3:8000"
    assert gateway.sessions[0] == "opened default"
    assert "changed default" in gateway.sessions
    await agent.close_session()
    assert gateway.sessions[-1] == "closed default"


async def test_a_person_cannot_drive_a_session_without_a_page(open_sessions: Sessions) -> None:
    session = open_sessions.session(None)
    with pytest.raises(NotOpen):
        await session.drive(await session.driver.take("Ada"), InputEvent("mouseDown", 1, 1))
