"""What a person types reaches neither the agent nor the journal."""

from __future__ import annotations

import json

import pytest
from tests.browser.driving.people import Gateway, evaluate_beside, journal_of
from tests.driving_person import DrivingPerson
from tests.site import Site

from rove import Session
from rove.browser.input_event import InputEvent
from rove.engine.session import Session as EngineSession
from rove.settings.tree import Settings


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
