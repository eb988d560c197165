"""Safari through safaridriver: what the driver is asked for, and how loudly rove says that it is not guarded.

Never run with Apple's driver: `safari/safaridriver` stands for it, with WebKitGTK behind it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.loopback_servers import canary
from tests.processes import marked
from tests.site import Site

from rove import Session
from rove.browser.webkit.engine import ENGINE
from rove.browser.webkit.install import find
from rove.engine.guard_notice import WITHOUT_PROXY, guard_notice_of
from rove.engine.sessions import Sessions
from rove.errors import BrowserUnavailable, Denied, Unsupported
from rove.settings.tree import Deadlines, Guarding, Settings

DRIVER = Path(__file__).parent / "safari" / "safaridriver"


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which the driver notes what it is asked for."""
    browser = find()
    assert browser is not None
    monkeypatch.setenv("FAKE_SAFARI_RECORD", str(tmp_path / "asked"))
    monkeypatch.setenv("FAKE_SAFARI_MINIBROWSER", browser.browser)
    return tmp_path / "asked"


def settings_of(home: Path, guard: Guarding) -> Settings:
    deadlines = Deadlines(action=30, launch=60)
    return Settings(
        home=home, allow_host=("localhost",), engine="webkit", browser=DRIVER, guard=guard, deadlines=deadlines
    )


@pytest.fixture
async def safari(tmp_path: Path, record: Path) -> AsyncGenerator[Sessions]:
    """Sessions of an owner who has accepted that Safari is not guarded."""
    async with Sessions(settings_of(tmp_path, Guarding(safari="unguarded"))) as sessions:
        yield sessions
    assert marked(tmp_path) == []


def asked(record: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in record.read_text("utf-8").splitlines()]


def rove(home: Path, *arguments: str) -> str:
    environment = {**os.environ, "ROVE_HOME": str(home), "ROVE_ENGINE": "webkit", "ROVE_BROWSER": str(DRIVER)}
    environment["ROVE_GUARD_SAFARI"] = "unguarded"
    command = [sys.executable, "-m", "rove", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment).stdout


async def test_safari_is_refused_until_the_owner_accepts_that_it_is_not_guarded(tmp_path: Path, record: Path) -> None:
    async with Sessions(settings_of(tmp_path, Guarding())) as sessions:
        with pytest.raises(Unsupported) as refused:
            await Session(sessions, "default").evaluate("1")
    assert "guard.safari" in refused.value.hint
    assert not record.exists(), "no driver was started"


async def test_every_answer_that_tells_of_the_guard_says_that_safari_is_not_guarded(
    safari: Sessions, record: Path, site: Site, tmp_path: Path
) -> None:
    session = Session(safari, "default")
    async with canary() as forbidden:
        page = f"<p id=said>Hello</p><script>fetch('http://127.0.0.1:{forbidden.port}/', {{mode: 'no-cors'}})</script>"
        site.page("/", page)
        first = await session.navigate(site.url("/", "localhost"))
        assert [event.kind for event in first.events] == ["not guarded"]
        assert str(first.events[0].advice) == str(WITHOUT_PROXY)
        assert "Hello" in first.changes.text
        await session.wait(text="Hello")
        assert forbidden.calls, "what the notice says is true"
        with pytest.raises(Denied):
            await session.navigate(f"http://127.0.0.1:{forbidden.port}/")
    assert "NOT GUARDED" in str((await session.status()).result)
    assert "NOT GUARDED" in rove(tmp_path, "config", "show")
    assert "not guarded" in rove(tmp_path, "journal", "show", "default")
    (start,) = asked(record)
    assert start["arguments"][0] == "-p"
    assert int(start["arguments"][1]) > 0
    assert start["capabilities"] == {
        "browserName": "safari",
        "platformName": "mac",
        "pageLoadStrategy": "none",
        "unhandledPromptBehavior": "ignore",
        "timeouts": {"script": None},
    }


@pytest.mark.slow
async def test_a_second_session_is_told_that_safari_runs_one_at_a_time(safari: Sessions, site: Site) -> None:
    first = Session(safari, "default")
    await first.evaluate("1")
    await first.open_session(name="second")
    with pytest.raises(BrowserUnavailable) as refused:
        await Session(safari, "second").evaluate("1")
    assert "paired with another session" in refused.value.message
    assert "one session at a time" in refused.value.hint


async def test_doctor_and_the_version_come_from_the_driver(tmp_path: Path) -> None:
    for choice, state in (("refuse", "broken"), ("unguarded", "worth knowing")):
        settings = settings_of(tmp_path, Guarding(safari=choice))  # type: ignore[arg-type]
        findings = {found.subject: found async for found in ENGINE.diagnose(settings)}
        assert findings["Guard"].state == state
        assert guard_notice_of(settings) is WITHOUT_PROXY
    assert ENGINE.installed(settings) == f"Safari 18.5: {DRIVER}"
    assert "Version/18.5 Safari/" in ENGINE.user_agent(settings)
