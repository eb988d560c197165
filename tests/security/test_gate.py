"""G5, G6: A denied action sends no request: asserts on the requests of the server, not on the page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.batches import stopped
from tests.site import OWN_SITES, Site

from rove import Allow, ApprovalAnswer, ApprovalRequest, Ask, Deny, Place, RoveError, Session, Settings
from rove.action import AnyAction, Effect
from rove.actions.navigation import Navigate
from rove.engine.sessions import Sessions
from rove.errors import Denied, JournalFailed
from rove.guard.policy import Decision
from rove.recorded_steps import RecordedStep, Recording
from rove.recordings.files import RecordingStore


class PathPolicy:
    """A policy with rules by path, and an approver whose answer is set beforehand."""

    def __init__(self) -> None:
        self.reply: ApprovalAnswer | Exception = ApprovalAnswer.NO
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
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply


@pytest.fixture
def policy(guarded: tuple[Session, PathPolicy]) -> PathPolicy:
    guarded[1].reply = ApprovalAnswer.NO
    guarded[1].asked.clear()
    return guarded[1]


@pytest.fixture
def agent(guarded: tuple[Session, PathPolicy]) -> Session:
    return guarded[0]


@pytest.fixture(scope="module")
async def guarded(home: Path) -> AsyncGenerator[tuple[Session, PathPolicy]]:
    policy = PathPolicy()
    async with Sessions(Settings(allow_host=OWN_SITES, home=home), policy, policy) as sessions:
        yield Session(sessions, None), policy


def paths(site: Site) -> list[str]:
    return [request.path for request in site.requests if request.path != "/favicon.ico"]


@pytest.mark.parametrize("path", ["/private", "/broken", "/ask"])
async def test_a_denied_navigation_sends_no_request(agent: Session, policy: PathPolicy, site: Site, path: str) -> None:
    url = site.page(path, "<p>Secret</p>")
    with pytest.raises(Denied):
        await agent.navigate(url)
    assert paths(site) == []


@pytest.mark.parametrize("path", ["/private", "/broken", "/ask"])
async def test_a_new_tab_with_a_denied_url_sends_no_request(
    agent: Session, policy: PathPolicy, site: Site, path: str
) -> None:
    before = (await agent.tabs()).result.tabs
    with pytest.raises(Denied):
        await agent.tabs("new", url=site.page(path, "<p>Secret</p>"))
    assert paths(site) == []
    assert len((await agent.tabs()).result.tabs) == len(before)


async def test_a_denied_step_of_a_batch_sends_no_request(agent: Session, policy: PathPolicy, site: Site) -> None:
    fine, secret = site.page("/fine", "<p>Fine</p>"), site.page("/private", "<p>Secret</p>")
    outcome = await stopped(agent.batch(tuple({"action": "navigate", "url": url} for url in (fine, secret, fine))))
    assert outcome.result.failed is not None
    assert (outcome.result.failed.index, outcome.result.failed.error.code) == (1, "denied")
    assert paths(site) == ["/fine"]


async def test_only_an_approved_navigation_sends_a_request(agent: Session, policy: PathPolicy, site: Site) -> None:
    url = site.page("/ask", "<title>Granted</title>")
    for answer in (ApprovalAnswer.NO, RuntimeError("the approver failed")):
        policy.reply = answer
        with pytest.raises(Denied):
            await agent.navigate(url)
    assert paths(site) == []
    policy.reply = ApprovalAnswer.ONCE
    assert "Granted" in str((await agent.navigate(url)).title)
    assert paths(site) == ["/ask"]
    assert [request.arguments for request in policy.asked] == [{"url": url}] * 3


async def test_a_denied_script_does_not_run(agent: Session, policy: PathPolicy, site: Site) -> None:
    await agent.navigate(site.page("/fine", "<p>Fine</p>"))
    with pytest.raises(Denied):
        await agent.evaluate("fetch('/leak'); 1")
    with pytest.raises(Denied):
        await agent.evaluate("fetch('/leak'); 1", "p")
    assert (await agent.extract("p")).result.content == ("Fine",)
    assert paths(site) == ["/fine"]


async def test_a_url_that_is_not_http_sends_no_request(session: Session, site: Site) -> None:
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
async def test_a_disguised_scheme_sends_no_request(session: Session, site: Site, start: str) -> None:
    with pytest.raises(RoveError):
        await session.navigate(f"{start}fetch('http://127.0.0.1:{site.port}/leak')")
    assert paths(site) == []


async def test_no_request_is_sent_while_a_person_is_asked(home: Path, site: Site) -> None:
    asked, answer = asyncio.Event(), asyncio.Event()

    class Slow(PathPolicy):
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


async def test_the_journal_records_a_denied_action(agent: Session, policy: PathPolicy, site: Site, home: Path) -> None:
    url = site.page("/private", "<p>Secret</p>")
    with pytest.raises(Denied):
        await agent.navigate(url)
    last = (home / "sessions" / "default.jsonl").read_text().splitlines()[-1]
    assert '"decision": "denied"' in last
    assert url in last


async def test_an_action_that_cannot_be_recorded_is_not_performed(tmp_path: Path, site: Site) -> None:
    url = site.page("/unrecorded", "<p>Seen</p>")
    (tmp_path / "sessions").touch()
    async with Sessions(Settings(allow_host=OWN_SITES, home=tmp_path)) as sessions:
        with pytest.raises(JournalFailed):
            await sessions.session().run(Navigate(url))
    assert paths(site) == []


@pytest.mark.parametrize("path", ["/private", "/ask"])
async def test_a_replayed_step_passes_the_gate_like_any_other(
    agent: Session, policy: PathPolicy, site: Site, home: Path, path: str
) -> None:
    steps = (
        RecordedStep("navigate", {"url": site.page("/open", "<p>Open</p>")}),
        RecordedStep("navigate", {"url": site.page(path, "<p>Secret</p>")}),
    )
    RecordingStore(home).write(Recording("gated", steps))
    with pytest.raises(Denied):
        await agent.replay("gated")
    assert paths(site) == ["/open"]
    assert len(policy.asked) == (path == "/ask")


async def test_a_recording_has_no_scripts_that_the_policy_denies(agent: Session, site: Site, home: Path) -> None:
    steps = (RecordedStep("navigate", {"url": site.page("/", "")}), RecordedStep("evaluate", {"expression": "1"}))
    RecordingStore(home).write(Recording("scripted", steps))
    with pytest.raises(Denied):
        await agent.replay("scripted")
