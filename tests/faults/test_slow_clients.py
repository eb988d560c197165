"""Clients that stop reading responses, for a while or for good, with a real `rove mcp` process."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Generator

import pytest
from tests.processes import eventually
from tests.rove_process import RoveHome, assert_exits, close_input, send_call, start_with_page, temporary_rove_home
from tests.site import Site

# Their responses together are many times the size of a pipe; each one fits into it.
LISTINGS = 60
# A page that sends a request every 50 ms.
POLLING = "<script>setInterval(() => fetch('/poll'), 50)</script><p>Page</p>"
PATIENCE = 20.0


@pytest.fixture
def rove_home() -> Generator[RoveHome]:
    with temporary_rove_home() as made:
        yield made


def send_without_reading(process: subprocess.Popen[bytes], method: str, count: int) -> None:
    assert process.stdin is not None
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    for number in range(count):
        message = {"jsonrpc": "2.0", "id": f"{method} {number}", "method": method, "params": {"_meta": meta}}
        process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def start_blocked_server(rove_home: RoveHome, site: Site) -> subprocess.Popen[bytes]:
    """Start a server with a page that makes requests, and send more calls than the pipe has space for responses."""
    site.page("/poll", "polled", kind="text/plain")
    process = start_with_page(rove_home, site)
    send_call(process, "browser_navigate", url=site.page("/polling", POLLING))
    send_without_reading(process, "tools/list", LISTINGS)
    assert keeps_polling(site)
    return process


def keeps_polling(site: Site) -> bool:
    """Return whether page traffic, which passes the server's event loop, continues."""
    already = len(site.asked("/poll"))
    return eventually(lambda: len(site.asked("/poll")) > already + 20, PATIENCE)


def test_61_page_traffic_and_calls_continue_while_the_client_does_not_read(rove_home: RoveHome, site: Site) -> None:
    process = start_blocked_server(rove_home, site)
    send_call(process, "browser_navigate", url=site.page("/late", "<p>Late</p><script>fetch('/poll?late')</script>"))
    assert eventually(lambda: any("late" in request.path for request in site.asked("/poll")), PATIENCE)
    assert process.stdout is not None
    answers = [json.loads(process.stdout.readline()) for _ in range(LISTINGS + 2)]
    assert all("result" in answer and not answer["result"].get("isError") for answer in answers)
    listed = [answer["id"] for answer in answers if answer["id"] != 1]
    assert listed == [f"tools/list {number}" for number in range(LISTINGS)]


@pytest.mark.slow
def test_61_a_server_whose_client_does_not_read_ends_on_a_signal(rove_home: RoveHome, site: Site) -> None:
    process = start_blocked_server(rove_home, site)
    process.send_signal(signal.SIGTERM)
    assert eventually(lambda: process.poll() is not None, PATIENCE)
    rove_home.assert_clean()


@pytest.mark.slow
def test_61_a_server_whose_client_does_not_read_ends_when_its_input_is_closed(rove_home: RoveHome, site: Site) -> None:
    process = start_blocked_server(rove_home, site)
    close_input(process)
    assert eventually(lambda: process.poll() is not None, PATIENCE)
    rove_home.assert_clean()


def test_61_a_server_ends_when_its_client_never_reads(rove_home: RoveHome) -> None:
    process = rove_home.start()
    send_without_reading(process, "tools/list", 1)
    assert process.stdout is not None
    size = len(process.stdout.readline())
    with pytest.raises(BrokenPipeError):
        send_without_reading(process, "tools/list", 100 * 2**20 // size)
    assert_exits(process)
    assert process.returncode == 0
    rove_home.assert_clean()
