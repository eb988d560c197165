"""G1, G6, G8 for web_fetch: policy, journal, request and wrapper see one address, however it is spelled."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.site import OWN_SITES, Site

from rove import Allow, Deny, Place, RoveError, Session, Settings
from rove.action import AnyAction, parse
from rove.engine.sessions import Sessions
from rove.guard.network.urls import origin_text
from rove.guard.policy import Decision
from rove.toolsets.outcome_text import as_text

PAGE = "<title>Tea</title><article><h1>Tea</h1>" + "<p>Tea is made of leaves, and drunk hot by many people.</p>" * 9


class OnlyLoopback:
    """A policy that allows one host."""

    def decide(self, action: AnyAction, place: Place) -> Decision:
        where = origin_text(action.destination or place.url or "")
        return Allow() if where is None or where.startswith("http://127.0.0.1:") else Deny("Not there.")


@pytest.fixture(scope="module")
async def agent(home: Path) -> AsyncGenerator[Session]:
    settings = Settings(home=home / "fetch-addresses", allow_host=OWN_SITES, start_early=False)
    async with Sessions(settings, OnlyLoopback()) as sessions:
        yield Session(sessions, None)


async def fetch(agent: Session, url: str) -> str:
    return as_text(await agent.run(parse("web_fetch", {"url": url, "browser": "never"})))


async def test_g1_an_address_is_requested_from_the_host_that_the_policy_decided_on(agent: Session, site: Site) -> None:
    site.page("/@denied.localhost/tea", PAGE)
    site.page("/tea", PAGE)
    here, port = f"127.0.0.1:{site.port}", site.port
    for smuggled in (f"http://{here}\\@denied.localhost:{port}/tea", f"http:\\\\{here}\\@denied.localhost:{port}/tea"):
        with pytest.raises(RoveError) as error:
            await fetch(agent, smuggled)
        assert error.value.code == "http_error", "there is no such path on the host that was allowed"
    following = PAGE + f"<a rel=next href='http://{here}\\@denied.localhost:{port}/tea'>Next page</a>"
    await agent.web_fetch(site.page("/first", following), pages=2, browser="never")
    assert site.asked("/tea") == []
    journal = "".join(path.read_text() for path in agent._engine.settings.journal_folder.glob("*.jsonl"))
    assert json.dumps(f"http://{here}/@denied.localhost:{port}/tea") in journal and "\\\\@" not in journal


async def test_g2_all_spellings_of_an_address_are_requested_and_named_alike(agent: Session, site: Site) -> None:
    site.page("/tea", PAGE)
    port = site.port
    hosts = (f"127.1:{port}", f"2130706433:{port}", f"0x7f.1:{port}", f"127.0.0.1.:{port}", f"127.0.0.1:0{port}")
    spelled = [f"http://{host}/tea" for host in (*hosts, f"１２７.0.0.1:{port}")]
    for address in (*spelled, f"HTTP://127.0.0.1:{port}/tea", f"http://127.0.0.1:{port}/t\tea"):
        text = await fetch(agent, address)
        assert f"Address: http://127.0.0.1:{port}/tea" in text and f"http://127.0.0.1:{port}>" in text, address
    assert {request.headers["Host"] for request in site.asked("/tea")} == {f"127.0.0.1:{port}"}


async def test_an_address_that_no_server_accepts_is_an_error_with_a_code(agent: Session, site: Site) -> None:
    for address in (site.url("/" + "a" * 70_000), "http://127.0.0.1:99999/", "http://[::1/", "http://xn--/"):
        with pytest.raises(RoveError):
            await fetch(agent, address)
    moved = site.page("/moved", "", status=302, headers={"Location": "/" + "a" * 62_000})
    with pytest.raises(RoveError, match="ERR_INVALID_REDIRECT"):
        await fetch(agent, moved)
