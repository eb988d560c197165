"""Clients that do not read their answers, for a while or at all, against a real `rove mcp` process."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Generator

import pytest
from tests.processes import eventually
from tests.rove_process import RoveHome, assert_exits, close_input, send_call, start_with_page, temporary_rove_home
from tests.site import Site

# Their answers together are many times what a pipe holds, and each fits into it alone.
LISTINGS = 60
# A page that asks its server for something every 50 ms.
POLLING = "<script>setInterval(() => fetch('/poll'), 50)</script><p>Page</p>"
PATIENCE = 20.0


@pytest.fixture
def rove_home() -> Generator[RoveHome]:
    with temporary_rove_home() as made:
        yield made


def ask_without_reading(process: subprocess.Popen[bytes], method: str, count: int) -> None:
    assert process.stdin is not None
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    for number in range(count):
        message = {"jsonrpc": "2.0", "id": f"{method} {number}", "method": method, "params": {"_meta": meta}}
        process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def stuck(rove_home: RoveHome, site: Site) -> subprocess.Popen[bytes]:
    """A server with a page that makes requests, and with more answers than its client's pipe holds."""
    site.page("/poll", "polled", kind="text/plain")
    process = start_with_page(rove_home, site)
    send_call(process, "browser_navigate", url=site.page("/polling", POLLING))
    ask_without_reading(process, "tools/list", LISTINGS)
    assert keeps_polling(site)
    return process


def keeps_polling(site: Site) -> bool:
    """Whether page traffic, which passes the server's event loop, goes on from here."""
    already = len(site.asked("/poll"))
    return eventually(lambda: len(site.asked("/poll")) > already + 20, PATIENCE)


def test_61_page_traffic_and_calls_go_on_while_the_client_does_not_read(rove_home: RoveHome, site: Site) -> None:
    process = stuck(rove_home, site)
    send_call(process, "browser_navigate", url=site.page("/late", "<p>Late</p><script>fetch('/poll?late')</script>"))
    assert eventually(lambda: any("late" in request.path for request in site.asked("/poll")), PATIENCE)
    assert process.stdout is not None
    answers = [json.loads(process.stdout.readline()) for _ in range(LISTINGS + 2)]
    assert all("result" in answer and not answer["result"].get("isError") for answer in answers)
    listed = [answer["id"] for answer in answers if answer["id"] != 1]
    assert listed == [f"tools/list {number}" for number in range(LISTINGS)]


def test_61_a_server_whose_client_does_not_read_ends_when_it_is_told_to(rove_home: RoveHome, site: Site) -> None:
    process = stuck(rove_home, site)
    process.send_signal(signal.SIGTERM)
    assert eventually(lambda: process.poll() is not None, PATIENCE)
    rove_home.assert_clean()


def test_61_a_server_whose_client_does_not_read_ends_with_its_input(rove_home: RoveHome, site: Site) -> None:
    process = stuck(rove_home, site)
    close_input(process)
    assert eventually(lambda: process.poll() is not None, PATIENCE)
    rove_home.assert_clean()


def test_61_a_client_that_never_reads_is_given_up(rove_home: RoveHome) -> None:
    process = rove_home.start()
    ask_without_reading(process, "tools/list", 1)
    assert process.stdout is not None
    size = len(process.stdout.readline())
    with pytest.raises(BrokenPipeError):
        ask_without_reading(process, "tools/list", 100 * 2**20 // size)
    assert_exits(process)
    assert process.returncode == 0
    rove_home.assert_clean()
