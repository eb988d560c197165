"""The machine that rove runs on: full or read-only disks, no shared memory, browsers that do not work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.processes import browser_of, eventually, marked, run_folders
from tests.rove_process import RoveHome, assert_exits, call, close_input, start_with_page, temporary_rove_home
from tests.site import OWN_SITES, Site

from rove import Session
from rove.engine.sessions import Sessions
from rove.errors import BrowserUnavailable
from rove.settings.tree import Deadlines, Settings

# A mount namespace that ends with the server: other processes do not see what is mounted.
PRIVATE = ["unshare", "--mount", "--propagation", "private", "sh", "-c"]
MOUNT = 'mkdir -p "$1" && mount -t tmpfs -o "$2" tmpfs "$1" && shift 2 && exec "$@"'


@pytest.fixture
def rove_home() -> Generator[RoveHome]:
    with temporary_rove_home() as made:
        yield made


def mounted(folder: Path | str, options: str) -> list[str]:
    """Return the start of a command that runs with a small disk mounted over a folder."""
    if subprocess.run([*PRIVATE, "true"], capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here")
    return [*PRIVATE, MOUNT, "sh", str(folder), options]


def failed(answer: dict[str, Any]) -> dict[str, Any]:
    assert answer["result"].get("isError"), answer
    error: dict[str, Any] = answer["result"]["structuredContent"]["error"]
    return error


def test_56_the_error_for_a_read_only_home_names_the_folder(rove_home: RoveHome, site: Site) -> None:
    server = rove_home.start(*mounted(rove_home.home, "ro"))
    error = failed(call(server, "browser_navigate", url=site.page("/", "<p>Page</p>")))
    assert error["code"] in ("browser_unavailable", "journal_failed")
    assert str(rove_home.home) in error["message"]
    close_input(server)
    assert_exits(server)
    rove_home.assert_clean()


def test_56_a_disk_without_space_for_a_browser_is_an_error_in_time(rove_home: RoveHome, site: Site) -> None:
    server = rove_home.start(*mounted(rove_home.home, "size=64k"), DEADLINES_LAUNCH="10")
    error = failed(call(server, "browser_navigate", url=site.page("/", "<p>Page</p>")))
    assert error["code"] in ("browser_unavailable", "journal_failed")
    close_input(server)
    assert_exits(server)
    rove_home.assert_clean()


def test_56_a_disk_that_fills_up_is_an_error_until_there_is_space_again(rove_home: RoveHome, site: Site) -> None:
    url = site.page("/", "<p>Page</p>")
    server = rove_home.start(*mounted(rove_home.home, "size=40m"))
    assert not call(server, "browser_navigate", url=url)["result"].get("isError")
    inside = Path(f"/proc/{server.pid}/root{rove_home.home}/ballast")
    with pytest.raises(OSError, match="No space"), inside.open("wb") as file:
        while True:
            file.write(b"x" * 65536)
            file.flush()
    error = failed(call(server, "browser_navigate", url=url))
    assert error["code"] == "journal_failed"
    inside.unlink()
    assert eventually(lambda: not call(server, "browser_navigate", url=url)["result"].get("isError"), 30)
    close_input(server)
    assert_exits(server)
    rove_home.assert_clean()


def test_56_rove_works_on_a_machine_without_shared_memory(rove_home: RoveHome, site: Site) -> None:
    server = start_with_page(rove_home, site, *mounted("/dev/shm", "ro,size=4k"))
    heavy = (
        "<canvas id=c width=3000 height=3000></canvas><script>c.getContext('2d').fillRect(0, 0, 3000, 3000)</script>"
    )
    assert not call(server, "browser_navigate", url=site.page("/", heavy))["result"].get("isError")
    assert not call(server, "browser_screenshot", full_page=True)["result"].get("isError")
    close_input(server)
    assert_exits(server)
    rove_home.assert_clean()


def test_57_two_servers_of_one_home_have_their_own_profiles_and_end_separately(rove_home: RoveHome, site: Site) -> None:
    first = start_with_page(rove_home, site)
    call(first, "browser_evaluate", expression="document.cookie = 'whose=first'")
    mine = browser_of(rove_home.home)
    second = start_with_page(rove_home, site)
    answer = call(second, "browser_evaluate", expression="document.cookie")
    assert "whose" not in answer["result"]["content"][0]["text"]
    os.kill(second.pid, signal.SIGKILL)
    assert_exits(second)
    assert eventually(lambda: len(run_folders(rove_home.home)) == 1, 10)
    assert mine in marked(rove_home.home)
    answer = call(first, "browser_evaluate", expression="document.cookie")
    assert "whose=first" in answer["result"]["content"][0]["text"]
    close_input(first)
    assert_exits(first)
    rove_home.assert_clean()


def program(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


# Answers over the pipe with the version of an old browser.
OLD = f"""#!{sys.executable}
import json, os
rest = b""
while data := os.read(3, 65536):
    *whole, rest = (rest + data).split(b"\\0")
    for message in map(json.loads, whole):
        answer = {{"id": message["id"], "result": {{"product": "HeadlessChrome/70.0.3538.77"}}}}
        os.write(4, json.dumps(answer).encode() + b"\\0")
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#!/bin/sh\necho 'no such library' >&2\nexit 127\n", "no such library"),
        ("#!/bin/sh\nexec cat 0<&3 >/dev/null\n", "it logged nothing"),
        (OLD, "is version 70"),
    ],
    ids=["that cannot run", "that never answers", "that is too old"],
)
async def test_58_a_browser_that_does_not_work_is_refused_with_the_reason(
    home: Path, site: Site, text: str, said: str
) -> None:
    broken = program(home / "not-a-browser", text)
    own = home / "refused"
    settings = Settings(home=own, browser=broken, allow_host=OWN_SITES, deadlines=Deadlines(launch=3))
    async with Sessions(settings) as sessions:
        with pytest.raises(BrowserUnavailable) as raised:
            await Session(sessions, None).navigate(site.page("/", "<p>Page</p>"))
        assert str(broken) in raised.value.message
        assert said in raised.value.message
    assert marked(own) == []
    assert run_folders(own) == []


async def test_58_after_three_failures_the_browser_is_not_started_for_a_while_and_the_error_says_how_long(
    home: Path, site: Site
) -> None:
    tried = home / "tried"
    broken = program(home / "broken-again", f"#!/bin/sh\necho x >> {tried}\nexit 1\n")
    settings = Settings(home=home / "looping", browser=broken, deadlines=Deadlines(launch=20), allow_host=OWN_SITES)
    async with Sessions(settings) as sessions:
        for _ in range(6):
            with pytest.raises(BrowserUnavailable) as raised:
                await Session(sessions, None).navigate(site.page("/", "<p>Page</p>"))
    assert len(tried.read_text().split()) == 3
    assert raised.value.retry_after is not None
    assert 0 < raised.value.retry_after <= 30
