"""Starting the browser of a server, with a first page, before the rest of rove is imported."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client
from tests.chromium_internals import chromium_browser
from tests.mcp_clients import ROVE, held_open
from tests.mcp_clients import environment as variables_of
from tests.processes import browser_of, eventually, marked, run_folders
from tests.site import OWN_SITES, Site

from rove.browser.chromium.discovery import find
from rove.browser.chromium.launch import BrowserProcess, decide_sandbox, early_launch
from rove.browser.shared.watchdog import processes_of
from rove.engine.sessions import Sessions
from rove.errors import BrowserUnavailable
from rove.settings.tree import Settings
from rove.surfaces.library import Session

pytestmark = pytest.mark.engines("chromium", reason="only Chromium is started before the first call")

# What may be imported before the browser is started. Modules beyond these take longer than they save.
STANDARD = {"__future__", "_socket", "fcntl", "encodings.ascii"}
OURS = {
    "rove", "rove.browser", "rove.errors", "rove.page_text", "rove.settings", "rove.settings.chrome_version",
    "rove.settings.home", "rove.version",
}  # fmt: skip
BROWSER = ("rove.browser.chromium", "rove.browser.shared")

IMPORTS = """
import os, sys
before = set(sys.modules)
from rove.browser.chromium.launch import early_launch
process = early_launch(["mcp"], os.environ)
imported = set(sys.modules) - before
import json
print(json.dumps([process is not None, sorted(imported)]))
if process is not None:
    process.release()
"""


def launch_early(home: Path) -> BrowserProcess:
    process = early_launch(["mcp", "--home", str(home)], {"PATH": os.environ["PATH"]})
    assert process is not None
    return process


def settings(home: Path) -> Settings:
    return Settings(home=home, allow_host=OWN_SITES)


async def test_the_first_page_becomes_the_first_tab(tmp_path: Path, site: Site) -> None:
    async with Sessions(settings(tmp_path)) as sessions:
        sessions.start_early(launch_early(tmp_path))
        session = Session(sessions, None)
        address = site.page("/", "<h1>Here</h1>")
        assert (await session.navigate(address)).tab == "t1"
        browser = chromium_browser(await sessions._browsers.shared.browser(lambda _: None))
        targets = (await browser._connection.root.send("Target.getTargets"))["targetInfos"]
        assert [target["url"] for target in targets if target["type"] == "page"] == [address]
        assert (await session.tabs("new")).tab == "t2"


async def test_the_first_page_uses_the_proxy_like_every_other(tmp_path: Path, site: Site) -> None:
    async with Sessions(Settings(home=tmp_path)) as sessions:
        sessions.start_early(launch_early(tmp_path))
        session = Session(sessions, None)
        script = f"fetch({site.page('/secret', 'mine')!r}, {{mode: 'no-cors'}}).then(() => 1, () => 2)"
        await session.evaluate(script)
        assert site.asked("/secret") == []


async def test_a_named_session_may_take_the_first_page_and_the_next_session_has_another_context(
    tmp_path: Path, site: Site
) -> None:
    async with Sessions(settings(tmp_path)) as sessions:
        sessions.start_early(launch_early(tmp_path))
        named, other = Session(sessions, await sessions.open_session("shop")), Session(sessions, None)
        for session in (named, other):
            await session.navigate(site.page("/", "<h1>Here</h1>"))
        await named.evaluate("document.cookie = 'a=1'")
        assert (await named.evaluate("document.cookie")).result.value == "a=1"
        assert (await other.evaluate("document.cookie")).result.value == ""


async def test_a_browser_that_is_never_used_leaves_nothing_behind(tmp_path: Path) -> None:
    process = launch_early(tmp_path)
    folder = process.folder.path
    await asyncio.to_thread(process.release)
    assert processes_of(folder) == []
    assert not folder.exists()
    assert run_folders(tmp_path) == []


async def test_a_browser_that_dies_while_it_starts_is_replaced(tmp_path: Path, site: Site) -> None:
    process = launch_early(tmp_path)
    os.killpg(process.process.pid, 9)
    assert eventually(lambda: not process.is_running, 10)
    async with Sessions(settings(tmp_path)) as sessions:
        sessions.start_early(process)
        session = Session(sessions, None)
        with pytest.raises(BrowserUnavailable):
            await session.navigate(site.page("/", "<h1>Here</h1>"))
        assert (await session.navigate(site.page("/", "<h1>Here</h1>"))).tab == "t1"


def test_nothing_is_started_where_settings_may_decide_otherwise(tmp_path: Path) -> None:
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


@pytest.mark.contract("A5", "B1", "D5")
@pytest.mark.parametrize(
    ("toolset", "chosen_by"),
    [("devtools", "flag"), ("devtools", "variable"), ("devtools", "file"), ("batch", "flag"), ("composite", "file")],
)
async def test_with_these_toolsets_no_browser_is_started_before_the_first_call(
    home: Path, toolset: str, chosen_by: str
) -> None:
    own = home / f"{toolset}-{chosen_by}"
    own.mkdir()
    if chosen_by == "file":
        (own / "config.toml").write_text(f'toolset = "{toolset}"\n')
    variables = variables_of(own) | ({"ROVE_TOOLSET": toolset} if chosen_by == "variable" else {})
    words = ["--toolset", toolset] if chosen_by == "flag" else []
    parameters = StdioServerParameters(command=ROVE, args=["mcp", *words], env=variables)
    async with held_open(Client(parameters, read_timeout_seconds=60)) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert marked(own) == [] and run_folders(own) == []
        if "browser_eval" in names:
            await client.call_tool("browser_eval", {"expression": "1"})
            assert browser_of(own)


def test_without_a_first_page_no_proxy_port_is_reserved(tmp_path: Path) -> None:
    installation = find(None, headless=True)
    assert installation is not None
    process = BrowserProcess(tmp_path, installation, decide_sandbox("auto", installation.path), headless=True)
    assert process.first_page is None
    assert process.take_proxy_port() is None
    process.release()


def test_an_early_launch_imports_no_more_than_it_needs(home: Path) -> None:
    environment = {**os.environ, "ROVE_HOME": str(home / "early")}
    child = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, check=True, env=environment)
    is_started, imported = json.loads(child.stdout)
    assert is_started
    outside = [name for name in imported if name.split(".")[0] != "rove"]
    assert set(outside) <= STANDARD
    assert {name for name in imported if name.startswith("rove") and not name.startswith(BROWSER)} == OURS
