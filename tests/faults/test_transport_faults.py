"""Servers that refuse, hang, lie or close early: each fault has its own error, in time.

The numbers are the lines of tests/faults/README.md.
"""

from __future__ import annotations

import asyncio
import gzip
import ssl
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.faults.certificates import Authority, Certificate
from tests.faults.recovery_checks import answered_within, assert_next_page_loads, browser_with, event_text
from tests.faults.servers import (
    HTML,
    Answer,
    never_answer,
    read_head,
    reset,
    sending,
    sending_page,
    sending_slowly,
    serving,
    serving_with_client_certificates,
)
from tests.site import OWN_SITES, Site

from rove import Session
from rove.actions.input import Click
from rove.actions.navigation import Navigate
from rove.actions.snapshot import Snapshot
from rove.browser.chromium.install import ensure
from rove.engine.sessions import Sessions
from rove.errors import CertificateInvalid, DeadlineExceeded, NavigationFailed, NeedsCredentials
from rove.settings.tree import Deadlines, Limits, Settings

PUBLIC = "93.184.216.34"
Trusting = tuple[Session, Authority]


async def failure_message(session: Session, address: str) -> str:
    """Return the error message for an address that cannot be loaded."""
    with answered_within(5), pytest.raises(NavigationFailed) as caught:
        await session.run(Navigate(address), timeout=5)
    return caught.value.message


# 14, 15, 16: slow servers


