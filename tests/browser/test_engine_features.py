"""The features of contract line C7 that an engine has not, or in part: each is refused with the reason."""

from __future__ import annotations

import json
from collections.abc import Awaitable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.site import Site

from rove import Session
from rove.engine.sessions import Sessions
from rove.errors import Unsupported
from rove.settings.sections import EngineName
from rove.settings.tree import Settings

AGENTS = {"chromium": "Chrome/", "firefox": "Firefox/", "webkit": "Version/"}
NOT_WEBKIT = "it is about WebKit"


async def refusal(attempt: Awaitable[Any]) -> Unsupported:
    """Return how an attempt is refused: with the code of its kind, and with what to do instead."""
    with pytest.raises(Unsupported) as caught:
        await attempt
    assert caught.value.code == "unsupported"
    assert "chromium" in str(caught.value.hint)
    return caught.value


@pytest.mark.contract("C7")
@pytest.mark.feature("Sessions on the engine", works=("chromium", "firefox"))
@pytest.mark.feature("Sessions on the engine", part=("webkit",), reason="a page can change what rove reads of it")
async def test_a_session_of_the_engine_reads_and_acts(session: Session, site: Site, engine_name: EngineName) -> None:
    said = "<label>Name <input id=who></label><button onclick='said.textContent = who.value'>Greet</button><p id=said>"
    first = await session.navigate(site.page("/", said))
    assert 'textbox "Name"' in first.changes.text
    await session.fill('textbox "Name"', "Ada")
    assert "Ada" in (await session.click('button "Greet"')).changes.text
    assert AGENTS[engine_name] in site.asked("/")[0].headers["User-Agent"]


@pytest.mark.engines("webkit", reason=NOT_WEBKIT)
@pytest.mark.contract("C7")
@pytest.mark.feature(
    "Mobile emulation", no=("webkit",), reason="WebDriver has no command for it; `resize` sets the viewport"
)
async def test_emulation_of_a_device_is_refused(session: Session) -> None:
    for attempt in (session.emulate("iPhone 17"), session.emulate(color_scheme="dark"), session.emulate(density=2)):
        await refusal(attempt)


@pytest.mark.engines("webkit", reason=NOT_WEBKIT)
@pytest.mark.contract("C7")
@pytest.mark.feature("Request interception", no=("webkit",), reason="WebDriver reports no requests")
async def test_rules_for_requests_are_refused(session: Session, site: Site) -> None:
    await refusal(session.intercept(url=site.url("/data"), body="mocked"))
    await session.navigate(site.page("/data", "real"))
    assert (await session.extract()).result.content == ("real",)
    assert str((await session.intercept("list")).result) == "There are no rules."


@pytest.mark.engines("webkit", reason=NOT_WEBKIT)
@pytest.mark.contract("C7")
@pytest.mark.feature("PDF", no=("webkit",), reason="WebKitWebDriver cannot print")
async def test_printing_is_refused(session: Session, site: Site, settings: Settings) -> None:
    await session.navigate(site.page("/", "<title>Tea</title>"))
    await refusal(session.pdf())
    assert not list(settings.workspace_folder.rglob("Tea*.pdf"))


@pytest.mark.engines("webkit", reason=NOT_WEBKIT)
@pytest.mark.contract("C7")
@pytest.mark.feature("Geolocation and permissions", no=("webkit",), reason="WebDriver has no command for it")
async def test_places_and_permissions_are_refused(session: Session, site: Site) -> None:
    await refusal(session.emulate(latitude=52.5, longitude=13.4))
    await refusal(session.permissions(site.url("").rstrip("/"), ("geolocation",)))


@pytest.mark.engines("webkit", reason=NOT_WEBKIT)
@pytest.mark.contract("C7")
@pytest.mark.feature("Performance profile", no=("webkit",), reason="WebDriver does not reach WebKit's profiler")
async def test_profiles_are_refused(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Page</p>"))
    assert "web_vitals" in (await refusal(session.profile())).hint
    await refusal(session.profile_start())
    assert len(site.asked("/")) == 1  # the page was not loaded again


@pytest.mark.engines("webkit", reason=NOT_WEBKIT)
@pytest.mark.contract("C7")
@pytest.mark.feature("Accessibility audit", no=("webkit",), reason="a page could change what is found")
async def test_audits_are_refused(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<img src=/logo.png>"))
    assert "firefox" in (await refusal(session.audit())).hint


@pytest.mark.engines("firefox", "webkit", reason="extensions belong to profiles, which it has")
@pytest.mark.contract("C7")
@pytest.mark.feature("Extensions", no=("firefox",), reason="Firefox would run one in the pages of all sessions")
@pytest.mark.feature("Extensions", no=("webkit",), reason="WebKitGTK has none")
async def test_extensions_are_refused_before_a_browser_starts(settings: Settings, tmp_path: Path, site: Site) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps({"manifest_version": 3, "name": "Notes", "version": "1"}))
    own = replace(settings, home=tmp_path / "home", profile="work", extension=(str(folder),))
    async with Sessions(own) as sessions:
        await refusal(Session(sessions, None).navigate(site.page("/", "<p>Page</p>")))
    assert site.requests == []
