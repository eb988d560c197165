"""Exports of a recording, run by the tools that they are for."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Generator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.site import Site
from tests.surfaces.daemon.commands import Terminal
from tests.surfaces.recordings.shop import record_order, record_tabs

import rove

pytestmark = pytest.mark.slow
TOOLS = Path(sys.executable).parent.parent / "recordings" / "node_modules"
CONFIG = """export default { testMatch: '*.spec.js', reporter: 'line', use: { launchOptions: {
  executablePath: process.env.BROWSER_PATH, args: ['--no-sandbox'] } } };"""
RUN_FLOW = """import { createRunner, parse, PuppeteerRunnerExtension } from '@puppeteer/replay';
import puppeteer from 'puppeteer-core';
import fs from 'fs';
const flow = parse(JSON.parse(fs.readFileSync('order.json', 'utf8')));
const browser = await puppeteer.launch({ executablePath: process.env.BROWSER_PATH, args: ['--no-sandbox'] });
try {
  const page = await browser.newPage();
  await (await createRunner(flow, new PuppeteerRunnerExtension(browser, page, { timeout: 20000 }))).run();
  console.log('at', page.url());
} finally { await browser.close(); }
"""


@pytest.fixture
def terminal(tmp_path: Path, site: Site) -> Generator[Terminal]:
    terminal = Terminal(tmp_path)
    record_order(terminal, site)
    yield terminal
    terminal.run("stop")


def run(terminal: Terminal, *command: str, **variables: str) -> str:
    """Run a program in the terminal's folder; return what it says, and fail if it does."""
    environment = terminal.environment(BROWSER_PATH=shutil.which("chromium") or "", **variables)
    done = subprocess.run(
        command, cwd=terminal.folder, env=environment, capture_output=True, text=True, timeout=180, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_python_and_pytest_run_what_was_recorded(terminal: Terminal, site: Site) -> None:
    for form, file in (("python", "order.py"), ("pytest", "test_order.py")):
        terminal.run("export", "order", "--as", form, "--out", file)
    run(terminal, sys.executable, "order.py", "--who", "Zoe")
    run(terminal, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_order.py", ORDER_WHO="Kim")
    assert [request.path for request in site.requests].count("/thanks") >= 3
    failing = site.page("/", "<title>Other</title>")
    assert failing
    program = subprocess.run(
        [sys.executable, "order.py"], cwd=terminal.folder, env=terminal.environment(), capture_output=True, check=False
    )
    assert program.returncode != 0


@pytest.mark.skipif(shutil.which("chromium") is None, reason="a browser for Playwright is not installed")
def test_playwright_and_the_recorder_run_what_was_recorded(terminal: Terminal) -> None:
    assert TOOLS.exists(), "run `make .venv/recordings/ready`"
    (terminal.folder / "node_modules").symlink_to(TOOLS)
    terminal.run("export", "order", "--as", "playwright", "--out", "order.spec.js")
    (terminal.folder / "playwright.config.mjs").write_text(CONFIG)
    assert "1 passed" in run(terminal, str(TOOLS / ".bin" / "playwright"), "test", ORDER_WHO="Max")
    terminal.run("export", "order", "--as", "recorder", "--out", "order.json")
    (terminal.folder / "run-flow.mjs").write_text(RUN_FLOW)
    assert "/thanks" in run(terminal, "node", "run-flow.mjs")


def test_tabs_and_dialogs_are_found_by_code_that_runs_on_its_own(tmp_path: Path, site: Site) -> None:
    terminal = Terminal(tmp_path)
    record_tabs(terminal, site)
    try:
        again = terminal.run("replay", "tour", "--session", "fresh")
        assert again.returncode == 0, again.stdout
        assert again.stdout.rstrip().splitlines()[-1] == "tour: 15 of 15 steps done."
        har = json.loads(terminal.run("export", "tour", "--as", "har").stdout)
        paths = [entry["request"]["url"].removeprefix(site.url("")) for entry in har["log"]["entries"]]
        assert paths == ["/start", "/second?new", "/second"]  # the page that was open, and that of a closed tab
        for form, file in (("python", "tour.py"), ("pytest", "test_tour.py"), ("playwright", "tour.spec.js")):
            assert terminal.run("export", "tour", "--as", form, "--out", file).returncode == 0
        run(terminal, sys.executable, "tour.py")
        run(terminal, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_tour.py")
        (terminal.folder / "node_modules").symlink_to(TOOLS)
        (terminal.folder / "playwright.config.mjs").write_text(CONFIG)
        assert "1 passed" in run(terminal, str(TOOLS / ".bin" / "playwright"), "test")
    finally:
        terminal.run("stop")


def test_playwrights_viewer_opens_the_trace(terminal: Terminal) -> None:
    assert TOOLS.exists(), "run `make .venv/recordings/ready`"
    viewer = terminal.folder / "viewer"
    shutil.copytree(TOOLS / "playwright-core" / "lib" / "vite" / "traceViewer", viewer)
    exported = terminal.run("export", "order", "--as", "trace", "--out", str(viewer / "trace.zip"))
    assert exported.returncode == 0, exported.stderr
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(viewer)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        shown = asyncio.run(look(f"http://127.0.0.1:{server.server_port}", terminal.folder / "home"))
    finally:
        server.shutdown()
        server.server_close()
    assert (
        r"click \"Order\"" in shown
        and r"fill \"Name\"" in shown
        and "navigate http" in shown
        and 'tab "Network' in shown
    )


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


async def look(address: str, home: Path) -> str:
    """Return what the viewer shows of the trace."""
    async with rove.open(allow_host="127.0.0.1", home=str(home)) as session:
        await session.navigate(f"{address}/index.html?trace={address}/trace.zip")
        await session.wait(text='click "Order"', seconds=30)
        await session.click('text=click "Order"')
        picture = (
            "[...document.querySelectorAll('iframe')].some(f => f.contentDocument?.querySelector('img')?.complete)"
        )
        for _ in range(20):
            if (await session.evaluate(picture)).result.value:
                return str((await session.snapshot(budget=4000)).result)
            await session.wait(seconds=0.25)
    raise AssertionError("the viewer shows no picture")
