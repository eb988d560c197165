"""Rules for requests (blocked, answered, changed), and HTTP credentials."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.test_devices import everywhere, page_with_frame_and_worker, value
from tests.site import OWN_SITES, Site

from rove import Session
from rove.actions.interception import RuleHeader
from rove.engine.sessions import Sessions
from rove.errors import Denied, InvalidArguments, NavigationFailed, NeedsCredentials
from rove.settings.tree import Deadlines, Settings

API = "https://api.example.com"
POST = f"""fetch('{API}/v1/items?page=1', {{method: 'POST', headers: {{'X-Key': '1'}}, body: '{{}}'}})
  .then(async r => [r.status, r.headers.get('content-type'), await r.text()], String)"""
BASIC = "Basic YWdlbnQ6aHVudGVyMjItbG9uZw=="  # agent:hunter22-long


def text_of(url: str) -> str:
    return f"fetch('{url}').then(async r => r.status + ' ' + await r.text(), () => 'failed')"


def origin_of(site: Site, host: str = "127.0.0.1") -> str:
    return site.url("", host)


@pytest.fixture
async def own(home: Path, tmp_path: Path, site: Site) -> AsyncGenerator[Session]:
    """A session with a browser of its own, which tests kill, and with two secrets."""
    secrets = tmp_path / "secrets.toml"
    secrets.touch(mode=0o600)
    secrets.write_text(
        f'[members]\norigins = ["{origin_of(site)}"]\nvalue = "hunter22-long"\n'
        f'[key]\norigins = ["{API}"]\nvalue = "k3y-k3y-k3y"\n'
    )
    settings = Settings(
        allow_host=OWN_SITES, home=home / "own", secrets=secrets, deadlines=Deadlines(action=30, launch=60)
    )
    async with Sessions(settings) as sessions:
        yield Session(sessions, None)


@pytest.mark.contract("C7")
@pytest.mark.feature("Request interception", works=("chromium", "firefox"))
async def test_a_rule_answers_in_place_of_a_server_everywhere_in_the_session(session: Session, site: Site) -> None:
    await session.navigate(page_with_frame_and_worker(site))
    added = await session.intercept(url=f"{API}/v1/*", method="post", status=201, body='{"id": 7}')
    assert str(added.result) == f"1. answer POST {API}/v1/* with 201"
    answered = [201, "application/json; charset=utf-8", '{"id": 7}']
    assert await everywhere(session, POST) == [answered] * 3
    assert await value(session, text_of(f"{API}/v1/items")) == "failed"  # another method
    assert await value(session, text_of(f"{API}.evil.example/v1/items")) == "failed"
    await session.tabs("new", url=site.url("/"))
    assert await everywhere(session, POST) == [answered] * 3
    log = str((await session.network(url=API)).result)
    assert log.count("201, fetch") == log.count("answered by rule 1") - log.count("OPTIONS") == 3
    other = await session.another()
    await other.navigate(site.url("/"))
    assert (await value(other, POST)).startswith("TypeError: ")


async def test_the_newest_rule_counts_and_a_rule_can_be_removed(session: Session, site: Site) -> None:
    url = site.page("/data", "real", kind="text/plain")
    await session.navigate(site.page("/", "<p>Page</p>"))
    await session.intercept(url=url, body="mocked", headers=(RuleHeader("Content-Type", "text/plain"),))
    assert await value(session, text_of(url)) == "200 mocked"
    await session.intercept(url="*/data", rule="block")
    assert await value(session, text_of(url)) == "failed"
    assert "blocked by rule 2" in str((await session.network(url="/data")).result)
    listed = await session.intercept("list")
    assert str(listed.result) == f"1. answer {url} with 200\n2. block */data"
    await session.intercept("remove", number=2)
    assert await value(session, text_of(url)) == "200 mocked"
    with pytest.raises(InvalidArguments, match="no rule 2"):
        await session.intercept("remove", number=2)
    assert site.asked("/data") == []
    assert str((await session.intercept("remove")).result) == "There are no rules."
    assert await value(session, text_of(url)) == "200 real"
    assert (await session.intercept(url=url)).result.added == 3  # numbers are not given again


async def test_a_document_can_be_answered_and_images_be_blocked(session: Session, site: Site) -> None:
    await session.intercept(url="https://shop.example.com/cart", status=503, body="<h1>Closed</h1>")
    outcome = await session.navigate("https://shop.example.com/cart")
    assert "Closed" in outcome.changes.text
    assert outcome.result.status == 503
    await session.intercept(url="*", rule="block", type="image")
    await session.navigate(site.page("/", "<img src=/logo.png><script src=/app.js></script>"))
    assert site.asked("/app.js")
    assert not site.asked("/logo.png")


async def test_headers_are_added_to_requests_of_the_named_origin_and_to_no_other(session: Session, site: Site) -> None:
    site.page("/echo", "echo", kind="text/plain", headers={"Access-Control-Allow-Origin": "*"})
    away = {"Location": site.url("/echo", "localhost"), "Access-Control-Allow-Origin": "*"}
    site.page("/away", "", status=302, headers=away)
    await session.navigate(page_with_frame_and_worker(site))
    headers = (RuleHeader("X-Key", "k1"), RuleHeader("Accept-Language", ""))
    await session.intercept(url=origin_of(site), rule="change", headers=headers)
    await everywhere(session, text_of(site.url("/away")))
    await value(session, text_of(site.url("/echo", "localhost")))
    await session.navigate(site.url("/away"))
    changed = site.asked("/away")
    assert [request.headers.get("X-Key") for request in changed] == ["k1"] * 4
    assert not any("Accept-Language" in request.headers for request in changed)
    assert [request.headers.get("X-Key") for request in site.asked("/echo")] == [None] * 5
    await session.navigate(site.url("/", "localhost"))
    assert await value(session, text_of(site.url("/echo"))) == "200 echo"
    assert site.requests[-1].headers["X-Key"] == "k1"
    assert "changed by rule 1" in str((await session.network(url="*127.0.0.1*/echo")).result)


async def test_what_is_sent_can_be_changed(session: Session, site: Site) -> None:
    site.page("/form", "sent", kind="text/plain")
    await session.navigate(site.page("/", "<p>Page</p>"))
    await session.intercept(url=site.url("/form"), rule="change", method="POST", body="b=2")
    await value(session, "fetch('/form', {method: 'POST', body: 'a=1'}).then(r => r.text())")
    assert site.asked("/form")[0].body == b"b=2"


async def test_no_rule_leads_to_an_address_that_the_guard_refuses(session: Session, site: Site) -> None:
    with pytest.raises(Denied):
        await session.intercept(url="http://169.254.169.254/latest/*", body="x")
    away = (RuleHeader("Location", "http://10.0.0.1/"),)
    await session.intercept(url="https://shop.example.com/away", status=302, headers=away)
    with pytest.raises((Denied, NavigationFailed), match=r"10\.0\.0\.1"):
        await session.navigate("https://shop.example.com/away")
    refused: tuple[tuple[dict[str, Any], str], ...] = (
        ({"url": "https://*.example.com/*"}, "does not name one origin"),
        ({"url": "https://example.com*"}, "does not name one origin"),
        ({"url": "https://user@example.com/*"}, "does not name one origin"),
        ({"url": "file:///etc/passwd"}, "does not name one origin"),
        ({"url": "*", "rule": "change"}, "does not name one origin"),
        ({}, "`url` is missing"),
        ({"url": API, "headers": [{"name": "X-Rove-Refused", "value": "1"}]}, "cannot be set"),
        ({"url": API, "rule": "change", "headers": [{"name": "Host", "value": "x"}]}, "cannot be set"),
        ({"url": API, "rule": "change", "headers": [{"name": "Proxy-Authorization", "value": "x"}]}, "cannot be set"),
        ({"url": API, "headers": [{"name": "X-A", "value": "a\r\nb: c"}]}, "`headers"),
        ({"url": API, "headers": [{"name": "X-A", "value": "secret:key"}]}, "no secret"),
    )
    for arguments, word in refused:
        with pytest.raises(InvalidArguments, match=word):
            await session.intercept(**arguments)
    assert (await session.intercept("list")).result.rules == ("1. answer https://shop.example.com/away with 302",)


async def test_a_server_that_asks_for_a_password_gets_the_secret_of_its_origin(own: Session, site: Site) -> None:
    url = site.page("/members", "<h1>Welcome</h1>", authorization=BASIC)
    with pytest.raises(NeedsCredentials, match="asks for a password") as caught:
        await own.navigate(url)
    assert "session.credentials()" in caught.value.hint
    with pytest.raises(Denied, match="Only a named secret"):
        await own.credentials(origin_of(site), "agent", "hunter22-long")
    with pytest.raises(Denied, match="is bound to https://api"):
        await own.credentials(origin_of(site), "agent", "secret:key")
    outcome = await own.credentials(origin_of(site), "agent", "secret:members")
    assert str(outcome.result) == f"agent at {origin_of(site)}"
    assert "Welcome" in (await own.navigate(url)).changes.text
    assert site.asked("/members")[-1].headers["Authorization"] == BASIC
    # Another origin asks in vain, and is asked once.
    asked = len(site.requests)
    with pytest.raises(NeedsCredentials):
        await own.navigate(site.url("/members", "localhost"))
    assert [request.headers.get("Authorization") for request in site.requests[asked:]] == [None]


async def test_credentials_that_the_server_refuses_are_sent_once(own: Session, site: Site) -> None:
    url = site.page("/members", "<h1>Welcome</h1>", authorization="Basic b3RoZXI=")
    await own.credentials(origin_of(site), "agent", "secret:members")
    with pytest.raises(NeedsCredentials):
        await own.navigate(url)
    assert [request.headers.get("Authorization") for request in site.asked("/members")] == [None, BASIC]


async def test_a_header_can_be_a_secret_of_the_origin(own: Session, site: Site) -> None:
    header = RuleHeader("X-Key", "secret:members")
    with pytest.raises(Denied, match="is bound to"):
        await own.intercept(url=API, rule="change", headers=(header,))
    outcome = await own.intercept(url=origin_of(site), rule="change", headers=(header,))
    assert "hunter22" not in str(outcome)
    await own.navigate(site.page("/", "<p>Page</p>"))
    assert site.asked("/")[0].headers["X-Key"] == "hunter22-long"
    assert "hunter22" not in str((await own.network(request=1)).result)


async def test_what_a_session_overrides_is_there_after_its_browser_was_killed(own: Session, site: Site) -> None:
    url = site.page("/", "<p>Page</p>", authorization=BASIC)
    await own.credentials(origin_of(site), "agent", "secret:members")
    await own.emulate("Pixel 10", time_zone="Asia/Tokyo")
    await own.permissions(origin_of(site), ("geolocation",))
    await own.intercept(url=f"{API}/v1/*", body="mocked")
    await own.intercept(url=origin_of(site), rule="change", headers=(RuleHeader("X-Key", "k1"),))
    await own.navigate(url)
    site.requests.clear()
    browser: Any = own._sessions._browsers.shared.current
    browser._connection.close()
    ask = "navigator.permissions.query({name: 'geolocation'}).then(p => p.state)"
    said = (
        f"Promise.all([screen.width, Intl.DateTimeFormat().resolvedOptions().timeZone, {ask}, {text_of(API + '/v1/')}])"
    )
    assert await value(own, said) == [412, "Asia/Tokyo", "granted", "200 mocked"]
    headers = site.asked("/")[-1].headers
    assert "Android" in headers["User-Agent"]
    assert (headers["X-Key"], headers["Authorization"]) == ("k1", BASIC)
