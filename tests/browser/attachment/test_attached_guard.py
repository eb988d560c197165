"""Attaching to a browser that a person runs: what is guarded, and the warnings of what is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.browser.attachment.tabs import WARNING, rove
from tests.person import Person
from tests.site import Site

from rove import ApprovalAnswer, ApprovalRequest, PolicyRule, RulePolicy, Session
from rove.engine.guard_notice import UNGUARDED
from rove.engine.sessions import Sessions
from rove.errors import Denied, InvalidSettings, Unsupported
from rove.settings.tree import Settings, load
from rove.toolsets.outcome_text import as_text

# The whole run must stay short; `make test-all` runs these too.
pytestmark = pytest.mark.slow


async def test_pages_can_reach_this_machine_in_the_default_session_but_not_in_a_named_one(
    session: Session, site: Site, local_server: Site
) -> None:
    page = site.page(
        "/",
        f"<h1>Trying</h1><script>fetch('{local_server.url()}').then(() => 'reached', () => 'kept away')"
        ".then(said => document.querySelector('h1').textContent = said)</script>",
    )
    named = await session.another("beside")
    await named.navigate(page)
    await named.wait(text="kept away")
    assert local_server.requests == []
    await session.navigate(page)
    await session.wait(text="reached")
    assert [request.path for request in local_server.requests] == ["/"]


async def test_an_address_that_the_agent_navigates_to_is_still_checked(session: Session, local_server: Site) -> None:
    with pytest.raises(Denied):
        await session.navigate(local_server.url())
    assert local_server.requests == []


async def test_a_page_behind_a_redirect_to_a_forbidden_address_is_not_read(
    session: Session, site: Site, local_server: Site
) -> None:
    away = site.page("/away", "", status=302, headers={"Location": local_server.url()})
    outcome = await session.navigate(away)
    assert "Canary" not in as_text(outcome)
    assert "not shown" in [event.kind for event in outcome.events]
    with pytest.raises(Denied):
        await session.snapshot()


async def test_the_logins_of_the_persons_browser_are_neither_saved_nor_replaced(session: Session, mine: str) -> None:
    for attempt in (session.save_state("x"), session.load_state("x"), session.open_session("y", state="x")):
        with pytest.raises(Unsupported):
            await attempt
    assert (await session.states()).result.states == ()


async def test_navigating_to_the_browsers_debugging_port_is_denied(
    attached: Settings, person: Person, site: Site, tmp_path: Path
) -> None:
    everything = Settings(home=tmp_path / "home", attach=person.url, allow_host=("127.0.0.1", "localhost"))
    async with Sessions(everything) as sessions:
        session = Session(sessions, None)
        for each in (session, await session.another()):
            for host in ("127.0.0.1", "localhost"):
                with pytest.raises(Denied):
                    await each.navigate(f"http://{host}:{person.port}/json/list")


# Warnings


async def test_the_first_outcome_warns_that_the_session_is_not_guarded_and_status_warns_every_time(
    session: Session, mine: str
) -> None:
    first, second = await session.using(tab="t1").snapshot(), await session.using(tab="t1").snapshot()
    assert [event.kind for event in first.events] == ["not guarded"]
    assert str(UNGUARDED) in as_text(first)
    assert second.events == ()
    for _ in range(2):
        assert WARNING in as_text(await session.status())


async def test_a_batch_warns_that_the_session_is_not_guarded(session: Session, site: Site) -> None:
    done = await session.batch(({"action": "navigate", "url": site.page("/", "<h1>Hi</h1>")},))
    assert WARNING in as_text(done)


async def test_every_journal_entry_records_what_is_guarded(session: Session, attached: Settings) -> None:
    await session.tabs()
    await (await session.another("beside")).tabs()
    entries = {
        name: [json.loads(line) for line in (attached.journal_folder / f"{name}.jsonl").read_text().splitlines()]
        for name in ("default", "beside")
    }
    assert {entry["guard"] for entry in entries["default"]} == {"not guarded"}
    assert {entry["guard"] for entry in entries["beside"]} == {"guarded in part"}
    assert "not guarded" in rove(attached.home, "journal", "show", "default").stdout


def test_the_server_doctor_and_config_show_warn_that_it_is_not_guarded(
    person: Person, tmp_path: Path, mine: str
) -> None:
    served = rove(tmp_path, "mcp", "--attach", person.url)
    assert served.stdout == "" and WARNING in served.stderr
    assert not (tmp_path / "run").exists(), "no browser of our own was started"
    looked_at = rove(tmp_path, "doctor", "--attach", person.url)
    assert looked_at.returncode == 0 and WARNING in looked_at.stdout
    assert WARNING in rove(tmp_path, "config", "show", "--attach", person.url).stdout
    unattached = rove(tmp_path, "config", "show").stdout
    assert WARNING not in unattached and "attach" in unattached
    assert person.tabs == [mine]


def test_the_doctor_says_how_to_start_a_browser_where_there_is_none(tmp_path: Path, unused_port: int) -> None:
    done = rove(tmp_path, "doctor", "--attach", f"http://127.0.0.1:{unused_port}")
    assert done.returncode == 1
    assert f"--remote-debugging-port={unused_port}" in done.stdout


def test_an_attach_address_that_is_not_a_browser_on_this_machine_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings):
        load(home=tmp_path, attach="https://example.com")


class Once:
    """A person who says yes to the first request alone."""

    def __init__(self) -> None:
        self.asked: list[ApprovalRequest] = []

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.asked.append(request)
        return ApprovalAnswer.ONCE if len(self.asked) == 1 else ApprovalAnswer.NO


async def test_a_popup_is_held_to_the_address_that_the_person_was_shown(attached: Settings, site: Site) -> None:
    site.page("/shown", "Shown")
    site.page("/other", "Other")
    link = "<a id=b href=/shown target=_blank rel=opener onmousedown=\"this.href = '/other'\">B</a>"
    policy = RulePolicy((PolicyRule("ask", action=("click",)),))
    async with Sessions(attached, policy, Once()) as sessions:
        agent = Session(sessions, None)
        await agent.navigate(site.page("/", link))
        with pytest.raises(Denied):
            await agent.click("#b")
    assert site.asked("/other") == []
