"""Servers that refuse, hang, lie or break off: each is told by its name, in time, and the next page works.

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
from tests.faults.servers import (
    HTML,
    Answer,
    asked,
    demanding,
    dribbling,
    never,
    reset,
    sending,
    serving,
    whole,
)
from tests.faults.survival import answered_within, browser_with, goes_on, told
from tests.site import OWN_SITES, Site

from rove import Session
from rove.actions.navigation import Navigate
from rove.actions.pointer import Click
from rove.actions.snapshot import Snapshot
from rove.chromium.installation import ensure
from rove.engine.sessions.sessions import Sessions
from rove.errors import CertificateInvalid, DeadlineExceeded, NavigationFailed, NeedsCredentials
from rove.settings import Deadlines, Limits, Settings

PUBLIC = "93.184.216.34"
Trusting = tuple[Session, Authority]


async def refused(session: Session, address: str) -> str:
    """What is said of an address that cannot be loaded."""
    with answered_within(5), pytest.raises(NavigationFailed) as caught:
        await session.run(Navigate(address), timeout=5)
    return caught.value.message


# 14, 15, 16: servers that take their time


async def test_14_a_server_that_never_answers_costs_its_deadline_and_no_more(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<h1>Before</h1>"))
    async with serving(never) as place:
        with answered_within(0.5), pytest.raises(DeadlineExceeded) as caught:
            await session.run(Navigate(f"http://{place}/"), timeout=0.5)
        assert caught.value.message == "Timeout after 0.5s waiting for page load"
        assert place in caught.value.hint
        # The page that was there is still there, and answers while that server goes on saying nothing.
        assert "Before" in (await session.run(Snapshot(), timeout=5)).result.text
        await goes_on(session, site)


async def test_14_a_link_to_a_server_that_never_answers_was_clicked_and_its_page_stays(
    session: Session, site: Site
) -> None:
    async with serving(never) as place:
        await session.navigate(site.page("/", f"<h1>Before</h1><a href='http://{place}/'>Away</a>"))
        with answered_within(2):
            clicked = await session.run(Click("a"), timeout=2)
        assert place in clicked.pending[0]
        # The page that was there is kept, once the time of a call has been given to the server in vain.
        with answered_within(2):
            seen = await session.run(Snapshot(), timeout=2)
        assert "Before" in seen.result.text
        assert place in told(seen, "loading stopped")
        with answered_within(0.5):
            assert "Before" in (await session.run(Snapshot(), timeout=2)).result.text


async def test_14_a_link_to_a_slow_server_is_followed_by_whatever_is_asked_next(session: Session, site: Site) -> None:
    async def late(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asked(reader)
        await asyncio.sleep(2)  # longer than the click has
        writer.write(HTML + b"\r\n<h1>Late</h1>")

    async with serving(late) as place:
        await session.navigate(site.page("/", f"<h1>Before</h1><a href='http://{place}/'>Away</a>"))
        clicked = await session.run(Click("a"), timeout=1)
        assert place in clicked.pending[0]
        assert "Late" in (await session.run(Snapshot(), timeout=10)).result.text


async def test_14_one_session_waiting_for_a_server_does_not_delay_another(session: Session, site: Site) -> None:
    other = await session.another("beside")
    async with serving(never) as place:
        waiting = asyncio.ensure_future(session.run(Navigate(f"http://{place}/"), timeout=5))
        await goes_on(other, site)
        assert not waiting.done()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    await goes_on(session, site)


async def test_15_a_page_that_trickles_in_is_shown_as_far_as_it_came(session: Session, site: Site) -> None:
    async with serving(dribbling(b"<!doctype html><h1>Slow</h1>", b".")) as place:
        with answered_within(2):
            outcome = await session.run(Navigate(f"http://{place}/"), timeout=2)
        assert 'heading "Slow"' in outcome.changes.text
        assert any("incomplete" in what for what in outcome.pending)
        await goes_on(session, site)


async def test_15_headers_that_trickle_in_are_given_up_on(session: Session, site: Site) -> None:
    async with serving(dribbling(b"", b"X-More: 1\r\n", head=b"HTTP/1.1 200 OK\r\nX-First: 1")) as place:
        with answered_within(0.5), pytest.raises(DeadlineExceeded):
            await session.run(Navigate(f"http://{place}/"), timeout=0.5)
    await goes_on(session, site)


async def test_15_a_script_that_never_comes_holds_back_only_what_is_below_it(session: Session, site: Site) -> None:
    async with serving(never) as place:
        page = f"<h1>Above</h1><script src=http://{place}/x.js></script><h1>Below</h1>"
        outcome = await session.run(Navigate(site.page("/", page)), timeout=2)
        assert "Above" in outcome.changes.text and "Below" not in outcome.changes.text
        assert outcome.pending
        await goes_on(session, site)


@pytest.fixture
async def small(home: Path) -> AsyncGenerator[Session]:
    """A browser that takes one megabyte of a page and no more."""
    settings = Settings(
        allow_host=OWN_SITES, home=home / "small", deadlines=Deadlines(launch=60), limits=Limits(page_megabytes=1)
    )
    async with Sessions(settings) as sessions:
        yield Session(sessions, None)


async def test_16_17_a_page_without_end_and_one_that_unpacks_to_one_are_cut(small: Session, site: Site) -> None:
    paragraph = b"<p>" + b"word " * 2000 + b"</p>"
    endless = dribbling(b"<!doctype html><h1>Endless</h1>", paragraph * 20)
    bomb = gzip.compress(b"<!doctype html><h1>Bomb</h1>" + paragraph * 5000)
    assert len(bomb) < 2**19
    packed = sending(bomb, HTML + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n" % len(bomb))
    for answer, heading in ((endless, "Endless"), (packed, "Bomb")):
        async with serving(answer) as place:
            with answered_within(10):
                outcome = await small.run(Navigate(f"http://{place}/"), timeout=10)
            assert f'heading "{heading}"' in outcome.changes.text
            assert "larger than 1 MB" in told(outcome, "page cut")
            read = await small.evaluate("document.body.textContent.length")
            assert read.result.value < 10 * 2**20
    await goes_on(small, site)


# 17: servers that break off in the middle


async def broken_in_the_middle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await asked(reader)
    writer.write(HTML + b"Content-Length: 5000\r\n\r\n<!doctype html><h1>Half</h1>" + b" " * 2000)
    await writer.drain()
    reset(writer)


# The guard hands on no answer of which it cannot tell where it ends: to the browser they all break off.
HALF = b"<!doctype html><h1>Half</h1>"
BROKEN: dict[str, tuple[Answer, str]] = {
    "reset": (broken_in_the_middle, "net::ERR_CONNECTION_RESET"),
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
async def test_17_a_page_that_breaks_off_is_a_failure_of_its_own(session: Session, site: Site, name: str) -> None:
    answer, code = BROKEN[name]
    async with serving(answer) as place:
        assert (await refused(session, f"http://{place}/")).startswith(f"{code}: ")
    assert (await session.run(Snapshot(), timeout=5)).result.tokens >= 0
    await goes_on(session, site)


# 18: certificates


@pytest.fixture
async def trusting(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Trusting]:
    """A browser that trusts one more authority than others do."""
    authority = Authority(tmp_path)
    authority.is_trusted_in(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    async with Sessions(
        Settings(allow_host=OWN_SITES, home=home / "trusting", deadlines=Deadlines(launch=60))
    ) as sessions:
        yield Session(sessions, None), authority


async def distrusted(session: Session, made: Certificate) -> str:
    """What is said of a server with such a certificate, which is never told what was wanted of it."""
    requests: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await asked(reader))

    async with serving(answer, made.server) as place:
        with answered_within(5), pytest.raises(CertificateInvalid) as caught:
            await session.run(Navigate(f"https://{place}/"), timeout=5)
    assert caught.value.code == "certificate_invalid"
    assert place in caught.value.message
    assert requests == []
    return caught.value.message.removeprefix("net::").partition(":")[0]


@pytest.mark.skipif(sys.platform != "linux", reason="certificates are trusted in other ways elsewhere")
async def test_18_a_bad_certificate_is_told_by_what_is_wrong_with_it_and_never_passed_over(
    trusting: Trusting, site: Site, tmp_path: Path
) -> None:
    session, authority = trusting
    async with serving(whole(b"<h1>Trusted</h1>"), authority.issue().server) as place:
        assert "Trusted" in (await session.run(Navigate(f"https://{place}/"), timeout=5)).changes.text
    assert await distrusted(session, authority.issue(days=(-9, -2))) == "ERR_CERT_DATE_INVALID"
    assert await distrusted(session, authority.issue("a.example")) == "ERR_CERT_COMMON_NAME_INVALID"
    (tmp_path / "unknown").mkdir()
    assert await distrusted(session, Authority(tmp_path / "unknown").issue()) == "ERR_CERT_AUTHORITY_INVALID"
    await goes_on(session, site)


async def test_18_a_handshake_that_hangs_is_given_up_on(session: Session, site: Site) -> None:
    async with serving(never) as place:
        with answered_within(0.5), pytest.raises(DeadlineExceeded):
            await session.run(Navigate(f"https://{place}/"), timeout=0.5)
    await goes_on(session, site)


async def test_18_a_server_that_speaks_no_tls_says_so(session: Session, site: Site) -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async with serving(plain) as place:
        assert (await refused(session, f"https://{place}/")).startswith("net::ERR_SSL_PROTOCOL_ERROR: ")
    await goes_on(session, site)


# 19: nobody there


async def test_19_a_refused_connection_is_told_in_the_words_of_the_contract(
    session: Session, site: Site, unused_port: int
) -> None:
    message = await refused(session, f"http://localhost:{unused_port}/x")
    assert message == f"net::ERR_CONNECTION_REFUSED: Failed to connect to localhost:{unused_port}"
    outcome = await goes_on(session, site)
    assert outcome.events == ()  # told once


async def test_19_a_name_that_nobody_has_is_not_resolved(session: Session, site: Site) -> None:
    message = await refused(session, "http://nobody.invalid/")
    assert message == "net::ERR_NAME_NOT_RESOLVED: Failed to resolve nobody.invalid"
    await goes_on(session, site)


async def test_19_a_server_that_hangs_up_and_one_that_talks_nonsense_are_told_apart(
    session: Session, site: Site
) -> None:
    async def resetting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asked(reader)
        reset(writer)

    async with serving(resetting) as place:
        assert await refused(session, f"http://{place}/") == f"net::ERR_CONNECTION_RESET: {place} reset the connection"

    async def empty(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asked(reader)

    async with serving(empty) as place:
        assert (await refused(session, f"http://{place}/")).startswith("net::ERR_EMPTY_RESPONSE: ")
    async with serving(sending(b"", b"HTTP/1.1 200 OK\r\nContent-Ty")) as place:
        assert (await refused(session, f"http://{place}/")).startswith("net::ERR_RESPONSE_HEADERS_TRUNCATED: ")
    async with serving(sending(b"", b"\x00\x01 not HTTP at all\r\n\r\n")) as place:
        assert (await refused(session, f"http://{place}/")).startswith("net::ERR_INVALID_HTTP_RESPONSE: ")
    await goes_on(session, site)


async def test_48_a_proxy_that_wants_a_password_is_told_with_where_its_owner_gives_one(
    home: Path, unused_port: int
) -> None:
    own = Settings(home=home / "proxied", proxy=f"http://127.0.0.1:{unused_port}", deadlines=Deadlines(launch=60))
    demand = b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=x\r\n\r\n"
    async with Sessions(own) as sessions, serving(sending(b"", demand), port=unused_port):
        for scheme in ("http", "https"):
            with answered_within(5), pytest.raises(NeedsCredentials) as caught:
                await Session(sessions, None).run(Navigate(f"{scheme}://{PUBLIC}/"), timeout=5)
            assert "--proxy" in caught.value.hint


async def test_19_a_link_to_nowhere_is_told_by_the_click(session: Session, site: Site, unused_port: int) -> None:
    await session.navigate(site.page("/", f"<a href=http://127.0.0.1:{unused_port}/>Go</a>"))
    outcome = await session.click("a")
    assert "net::ERR_CONNECTION_REFUSED" in told(outcome, "request failed")
    await goes_on(session, site)


async def test_19_a_dead_proxy_is_told_from_a_dead_server_and_works_again_when_it_is_back(
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
        message = await refused(session, f"http://{PUBLIC}/")
        assert message == "net::ERR_PROXY_CONNECTION_FAILED: Failed to connect to the proxy"

        async def leading_home(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            assert (await asked(reader)).startswith(f"CONNECT {PUBLIC}:80 ".encode())
            writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            await whole(b"<h1>Back</h1>")(reader, writer)

        async with serving(leading_home, port=unused_port):
            assert "Back" in (await session.run(Navigate(f"http://{PUBLIC}/"), timeout=5)).changes.text


# 48: who are you?


async def test_48_a_server_that_wants_a_password_is_told_as_such(session: Session, site: Site) -> None:
    headers = {"WWW-Authenticate": 'Basic realm="Vault"'}
    url = site.page("/vault", "<h1>Members only</h1>", status=401, headers=headers)
    with answered_within(5), pytest.raises(NeedsCredentials) as caught:
        await session.run(Navigate(url), timeout=5)
    assert caught.value.code == "needs_credentials"
    assert "Vault" in caught.value.message
    assert "Members only" in (await session.snapshot()).result.text
    await goes_on(session, site)


async def test_48_a_click_that_ends_at_a_password_says_so(session: Session, site: Site) -> None:
    site.page("/vault", "Members only", status=401, headers={"WWW-Authenticate": "Digest realm=v, nonce=1"})
    await session.navigate(site.page("/", "<a href=/vault>In</a>"))
    assert "asks for a password" in told(await session.click("a"), "needs credentials")
    await goes_on(session, site)


async def test_48_an_interface_that_wants_a_token_is_a_page_like_any_other(session: Session, site: Site) -> None:
    url = site.page("/api", "{}", status=401, kind="application/json", headers={"WWW-Authenticate": "Bearer"})
    assert (await session.navigate(url)).result.status == 401


async def test_48_a_server_that_plays_proxy_is_not_understood(session: Session, site: Site) -> None:
    url = site.page("/", "", status=407, headers={"Proxy-Authenticate": "Basic realm=p"})
    assert (await refused(session, url)).startswith("net::ERR_INVALID_HTTP_RESPONSE: ")
    await goes_on(session, site)


async def test_48_a_server_that_wants_a_certificate_is_told_as_such(home: Path, site: Site, tmp_path: Path) -> None:
    made = Authority(tmp_path).issue()
    strict = made.server
    # Later versions ask only once the connection is open, and how that ends is a matter of chance.
    strict.maximum_version = ssl.TLSVersion.TLSv1_2
    strict.verify_mode = ssl.CERT_REQUIRED
    strict.load_verify_locations(made.file)
    trusting = f"--ignore-certificate-errors-spki-list={made.fingerprint}"
    browser = browser_with(tmp_path, ensure(Settings(), False, print).path, trusting)
    own = Settings(allow_host=OWN_SITES, home=home / "strict", browser=browser, deadlines=Deadlines(launch=60))
    async with Sessions(own) as sessions:
        session = Session(sessions, None)
        with demanding(strict) as place, answered_within(5), pytest.raises(NeedsCredentials):
            await session.run(Navigate(f"https://{place}/"), timeout=5)
        async with serving(whole(b"<h1>Trusted</h1>"), made.server) as good:
            assert "Trusted" in (await session.run(Navigate(f"https://{good}/"), timeout=5)).changes.text
        await goes_on(session, site)
