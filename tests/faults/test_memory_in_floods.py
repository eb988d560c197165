"""Floods of console messages and requests leave rove's memory bounded, and other sessions are answered."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.rove_process import RoveHome, call, start_with_page, temporary_rove_home
from tests.site import Site

# These take minutes, and need the whole machine.
pytestmark = pytest.mark.slow

PAGE = 4096
LASTS = 4.0
# Allows for one line of 10 MB in transfer: as bytes, joined, and as a string.
MOST_MORE = 64e6

LINES = "for (let i = 0; i < 1e6; i++) console.log('line ' + i)"
LONG_LINES = "const long = 'x'.repeat(1e7); for (let i = 0; i < 100; i++) console.log(long + i)"
ERRORS = "for (let i = 0; i < 1e5; i++) setTimeout(() => { throw new Error('x'.repeat(1e5)) })"
REQUESTS = "for (let i = 0; i < 1e5; i++) fetch('/none?' + i).catch(() => 0)"
LONG_REQUESTS = "const long = 'x'.repeat(1e6); for (let i = 0; i < 1e4; i++) fetch('/none?' + long + i).catch(() => 0)"
DATA = "const long = 'data:,' + 'x'.repeat(1e6); for (let i = 0; i < 1e4; i++) fetch(long + i).catch(() => 0)"
SOCKETS = "for (let i = 0; i < 1e4; i++) new WebSocket('ws://' + location.host + '/none?' + i)"


@pytest.fixture
def rove_home() -> Generator[RoveHome]:
    with temporary_rove_home() as made:
        yield made


def memory(server: subprocess.Popen[bytes]) -> int:
    return int(Path(f"/proc/{server.pid}/statm").read_text().split()[1]) * PAGE


@pytest.mark.parametrize(
    "flood",
    [
        pytest.param(LINES, id="53 a million lines"),
        pytest.param(LONG_LINES, id="53 lines of 10 MB"),
        pytest.param(ERRORS, id="53 errors", marks=pytest.mark.slow),
        pytest.param(REQUESTS, id="54 a hundred thousand requests"),
        pytest.param(LONG_REQUESTS, id="54 requests of 1 MB", marks=pytest.mark.slow),
        pytest.param(DATA, id="54 data of 1 MB", marks=pytest.mark.slow),
        pytest.param(SOCKETS, id="54 sockets", marks=pytest.mark.slow),
    ],
)
def test_53_54_a_flood_leaves_memory_bounded_and_delays_no_other_session(
    rove_home: RoveHome, site: Site, flood: str
) -> None:
    server = start_with_page(rove_home, site)
    assert not call(server, "browser_open_session", name="calm")["result"].get("isError")
    call(server, "browser_navigate", url=site.page("/calm", "<p>Calm</p>"), session="calm")
    page = f'<h1>Loud</h1><button onclick="setTimeout(() => {{ {flood} }}, 50)">Go</button>'
    call(server, "browser_navigate", url=site.page("/", page))
    before = most = memory(server)
    call(server, "browser_click", target="button", snapshot="none")
    answered, until = 0, time.monotonic() + LASTS
    while time.monotonic() < until:
        answer = call(server, "browser_extract", target="p", session="calm", timeout=15)
        answered += not answer["result"].get("isError")
        most = max(most, memory(server))
    # The page that floods may be too busy to answer, but the error comes in time too.
    began = time.monotonic()
    call(server, "browser_extract", target="h1", timeout=3)
    assert time.monotonic() - began < 10
    assert answered > 0
    assert max(most, memory(server)) - before < MOST_MORE, f"{before / 1e6:.0f} MB became {most / 1e6:.0f} MB"
