"""A browser that a person runs, and sessions that are attached to it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest
from tests.browser.attachment.tabs import MINE
from tests.person import Person, person_with
from tests.site import Site, serving

from rove import Session
from rove.engine.sessions import Sessions
from rove.settings.tree import Deadlines, Settings


@pytest.fixture
def mine(site: Site) -> str:
    """The page that the person has open, which has set a cookie."""
    return site.page("/mine", MINE, headers={"Set-Cookie": "who=person; Path=/"})


@pytest.fixture
def person(tmp_path: Path, mine: str) -> Generator[Person]:
    with person_with(tmp_path / "profile", mine) as person:
        person.until_titled("Mine")
        yield person


@pytest.fixture
def attached(person: Person, site: Site, tmp_path: Path) -> Settings:
    """Settings that attach to the browser and allow only the test site on this machine."""
    return Settings(
        home=tmp_path / "home",
        attach=person.url,
        allow_host=(f"127.0.0.1:{site.port}",),
        deadlines=Deadlines(action=30, launch=60),
    )


@pytest.fixture
async def sessions(attached: Settings) -> AsyncGenerator[Sessions]:
    async with Sessions(attached) as sessions:
        sessions.start_early()
        yield sessions


@pytest.fixture
def session(sessions: Sessions) -> Session:
    """The default session, which uses the person's own browser context."""
    return Session(sessions, None)


@pytest.fixture
def local_server() -> Generator[Site]:
    """A server on this machine that pages are not allowed to reach."""
    with serving() as local_server:
        local_server.page("/", "<h1>Canary</h1>", headers={"Access-Control-Allow-Origin": "*"})
        yield local_server
