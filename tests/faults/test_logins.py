"""A login outlasts the browser and rove itself, whichever of them is killed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Generator
from typing import Any

import pytest
from tests.login_page import LOGGED_IN, LOGGED_OUT, serve
from tests.processes import browser_of, eventually
from tests.rove_process import RoveHome, assert_exits, call, close_input, temporary_rove_home
from tests.site import Site


@pytest.fixture
def rove_home() -> Generator[RoveHome]:
    with temporary_rove_home() as rove_home:
        yield rove_home


def found(server: subprocess.Popen[bytes], url: str) -> Any:
    """Load the page and return what its first script has found."""
    assert not is_error(call(server, "browser_navigate", url=url))
    assert not is_error(call(server, "browser_wait", text='"user"'))
    answer = call(server, "browser_evaluate", expression="found")["result"]["content"][0]["text"]
    value = re.search(r"\{.*\}", answer, re.DOTALL)
    assert value is not None, answer
    return json.loads(value[0])


def is_error(answer: dict[str, Any]) -> bool:
    return bool(answer["result"].get("isError"))


CHOICES = {
    "profile": ({"PROFILE": "office"}, "profiles/office/last.state"),
    "state": ({"LOGINS_STATE": "app", "LOGINS_SAVE_ON_CLOSE": "true"}, "states/app.state"),
}


@pytest.mark.parametrize("kind", ["profile", pytest.param("state", marks=pytest.mark.slow)])
def test_a_login_is_kept_over_a_crash_of_the_browser_a_kill_of_rove_and_a_restart(
    rove_home: RoveHome, site: Site, kind: str
) -> None:
    url = serve(site)
    settings, file = CHOICES[kind]
    settings = {**settings, "LOGINS_KEY": "file"}
    kept = rove_home.home / file
    server = rove_home.start(**settings)
    assert found(server, url) == LOGGED_OUT
    assert eventually(kept.exists, 20)
    before = kept.read_bytes()
    call(server, "browser_click", target='button "Log in"')
    # It is saved soon after a call, without a further call and without closing anything.
    assert eventually(lambda: kept.read_bytes() != before, 20)

    os.kill(browser_of(rove_home.home), signal.SIGKILL)
    if is_error(call(server, "browser_snapshot")):  # the call during which it is found dead
        assert not is_error(call(server, "browser_snapshot"))
    assert found(server, url) == LOGGED_IN

    os.kill(server.pid, signal.SIGKILL)
    server.wait()
    server = rove_home.start(**settings)  # at once, while the watchdog still ends the old browser
    after_kill = found(server, url)
    assert after_kill == (LOGGED_IN if kind == "state" else {**LOGGED_IN, "session": after_kill["session"]})

    close_input(server)
    assert_exits(server)
    server = rove_home.start(**settings)
    assert {**found(server, url), "session": None} == {**LOGGED_IN, "session": None}
    close_input(server)
    assert_exits(server)
    rove_home.assert_clean()


def test_a_profile_in_use_by_another_process_is_named_and_free_again_when_that_is_killed(
    rove_home: RoveHome, site: Site
) -> None:
    url = serve(site)
    first, second = (rove_home.start(PROFILE="work", LOGINS_KEY="file") for _ in range(2))
    assert not is_error(call(first, "browser_navigate", url=url))
    refused = call(second, "browser_navigate", url=url)["result"]
    assert refused["isError"]
    assert f"the session default of the process {first.pid}" in refused["content"][0]["text"]
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    assert not is_error(call(second, "browser_navigate", url=url))
