"""G6: A video shows nothing that the agent may not see: denied pages and frames, and what a person types."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.driving_person import DrivingPerson
from tests.site import OWN_SITES, Site
from tests.videos import BLUE, GREEN, GREY, RED, pictures, recorded

from rove import PolicyRule, RulePolicy, Session, Settings
from rove.engine.sessions import Sessions

COLOURED = "<body style='margin: 0; background: {0}'><input style='background: {0}'>"
FRAME = "<iframe src='{}' style='position: fixed; inset: 0; width: 100%; height: 100%; border: 0'></iframe>"
# Red while the person has typed an odd number of letters.
TELLING = """<script>
  oninput = (event) => { document.body.style.background = event.target.value.length % 2 ? 'red' : 'green' }
</script>"""


@pytest.fixture(scope="module")
async def denied(home: Path) -> AsyncGenerator[Sessions]:
    """Sessions whose agent may act everywhere, and read everywhere but at `localhost`."""
    rule = PolicyRule("deny", effect=("read", "script"), origin=("http://localhost:*",))
    async with Sessions(Settings(allow_host=OWN_SITES, home=home / "denied-videos"), RulePolicy((rule,))) as sessions:
        yield sessions


async def test_a_page_or_frame_that_may_not_be_read_is_not_recorded(denied: Sessions, site: Site) -> None:
    agent = Session(denied, None)
    site.page("/red", COLOURED.format("red"))
    hidden = site.url("/red", host="localhost")
    await agent.navigate(site.page("/green", COLOURED.format("green")))
    path = (await agent.start_video()).result.path
    await recorded(path, lambda shown: shown.is_(GREEN))
    await agent.navigate(hidden)
    await recorded(path, lambda shown: shown.is_(GREY))
    await agent.navigate(site.page("/blue", COLOURED.format("blue")))
    await recorded(path, lambda shown: shown.is_(BLUE))
    await agent.navigate(site.page("/frame", COLOURED.format("green") + FRAME.format(hidden)))
    await recorded(path, lambda shown: shown.is_(GREY))
    (video,) = (await agent.stop_video()).result.videos
    assert video.withheld > 0 and not any(shown.is_(RED) for shown in pictures(path))


async def test_nothing_is_recorded_while_a_person_drives(sessions: Sessions, session: Session, site: Site) -> None:
    await session.navigate(site.page("/", COLOURED.format("green") + TELLING))
    path = (await session.start_video()).result.path
    await recorded(path, lambda shown: shown.is_(GREEN))
    person = await DrivingPerson.at(sessions.session(session.name))
    await recorded(path, lambda shown: shown.is_(GREY))
    await person.click("e1")
    await person.type("abcd")
    person.hand_back()
    await recorded(path, lambda shown: shown.is_(GREEN))
    await session.stop_video()
    assert not any(shown.is_(RED) for shown in pictures(path))
    # What the person typed stays covered, as in screenshots.
    covered = "getComputedStyle(document.querySelector('input')).webkitTextSecurity"
    assert (await session.evaluate(covered)).result.value == "disc"
