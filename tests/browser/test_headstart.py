"""A browser that was started, and asked for a page, before anything else was loaded."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.chromium_internals import chromium_browser
from tests.processes import eventually, run_folders
from tests.site import OWN_SITES, Site

from rove.chromium.early_launch import early_launch
from rove.chromium.process.browser_process import BrowserProcess
from rove.chromium.process.discovery import find
from rove.chromium.process.launch_arguments import decide_sandbox
from rove.chromium.process.watchdog import processes_of
from rove.engine.sessions.sessions import Sessions
from rove.errors import BrowserUnavailable
from rove.settings import Settings
from rove.surfaces.library import Session

# What may be imported before the browser is started. Modules beyond these take longer than they save.
STANDARD = {"__future__", "_socket", "fcntl", "encodings.ascii"}
OURS = {"rove", "rove.errors", "rove.chromium.early_launch", "rove.home", "rove.port"}
BROWSER = "rove.chromium"

IMPORTS = """
import os, sys
before = set(sys.modules)
from rove.chromium.early_launch import head_start
begun = head_start(["mcp"], os.environ)
imported = set(sys.modules) - before
import json
print(json.dumps([begun is not None, sorted(imported)]))
if begun is not None:
    begun.abandon()
"""


def begun(home: Path) -> BrowserProcess:
    started = early_launch(["mcp", "--home", str(home)], {name: os.environ[name] for name in ("PATH",)})
    assert started is not None
    return started


def settings(home: Path) -> Settings:
    return Settings(home=home, allow_host=OWN_SITES)


async def test_the_page_that_was_asked_for_ahead_is_the_first_tab(tmp_path: Path, site: Site) -> None:
    async with Sessions(settings(tmp_path)) as sessions:
        sessions.start_early(begun(tmp_path))
        session = Session(sessions, None)
        address = site.page("/", "<h1>Here</h1>")
        assert (await session.navigate(address)).tab == "t1"
        browser = chromium_browser(await sessions._browsers.browser(lambda _: None))
        targets = (await browser._connection.root.send("Target.getTargets"))["targetInfos"]
        assert [target["url"] for target in targets if target["type"] == "page"] == [address]
        assert (await session.tabs("new")).tab == "t2"


async def test_it_goes_out_through_the_guard_like_every_other(tmp_path: Path, site: Site) -> None:
    async with Sessions(Settings(home=tmp_path)) as sessions:
        sessions.start_early(begun(tmp_path))
        session = Session(sessions, None)
        script = f"fetch({site.page('/secret', 'mine')!r}, {{mode: 'no-cors'}}).then(() => 1, () => 2)"
        await session.evaluate(script)
        assert site.asked("/secret") == []


async def test_a_named_session_may_be_the_first_and_the_next_has_a_context_of_its_own(
    tmp_path: Path, site: Site
) -> None:
    async with Sessions(settings(tmp_path)) as sessions:
        sessions.start_early(begun(tmp_path))
        named, other = Session(sessions, await sessions.open_session("shop")), Session(sessions, None)
        for session in (named, other):
            await session.navigate(site.page("/", "<h1>Here</h1>"))
        await named.evaluate("document.cookie = 'a=1'")
        assert (await named.evaluate("document.cookie")).result.value == "a=1"
        assert (await other.evaluate("document.cookie")).result.value == ""


async def test_one_that_is_never_used_leaves_nothing(tmp_path: Path) -> None:
    started = begun(tmp_path)
    folder = started.folder.path
    await asyncio.to_thread(started.release)
    assert processes_of(folder) == []
    assert not folder.exists()
    assert run_folders(tmp_path) == []


async def test_one_that_dies_in_mid_word_is_replaced(tmp_path: Path, site: Site) -> None:
    started = begun(tmp_path)
    os.killpg(started.process_group, 9)
    assert eventually(lambda: not started.is_running, 10)
    async with Sessions(settings(tmp_path)) as sessions:
        sessions.start_early(started)
        session = Session(sessions, None)
        with pytest.raises(BrowserUnavailable):
            await session.navigate(site.page("/", "<h1>Here</h1>"))
        assert (await session.navigate(site.page("/", "<h1>Here</h1>"))).tab == "t1"


def test_what_settings_may_decide_otherwise_is_left_to_them(tmp_path: Path) -> None:
    path = {"PATH": os.environ["PATH"]}
    for words, environment in (
        (["mcp", "--no-headless"], path),
        (["mcp", "--sandbox=on"], path),
        (["mcp"], {**path, "ROVE_ATTACH": "http://127.0.0.1:9222"}),
        (["mcp", "--browser", str(tmp_path / "none")], path),
    ):
        assert early_launch([*words, "--home", str(tmp_path)], environment) is None
    (tmp_path / "config.toml").write_text("")
    assert early_launch(["mcp", "--home", str(tmp_path)], path) is None


def test_without_a_page_nothing_is_asked_for_ahead(tmp_path: Path) -> None:
    found = find(None, headless=True)
    assert found is not None
    started = BrowserProcess(tmp_path, found, decide_sandbox("auto", found.path), headless=True)
    assert started.first_page is None
    assert started.take_proxy_port() is None
    started.release()


def test_a_head_start_imports_no_more_than_it_needs(home: Path) -> None:
    environment = {**os.environ, "ROVE_HOME": str(home / "headstart")}
    done = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, check=True, env=environment)
    has_begun, imported = json.loads(done.stdout)
    assert has_begun
    outside = [name for name in imported if name.split(".")[0] != "rove"]
    assert set(outside) <= STANDARD
    assert {name for name in imported if name.startswith("rove") and not name.startswith(BROWSER)} == OURS
