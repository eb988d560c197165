"""No process and no folder is left behind when client, rove, watchdog or browser end in any order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Generator

import pytest
from tests.processes import browser_of, eventually, marked, pages_of, processes, run_folders
from tests.rove_process import (
    LONG_TIMEOUT,
    RoveHome,
    assert_exits,
    call,
    close_input,
    send_call,
    start_with_page,
    temporary_rove_home,
)
from tests.site import Site

# A client that starts a server, forwards the calls of the test, and can be killed.
CLIENT = """
import subprocess, sys
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for line in sys.stdin.buffer:
    server.stdin.write(line)
    server.stdin.flush()
    sys.stdout.buffer.write(server.stdout.readline())
    sys.stdout.buffer.flush()
"""


@pytest.fixture
def rove_home() -> Generator[RoveHome]:
    with temporary_rove_home() as made:
        yield made


ORDERS = [
    ("rove",),
    ("browser",),
    ("watchdog",),
    ("rove", "browser"),
    ("browser", "rove"),
    ("watchdog", "browser"),
    ("watchdog", "rove"),
    ("rove", "watchdog"),
    ("watchdog", "browser", "rove"),
]
# The orders that are tested each time: each process alone, and all of them.
QUICK = {order for order in ORDERS if len(order) != 2}
every_order = pytest.mark.parametrize(
    "order",
    [
        pytest.param(order, id=" then ".join(order), marks=[] if order in QUICK else [pytest.mark.slow])
        for order in ORDERS
    ],
)


def kill_in(order: tuple[str, ...], rove_home: RoveHome, site: Site) -> None:
    server = start_with_page(rove_home, site)
    pids = [rove_home.pid_of(name, server) for name in order]
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue  # it ended when the process before it was killed
    if "rove" not in order:
        close_input(server)
    assert_exits(server)
    if {"rove", "watchdog"} <= set(order):
        # No process was left to clean up; the next start does it.
        again = start_with_page(rove_home, site)
        close_input(again)
        assert_exits(again)
    rove_home.assert_clean()


@every_order
def test_35_nothing_is_left_when_rove_watchdog_and_browser_are_killed_in_any_order(
    order: tuple[str, ...], rove_home: RoveHome, site: Site
) -> None:
    kill_in(order, rove_home, site)


@pytest.mark.slow
@pytest.mark.parametrize("round_number", range(20))
@every_order
def test_35_nothing_is_left_in_twenty_rounds_of_kills(
    order: tuple[str, ...], round_number: int, rove_home: RoveHome, site: Site
) -> None:
    kill_in(order, rove_home, site)


@pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGHUP],
    ids=lambda number: number.name,
)
def test_a_signal_ends_the_server_and_all_that_it_started(
    number: signal.Signals, rove_home: RoveHome, site: Site
) -> None:
    server = start_with_page(rove_home, site)
    server.send_signal(number)
    assert_exits(server)
    assert server.returncode == 0
    rove_home.assert_clean()


def test_a_client_that_closes_the_pipe_ends_the_server(rove_home: RoveHome, site: Site) -> None:
    server = start_with_page(rove_home, site)
    close_input(server)
    assert_exits(server)
    assert server.returncode == 0
    rove_home.assert_clean()


def test_a_client_that_is_killed_ends_the_server(rove_home: RoveHome, site: Site) -> None:
    client = start_with_page(rove_home, site, sys.executable, "-c", CLIENT)
    client.kill()
    client.wait()
    rove_home.assert_clean()


def test_a_client_that_is_killed_in_the_middle_of_a_call_ends_the_server(rove_home: RoveHome, site: Site) -> None:
    server = start_with_page(rove_home, site)
    send_call(server, "browser_wait", text="Never", timeout=60)
    close_input(server)
    assert_exits(server)
    rove_home.assert_clean()


@pytest.mark.parametrize("last", ["rove", "client"])
def test_35_a_stopped_page_process_is_not_left_behind(last: str, rove_home: RoveHome, site: Site) -> None:
    server = start_with_page(rove_home, site)
    for pid in pages_of(rove_home.home):
        os.kill(pid, signal.SIGSTOP)
    if last == "rove":
        server.kill()
    else:
        close_input(server)
    assert_exits(server)
    rove_home.assert_clean()


def test_a_server_that_was_never_used_leaves_nothing(rove_home: RoveHome) -> None:
    server = rove_home.start()
    assert eventually(lambda: bool(marked(rove_home.home)), LONG_TIMEOUT)
    server.kill()
    assert_exits(server)
    rove_home.assert_clean()


def test_a_server_that_is_killed_while_its_browser_starts_leaves_nothing(rove_home: RoveHome, site: Site) -> None:
    server = rove_home.start()
    send_call(server, "browser_navigate", url=site.page("/", "<p>Page</p>"))
    assert eventually(lambda: len(marked(rove_home.home)) > 1, LONG_TIMEOUT)
    server.kill()
    assert_exits(server)
    rove_home.assert_clean()


def test_a_browser_that_dies_is_replaced_and_both_leave_nothing_behind(rove_home: RoveHome, site: Site) -> None:
    server = start_with_page(rove_home, site)
    os.kill(browser_of(rove_home.home), signal.SIGKILL)
    url = site.url("/")
    assert eventually(lambda: not call(server, "browser_navigate", url=url)["result"].get("isError"), LONG_TIMEOUT)
    assert len(run_folders(rove_home.home)) == 1
    close_input(server)
    assert_exits(server)
    rove_home.assert_clean()


def test_the_run_folder_of_a_running_server_is_not_deleted(rove_home: RoveHome, site: Site) -> None:
    first = start_with_page(rove_home, site)
    second = start_with_page(rove_home, site)
    assert len(run_folders(rove_home.home)) == 2
    answer = call(first, "browser_extract", target="input", mode="html")
    assert not answer["result"].get("isError")
    for server in (first, second):
        close_input(server)
        assert_exits(server)
    rove_home.assert_clean()


def test_59_rove_as_process_1_leaves_no_zombies_of_its_browsers(rove_home: RoveHome, site: Site) -> None:
    alone = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        pytest.skip("there can be no first process here")
    server = start_with_page(rove_home, site, *alone)
    (first,) = [pid for pid, parent, _ in processes() if parent == server.pid]
    url = site.url("/")
    for _ in range(2):
        os.kill(browser_of(rove_home.home), signal.SIGKILL)
        assert eventually(lambda: not call(server, "browser_navigate", url=url)["result"].get("isError"), LONG_TIMEOUT)
    dead = [pid for pid, parent, state in processes() if parent == first and state == "Z"]
    assert dead == []
    close_input(server)
    assert_exits(server)
    rove_home.assert_clean()
