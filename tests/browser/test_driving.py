"""A person drives a session: mouse, keyboard, touch and paste, hand-off, pause, step and stop, and what is recorded."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.driving_person import DrivingPerson
from tests.site import Site

from rove import Session
from rove.browser.input_event import InputEvent
from rove.engine.people.driver import Lease
from rove.engine.people.handoffs import HandoffRequest
from rove.engine.sessions.session import Session as EngineSession
from rove.engine.sessions.sessions import Sessions
from rove.errors import Denied, HeldByPerson, NotOpen
from rove.settings.tree import Deadlines, Settings

FORM = """<body style="margin: 0"><h1 id=h>Start</h1><label>Name <input id=n></label>
<button onclick="h.textContent = 'Pressed'">Press</button><div id=log></div>
<script>
  for (const kind of ["mousedown", "dblclick", "wheel", "touchstart", "touchend", "keydown", "paste"])
    addEventListener(kind, (e) => log.append(`${kind}:${e.key ?? e.button ?? ""}:${e.ctrlKey ? "ctrl" : ""} `));
</script>"""


class Gateway:
    """People who can be asked, and a watcher of all steps."""

    def __init__(self) -> None:
        self.requests: asyncio.Queue[HandoffRequest] = asyncio.Queue()
        self.ends: list[str] = []
        self.steps: list[Mapping[str, Any]] = []
        self.refused: list[Mapping[str, Any]] = []
        self.sessions: list[str] = []

    def ask(self, request: HandoffRequest) -> None:
        self.requests.put_nowait(request)

    def end(self, request: HandoffRequest, outcome: str) -> None:
        self.ends.append(outcome)

    def step_began(self, step: Mapping[str, Any]) -> None: ...
    def step_ended(self, step: Mapping[str, Any]) -> None:
        self.steps.append(step)

    def session_opened(self, session: str) -> None:
        self.sessions.append(f"opened {session}")

    def session_closed(self, session: str) -> None:
        self.sessions.append(f"closed {session}")

    def session_changed(self, session: str) -> None:
        self.sessions.append(f"changed {session}")

    def guard_refused(self, session: str, refused: Mapping[str, Any]) -> None:
        self.refused.append(refused)


@pytest.fixture
def gateway() -> Gateway:
    return Gateway()


@pytest.fixture(scope="module")
def held_briefly(settings: Settings) -> Settings:
    return replace(settings, deadlines=Deadlines(action=30, launch=60, held=0.3, handoff=20))


@pytest.fixture
async def open_sessions(held_briefly: Settings, gateway: Gateway) -> AsyncGenerator[Sessions]:
    async with Sessions(held_briefly, watcher=gateway, people=gateway) as sessions:
        yield sessions


@pytest.fixture
async def agent(open_sessions: Sessions, site: Site) -> Session:
    """An agent at a page with a form."""
    session = Session(open_sessions, None)
    await session.navigate(site.page("/form", FORM))
    return session


@pytest.fixture
def engine(open_sessions: Sessions, agent: Session) -> EngineSession:
    return open_sessions.session(agent.name)


def journal_of(settings: Settings, session: str = "default") -> str:
    return Path(settings.journal_folder / f"{session}.jsonl").read_text(encoding="utf-8")


def entries(settings: Settings, kind: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in journal_of(settings).splitlines()]
    return [line for line in lines if line["kind"] == kind]


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


async def evaluate_beside(engine: EngineSession, script: str) -> object:
    """Run a script though a person drives, and return its result as it is."""
    return await (await engine.context(print)).tabs[0].evaluate(script)


# Hand-off


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
    handing_off = asyncio.ensure_future(agent.using(timeout=0.5).handoff("Take your time"))
    await gateway.requests.get()
    person = await DrivingPerson.at(engine)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.shield(handing_off), 1)
    person.hand_back()
    assert (await handing_off).result.seconds >= 1


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
    monkeypatch.setattr("rove.engine.people.driver.END_SECONDS", 0.1)
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


# What the person typed


@pytest.mark.parametrize("kind", ["text", "password", "tel"])
async def test_what_the_person_typed_reaches_neither_the_agent_nor_the_journal(
    agent: Session, engine: EngineSession, gateway: Gateway, site: Site, held_briefly: Settings, kind: str
) -> None:
    form = f"<form action=/done><input type={kind} name=q><button>Send</button></form><p id=p></p>"
    echo = "<script>document.querySelector('input').oninput = (e) => { p.textContent = e.target.value }</script>"
    await agent.navigate(site.page("/login", form + echo))
    site.page("/done", "<h1>Welcome</h1><p id=p></p><script>p.textContent = location.search</script>")
    person = await DrivingPerson.at(engine)
    await person.click("e3")
    await person.type("hunter22")
    person.hand_back()
    told = [str(await agent.snapshot()), str(await agent.evaluate("document.querySelector('input').value"))]
    told += [str(await agent.extract("e3", mode="html")), str(await agent.extract(mode="text"))]
    person = await DrivingPerson.at(engine)
    await person.click("e4")
    person.hand_back()
    told += [str(await agent.wait(text="Welcome")), str(await agent.snapshot()), str(await agent.network())]
    told += [str(await agent.status()), journal_of(held_briefly), json.dumps(gateway.steps)]
    assert [text for text in told if "hunter22" in text] == []
    assert site.asked("/done")[0].path == "/done?q=hunter22"


async def test_a_short_value_is_withheld_in_its_field_until_the_agent_fills_it(
    agent: Session, engine: EngineSession
) -> None:
    person = await DrivingPerson.at(engine)
    await person.click("e1")
    await person.type("abc")
    person.hand_back()
    assert "value=(3 hidden characters)" in str((await agent.snapshot()).result)
    await agent.fill("e1", "mine")
    assert 'value="mine"' in str((await agent.snapshot()).result)


async def test_a_person_types_into_a_frame_of_another_site_that_loads_meanwhile(
    agent: Session, engine: EngineSession, site: Site
) -> None:
    field = "<input type=text onfocus='parent.postMessage(1, `*`)'>"
    inner = site.page("/inner", field).replace("127.0.0.1", "localhost")
    person = await DrivingPerson.at(engine)
    await person.click("e2")
    await evaluate_beside(engine, f"document.body.innerHTML = '<iframe src=\"{inner}\"></iframe>'")
    await evaluate_beside(engine, "self.isFocused = false; onmessage = () => { isFocused = true }")
    while not await evaluate_beside(engine, "isFocused"):
        await person.send(InputEvent("mouseDown", 50, 20))
        await person.send(InputEvent("mouseUp", 50, 20))
    await person.type("abc")
    person.hand_back()
    seen = str((await agent.snapshot()).result)
    assert "value=(3 hidden characters)" in seen
    assert "abc" not in seen


async def test_a_screenshot_shows_dots_in_place_of_what_the_person_typed(agent: Session, engine: EngineSession) -> None:
    person = await DrivingPerson.at(engine)
    await person.click("e1")
    await person.type("WWWWWWWW")
    await person.click("e2")  # the caret would blink
    person.hand_back()
    field = "document.getElementById('n')"
    covered = (await agent.screenshot("e1")).attachments[0].data
    assert await evaluate_beside(engine, f"{field}.style.webkitTextSecurity") == ""
    await evaluate_beside(engine, f"{field}.style.webkitTextSecurity = 'disc'")
    dots = (await agent.screenshot("e1")).attachments[0].data
    assert covered == dots


async def test_the_agent_does_not_get_what_the_person_copied(agent: Session, engine: EngineSession) -> None:
    await agent.clipboard("mine")
    person = await DrivingPerson.at(engine)
    await person.click("e1")
    await person.type("abc")
    for key in ("a", "c"):
        code = f"Key{key.upper()}"
        await person.send(InputEvent("keyDown", key=key, code=code, modifiers=("Control",)))
        await person.send(InputEvent("keyUp", key=key, code=code, modifiers=("Control",)))
    person.hand_back()
    assert "mine" in str((await agent.clipboard()).result)
