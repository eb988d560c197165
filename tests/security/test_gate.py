"""G5, G6: What is denied never reaches the server: asserted on what it was asked, not on what is on the page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.site import OWN_SITES, Site

from rove import Allow, ApprovalAnswer, ApprovalRequest, Ask, Deny, Place, RoveError, Session, Settings
from rove.action import AnyAction, Effect
from rove.actions.navigation import Navigate
from rove.engine.sessions.sessions import Sessions
from rove.errors import Denied, JournalFailed
from rove.guard.policy.policy import Decision


class Ledger:
    """A policy and an approver in one: rules by path, and a person whose answers are set beforehand."""

    def __init__(self) -> None:
        self.says: ApprovalAnswer | Exception = ApprovalAnswer.NO
        self.asked: list[ApprovalRequest] = []

    def decide(self, action: AnyAction, place: Place) -> Decision:
        if action.effect is Effect.SCRIPT:
            return Deny("No scripts.")
        where = action.destination or ""
        if "/broken" in where:
            raise RuntimeError("the policy is broken")
        if "/private" in where:
            return Deny("Private.")
        return Ask("May I?") if "/ask" in where else Allow()

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.asked.append(request)
        if isinstance(self.says, Exception):
            raise self.says
        return self.says


@pytest.fixture
def ledger(guarded: tuple[Session, Ledger]) -> Ledger:
    guarded[1].says = ApprovalAnswer.NO
    guarded[1].asked.clear()
    return guarded[1]


@pytest.fixture
def watched(guarded: tuple[Session, Ledger]) -> Session:
    return guarded[0]


@pytest.fixture(scope="module")
async def guarded(home: Path) -> AsyncGenerator[tuple[Session, Ledger]]:
    ledger = Ledger()
    async with Sessions(Settings(allow_host=OWN_SITES, home=home), ledger, ledger) as sessions:
        yield Session(sessions, None), ledger


def paths(site: Site) -> list[str]:
    return [request.path for request in site.requests if request.path != "/favicon.ico"]


@pytest.mark.parametrize("path", ["/private", "/broken", "/ask"])
async def test_a_denied_navigation_asks_the_server_nothing(
    watched: Session, ledger: Ledger, site: Site, path: str
) -> None:
    url = site.page(path, "<p>Secret</p>")
    with pytest.raises(Denied):
        await watched.navigate(url)
    assert paths(site) == []


@pytest.mark.parametrize("path", ["/private", "/broken", "/ask"])
async def test_a_denied_address_of_a_new_tab_asks_the_server_nothing(
    watched: Session, ledger: Ledger, site: Site, path: str
) -> None:
    before = (await watched.tabs()).result.tabs
    with pytest.raises(Denied):
        await watched.tabs("new", url=site.page(path, "<p>Secret</p>"))
    assert paths(site) == []
    assert len((await watched.tabs()).result.tabs) == len(before)


async def test_a_denied_step_of_a_batch_asks_the_server_nothing(watched: Session, ledger: Ledger, site: Site) -> None:
    fine, secret = site.page("/fine", "<p>Fine</p>"), site.page("/private", "<p>Secret</p>")
    outcome = await watched.batch(
        (
            {"action": "navigate", "url": fine},
            {"action": "navigate", "url": secret},
            {"action": "navigate", "url": fine},
        )
    )
    assert outcome.result.failed is not None
    assert (outcome.result.failed.index, outcome.result.failed.error.code) == (1, "denied")
    assert paths(site) == ["/fine"]


async def test_only_a_yes_reaches_the_server(watched: Session, ledger: Ledger, site: Site) -> None:
    url = site.page("/ask", "<title>Granted</title>")
    for answer in (ApprovalAnswer.NO, RuntimeError("the line is dead")):
        ledger.says = answer
        with pytest.raises(Denied):
            await watched.navigate(url)
    assert paths(site) == []
    ledger.says = ApprovalAnswer.ONCE
    assert "Granted" in str((await watched.navigate(url)).title)
    assert paths(site) == ["/ask"]
    assert [request.arguments for request in ledger.asked] == [{"url": url}] * 3


async def test_a_denied_script_does_not_run(watched: Session, ledger: Ledger, site: Site) -> None:
    await watched.navigate(site.page("/fine", "<p>Fine</p>"))
    with pytest.raises(Denied):
        await watched.evaluate("fetch('/leak'); 1")
    with pytest.raises(Denied):
        await watched.evaluate("fetch('/leak'); 1", "p")
    assert (await watched.extract("p")).result.content == ("Fine",)
    assert paths(site) == ["/fine"]


async def test_an_address_off_the_web_asks_nobody_anything(session: Session, site: Site) -> None:
    host = f"127.0.0.1:{site.port}"
    for address in (
        f"view-source:http://{host}/",
        f"blob:http://{host}/x",
        f"filesystem:http://{host}/x",
        f"ws://{host}/",
        f"data:text/html,<img src=http://{host}/leak>",
        f"javascript:fetch('http://{host}/leak')",
    ):
        with pytest.raises(Denied):
            await session.navigate(address)
        with pytest.raises(Denied):
            await session.tabs("new", url=address)
    assert paths(site) == []


@pytest.mark.parametrize("start", ["java\nscript:", "\x01javascript:", "data:0,", "//javascript:"])
async def test_a_scheme_in_disguise_asks_nobody_anything(session: Session, site: Site, start: str) -> None:
    with pytest.raises(RoveError):
        await session.navigate(f"{start}fetch('http://127.0.0.1:{site.port}/leak')")
    assert paths(site) == []


async def test_while_a_person_is_asked_nothing_is_requested(home: Path, site: Site) -> None:
    asked, answer = asyncio.Event(), asyncio.Event()

    class Slow(Ledger):
        async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
            asked.set()
            await answer.wait()
            return ApprovalAnswer.ONCE

    url = site.page("/ask", "<title>Granted</title>")
    slow = Slow()
    async with Sessions(Settings(allow_host=OWN_SITES, home=home), slow, slow) as sessions:
        running = asyncio.ensure_future(sessions.session().run(Navigate(url), timeout=20))
        await asked.wait()
        assert paths(site) == []
        answer.set()
        assert "Granted" in str((await running).title)
    assert paths(site) == ["/ask"]


async def test_the_journal_records_what_was_denied(watched: Session, ledger: Ledger, site: Site, home: Path) -> None:
    url = site.page("/private", "<p>Secret</p>")
    with pytest.raises(Denied):
        await watched.navigate(url)
    last = (home / "sessions" / "default.jsonl").read_text().splitlines()[-1]
    assert '"decision": "denied"' in last
    assert url in last


async def test_what_cannot_be_recorded_is_not_done(tmp_path: Path, site: Site) -> None:
    url = site.page("/unrecorded", "<p>Seen</p>")
    (tmp_path / "sessions").touch()
    async with Sessions(Settings(allow_host=OWN_SITES, home=tmp_path)) as sessions:
        with pytest.raises(JournalFailed):
            await sessions.session().run(Navigate(url))
    assert paths(site) == []