async def test_14_navigating_to_a_server_that_never_answers_fails_at_the_deadline(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<h1>Before</h1>"))
    async with serving(never_answer) as place:
        with answered_within(0.5), pytest.raises(DeadlineExceeded) as caught:
            await session.run(Navigate(f"http://{place}/"), timeout=0.5)
        assert caught.value.message == "Timeout after 0.5s waiting for page load"
        assert "The server has not answered" in caught.value.hint
        # The page before it stays, and answers while that server still sends nothing.
        assert "Before" in (await session.run(Snapshot(), timeout=5)).result.text
        await assert_next_page_loads(session, site)


async def test_14_clicking_a_link_to_a_server_that_never_answers_keeps_the_page(session: Session, site: Site) -> None:
    async with serving(never_answer) as place:
        await session.navigate(site.page("/", f"<h1>Before</h1><a href='http://{place}/'>Away</a>"))
        with answered_within(2):
            clicked = await session.run(Click("a"), timeout=2)
        assert any(place in what for what in clicked.pending)
        # The page is kept after one call has waited for the server without an answer.
        with answered_within(2):
            seen = await session.run(Snapshot(), timeout=2)
        assert "Before" in seen.result.text
        assert place in event_text(seen, "loading stopped")
        with answered_within(0.5):
            assert "Before" in (await session.run(Snapshot(), timeout=2)).result.text


async def test_14_the_call_after_a_click_on_a_slow_link_waits_for_the_new_page(session: Session, site: Site) -> None:
    click_answered = asyncio.Event()

    async def late(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_head(reader)
        await click_answered.wait()
        writer.write(HTML + b"\r\n<h1>Late</h1>")

    async with serving(late) as place:
        await session.navigate(site.page("/", f"<h1>Before</h1><a href='http://{place}/'>Away</a>"))
        clicked = await session.run(Click("a"), timeout=1)
        assert any(place in what for what in clicked.pending)
        click_answered.set()
        assert "Late" in (await session.run(Snapshot(), timeout=10)).result.text


async def test_14_one_session_waiting_for_a_server_does_not_delay_another(session: Session, site: Site) -> None:
    other = await session.another("beside")
    async with serving(never_answer) as place:
        waiting = asyncio.ensure_future(session.run(Navigate(f"http://{place}/"), timeout=5))
        await assert_next_page_loads(other, site)
        assert not waiting.done()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    await assert_next_page_loads(session, site)


async def test_15_a_page_that_arrives_slowly_is_shown_as_far_as_it_has_arrived(session: Session, site: Site) -> None:
    async with serving(sending_slowly(b"<!doctype html><h1>Slow</h1>", b".")) as place:
        with answered_within(2):
            outcome = await session.run(Navigate(f"http://{place}/"), timeout=2)
        assert 'heading "Slow"' in outcome.changes.text
        assert any("incomplete" in what for what in outcome.pending)
        await assert_next_page_loads(session, site)


async def test_15_headers_that_never_end_fail_at_the_deadline(session: Session, site: Site) -> None:
    async with serving(sending_slowly(b"", b"X-More: 1\r\n", head=b"HTTP/1.1 200 OK\r\nX-First: 1")) as place:
        with answered_within(0.5), pytest.raises(DeadlineExceeded):
            await session.run(Navigate(f"http://{place}/"), timeout=0.5)
    await assert_next_page_loads(session, site)


async def test_15_a_script_that_never_arrives_hides_only_what_is_below_it(session: Session, site: Site) -> None:
    async with serving(never_answer) as place:
        page = f"<h1>Above</h1><script src=http://{place}/x.js></script><h1>Below</h1>"
        outcome = await session.run(Navigate(site.page("/", page)), timeout=2)
        assert "Above" in outcome.changes.text and "Below" not in outcome.changes.text
        assert outcome.pending
        await assert_next_page_loads(session, site)


@pytest.fixture
async def small_limit(home: Path) -> AsyncGenerator[Session]:
    """A session that loads at most one megabyte of a page."""
    settings = Settings(
        allow_host=OWN_SITES, home=home / "small_limit", deadlines=Deadlines(launch=60), limits=Limits(page_megabytes=1)
    )
    async with Sessions(settings) as sessions:
        yield Session(sessions, None)


async def test_16_17_an_endless_page_and_a_gzip_bomb_are_cut(small_limit: Session, site: Site) -> None:
    paragraph = b"<p>" + b"word " * 2000 + b"</p>"
    endless = sending_slowly(b"<!doctype html><h1>Endless</h1>", paragraph * 20)
    bomb = gzip.compress(b"<!doctype html><h1>Bomb</h1>" + paragraph * 5000)
    assert len(bomb) < 2**19
    packed = sending(bomb, HTML + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n" % len(bomb))
    for answer, heading in ((endless, "Endless"), (packed, "Bomb")):
        async with serving(answer) as place:
            with answered_within(10):
                outcome = await small_limit.run(Navigate(f"http://{place}/"), timeout=10)
            assert f'heading "{heading}"' in outcome.changes.text
            assert "larger than 1 MB" in event_text(outcome, "page cut")
            read = await small_limit.evaluate("document.body.textContent.length")
            assert read.result.value < 10 * 2**20
    await assert_next_page_loads(small_limit, site)


# 17: servers that close the connection early


async def cut_off_response(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await read_head(reader)
    writer.write(HTML + b"Content-Length: 5000\r\n\r\n<!doctype html><h1>Half</h1>" + b" " * 2000)
    await writer.drain()
    reset(writer)


# The proxy forwards no response whose end it cannot determine: the browser sees each of them cut off.
HALF = b"<!doctype html><h1>Half</h1>"
BROKEN: dict[str, tuple[Answer, str]] = {
    "reset": (cut_off_response, "net::ERR_CONNECTION_RESET"),
    "shorter_than_announced": (
        sending(HALF, HTML + b"Content-Length: 5000\r\n"),
        "net::ERR_CONTENT_LENGTH_MISMATCH",
    ),
    "chunks_that_stop": (
        sending(b"%x\r\n" % len(HALF) + HALF + b"\r\n", HTML + b"Transfer-Encoding: chunked\r\n"),
        "net::ERR_INCOMPLETE_CHUNKED_ENCODING",
    ),
    "chunk_without_end": (
        sending(b"1c\r\n" + HALF + b"\r\nzz\r\n", HTML + b"Transfer-Encoding: chunked\r\n"),
        "net::ERR_CONNECTION_RESET",
    ),
    "not_gzip": (
        sending(b"x" * 100, HTML + b"Content-Encoding: gzip\r\nContent-Length: 100\r\n"),
        "net::ERR_CONTENT_DECODING_FAILED",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_17_a_response_that_is_cut_off_has_an_error_of_its_own(session: Session, site: Site, name: str) -> None:
    answer, code = BROKEN[name]
    async with serving(answer) as place:
        assert (await failure_message(session, f"http://{place}/")).startswith(f"{code}: ")
    assert (await session.run(Snapshot(), timeout=5)).result.tokens >= 0
    await assert_next_page_loads(session, site)


# 18: certificates


@pytest.fixture
async def trusting(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Trusting]:
    """A session whose browser trusts the authority of the test."""
    authority = Authority(tmp_path)
    authority.is_trusted_in(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    async with Sessions(
        Settings(allow_host=OWN_SITES, home=home / "trusting", deadlines=Deadlines(launch=60))
    ) as sessions:
        yield Session(sessions, None), authority


async def certificate_failure(session: Session, made: Certificate) -> str:
    """Return the net error for a server with this certificate, and assert that it received no request."""
    requests: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await read_head(reader))

    async with serving(answer, made.server) as place:
        with answered_within(5), pytest.raises(CertificateInvalid) as caught:
            await session.run(Navigate(f"https://{place}/"), timeout=5)
    assert caught.value.code == "certificate_invalid"
    assert place in caught.value.message
    assert requests == []
    return caught.value.message.removeprefix("net::").partition(":")[0]


@pytest.mark.skipif(sys.platform != "linux", reason="certificates are trusted in other ways elsewhere")
async def test_18_a_bad_certificate_is_refused_with_the_reason(trusting: Trusting, site: Site, tmp_path: Path) -> None:
    session, authority = trusting
    async with serving(sending_page(b"<h1>Trusted</h1>"), authority.issue().server) as place:
        assert "Trusted" in (await session.run(Navigate(f"https://{place}/"), timeout=5)).changes.text
    assert await certificate_failure(session, authority.issue(days=(-9, -2))) == "ERR_CERT_DATE_INVALID"
    assert await certificate_failure(session, authority.issue("a.example")) == "ERR_CERT_COMMON_NAME_INVALID"
    (tmp_path / "unknown").mkdir()
    assert await certificate_failure(session, Authority(tmp_path / "unknown").issue()) == "ERR_CERT_AUTHORITY_INVALID"
    await assert_next_page_loads(session, site)


async def test_18_a_tls_handshake_that_hangs_fails_at_the_deadline(session: Session, site: Site) -> None:
    async with serving(never_answer) as place:
        with answered_within(0.5), pytest.raises(DeadlineExceeded):
            await session.run(Navigate(f"https://{place}/"), timeout=0.5)
    await assert_next_page_loads(session, site)


async def test_18_a_server_without_tls_has_an_error_of_its_own(session: Session, site: Site) -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async with serving(plain) as place:
        assert (await failure_message(session, f"https://{place}/")).startswith("net::ERR_SSL_PROTOCOL_ERROR: ")
    await assert_next_page_loads(session, site)


# 19: servers that cannot be reached


async def test_19_a_refused_connection_has_the_promised_message(session: Session, site: Site, unused_port: int) -> None:
    message = await failure_message(session, f"http://localhost:{unused_port}/x")
    assert message == f"net::ERR_CONNECTION_REFUSED: Failed to connect to localhost:{unused_port}"
    outcome = await assert_next_page_loads(session, site)
    assert outcome.events == ()  # reported in the error, so not again as an event


async def test_19_a_host_name_that_does_not_exist_is_not_resolved(session: Session, site: Site) -> None:
    message = await failure_message(session, "http://missing.invalid/")
    assert message == "net::ERR_NAME_NOT_RESOLVED: Failed to resolve missing.invalid"
    await assert_next_page_loads(session, site)


async def test_19_reset_empty_truncated_and_invalid_responses_have_different_errors(
    session: Session, site: Site
) -> None:
    async def resetting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_head(reader)
        reset(writer)

    async with serving(resetting) as place:
        assert (
            await failure_message(session, f"http://{place}/")
            == f"net::ERR_CONNECTION_RESET: {place} reset the connection"
        )

    async def empty(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_head(reader)

    async with serving(empty) as place:
        assert (await failure_message(session, f"http://{place}/")).startswith("net::ERR_EMPTY_RESPONSE: ")
    async with serving(sending(b"", b"HTTP/1.1 200 OK\r\nContent-Ty")) as place:
        assert (await failure_message(session, f"http://{place}/")).startswith("net::ERR_RESPONSE_HEADERS_TRUNCATED: ")
    async with serving(sending(b"", b"\x00\x01 not HTTP at all\r\n\r\n")) as place:
        assert (await failure_message(session, f"http://{place}/")).startswith("net::ERR_INVALID_HTTP_RESPONSE: ")
    await assert_next_page_loads(session, site)


async def test_48_a_proxy_that_requires_a_password_is_reported_with_the_setting_for_it(
    home: Path, unused_port: int
) -> None:
    own = Settings(home=home / "proxied", proxy=f"http://127.0.0.1:{unused_port}", deadlines=Deadlines(launch=60))
    demand = b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=x\r\n\r\n"
    async with Sessions(own) as sessions, serving(sending(b"", demand), port=unused_port):
        for scheme in ("http", "https"):
            with answered_within(5), pytest.raises(NeedsCredentials) as caught:
                await Session(sessions, None).run(Navigate(f"{scheme}://{PUBLIC}/"), timeout=5)
            assert "rove.open(proxy=" in caught.value.hint


async def test_19_clicking_a_link_to_a_refused_connection_reports_the_failure(
    session: Session, site: Site, unused_port: int
) -> None:
    await session.navigate(site.page("/", f"<a href=http://127.0.0.1:{unused_port}/>Go</a>"))
    outcome = await session.click("a")
    assert "net::ERR_CONNECTION_REFUSED" in event_text(outcome, "request failed")
    await assert_next_page_loads(session, site)


async def test_19_a_dead_proxy_has_an_error_of_its_own_and_works_again_when_it_is_back(
    home: Path, unused_port: int
) -> None:
    own = Settings(
        allow_host=OWN_SITES,
        home=home / "proxied",
        proxy=f"http://127.0.0.1:{unused_port}",
        deadlines=Deadlines(launch=60),
    )
    async with Sessions(own) as sessions:
        session = Session(sessions, None)
        message = await failure_message(session, f"http://{PUBLIC}/")
        assert message == "net::ERR_PROXY_CONNECTION_FAILED: Failed to connect to the proxy"

        async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            assert (await read_head(reader)).startswith(f"CONNECT {PUBLIC}:80 ".encode())
            writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            await sending_page(b"<h1>Back</h1>")(reader, writer)

        async with serving(connect, port=unused_port):
            assert "Back" in (await session.run(Navigate(f"http://{PUBLIC}/"), timeout=5)).changes.text


# 48: servers that require credentials


async def test_48_a_page_that_requires_a_password_fails_with_needs_credentials(session: Session, site: Site) -> None:
    headers = {"WWW-Authenticate": 'Basic realm="Vault"'}
    url = site.page("/vault", "<h1>Members only</h1>", status=401, headers=headers)
    with answered_within(5), pytest.raises(NeedsCredentials) as caught:
        await session.run(Navigate(url), timeout=5)
    assert caught.value.code == "needs_credentials"
    assert "Vault" in caught.value.message
    assert "Members only" in (await session.snapshot()).result.text
    await assert_next_page_loads(session, site)


async def test_48_a_click_that_leads_to_a_password_prompt_reports_it(session: Session, site: Site) -> None:
    site.page("/vault", "Members only", status=401, headers={"WWW-Authenticate": "Digest realm=v, nonce=1"})
    await session.navigate(site.page("/", "<a href=/vault>In</a>"))
    assert "asks for a password" in event_text(await session.click("a"), "needs credentials")
    await assert_next_page_loads(session, site)


async def test_48_an_api_that_requires_a_bearer_token_loads_as_a_page(session: Session, site: Site) -> None:
    url = site.page("/api", "{}", status=401, kind="application/json", headers={"WWW-Authenticate": "Bearer"})
    assert (await session.navigate(url)).result.status == 401


async def test_48_a_server_that_asks_for_proxy_credentials_is_an_invalid_response(session: Session, site: Site) -> None:
    url = site.page("/", "", status=407, headers={"Proxy-Authenticate": "Basic realm=p"})
    assert (await failure_message(session, url)).startswith("net::ERR_INVALID_HTTP_RESPONSE: ")
    await assert_next_page_loads(session, site)


async def test_48_a_server_that_requires_a_client_certificate_fails_with_needs_credentials(
    home: Path, site: Site, tmp_path: Path
) -> None:
    made = Authority(tmp_path).issue()
    strict = made.server
    # TLS 1.3 asks after the handshake, and whether the browser reads the alert then varies.
    strict.maximum_version = ssl.TLSVersion.TLSv1_2
    strict.verify_mode = ssl.CERT_REQUIRED
    strict.load_verify_locations(made.file)
    trusting = f"--ignore-certificate-errors-spki-list={made.fingerprint}"
    browser = browser_with(tmp_path, ensure(Settings(), False, print).path, trusting)
    own = Settings(allow_host=OWN_SITES, home=home / "strict", browser=browser, deadlines=Deadlines(launch=60))
    async with Sessions(own) as sessions:
        session = Session(sessions, None)
        with serving_with_client_certificates(strict) as place, answered_within(5), pytest.raises(NeedsCredentials):
            await session.run(Navigate(f"https://{place}/"), timeout=5)
        async with serving(sending_page(b"<h1>Trusted</h1>"), made.server) as good:
            assert "Trusted" in (await session.run(Navigate(f"https://{good}/"), timeout=5)).changes.text
        await assert_next_page_loads(session, site)
