"""The programs that are measured: how each is started, and its command for the same task."""

from __future__ import annotations

import compileall
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.arguments import refuse_unknown
from bench.browser import Browser
from bench.packages import NotInstalled, install
from bench.servers import native_program, revision

Words = tuple[str, ...]
SESSION = "bench"


@dataclass(frozen=True)
class Program:
    """A program whose commands share a browser that stays open between them."""

    key: str
    title: str
    version: str
    command: Words
    env: Mapping[str, str]
    # The words of each task, given the address of the page.
    words: Mapping[str, Callable[[str], Words]]
    # Opens the browser, and ends it with all processes of the program.
    first: Callable[[str], Words]
    last: Words
    # An empty program in the same language, which no command can be faster than.
    empty: Words

    def run(self, words: Words, folder: Path, limit: float) -> subprocess.CompletedProcess[str]:
        """Run a command as a shell would. Raises subprocess.TimeoutExpired."""
        environment = {**os.environ, **self.env}
        return subprocess.run(
            [*self.command, *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=limit, check=False,
        )  # fmt: skip


def _rove(browser: Browser, folder: Path, fetch: bool) -> Program:
    # As after an installation: in a checkout Python may be configured to write no bytecode.
    compileall.compile_dir(Path(__file__).parents[2] / "src", quiet=2)
    home = {"ROVE_HOME": str(folder / "rove"), "ROVE_BROWSER": str(browser.path), "ROVE_ALLOW_HOST": "127.0.0.1"}
    return Program(
        key="rove",
        title="rove",
        version=revision(),
        command=(str(Path(sys.executable).with_name("rove")),),
        env=home,
        words={
            "evaluate": lambda url: ("evaluate", "6 * 7"),
            "snapshot": lambda url: ("snapshot",),
            "click": lambda url: ("click", "#press"),
            "fill": lambda url: ("fill", "#name", "Ada"),
            "open": lambda url: ("open", url),
        },
        first=lambda url: ("open", url),
        last=("stop",),
        empty=(sys.executable, "-c", ""),
    )


def _agent_browser(browser: Browser, folder: Path, fetch: bool) -> Program:
    package = install("agent-browser", fetch=fetch)
    launch = {"AGENT_BROWSER_EXECUTABLE_PATH": str(browser.path), "AGENT_BROWSER_SESSION": SESSION}
    sandbox = {} if browser.sandbox else {"AGENT_BROWSER_ARGS": "--no-sandbox"}
    # Its daemon keeps a socket below the home folder.
    return Program(
        key="agent-browser",
        title="agent-browser",
        version=package.version,
        command=(str(native_program(package)),),
        env={**launch, **sandbox, "HOME": str(folder)},
        words={
            "evaluate": lambda url: ("eval", "6 * 7"),
            "snapshot": lambda url: ("snapshot",),
            "click": lambda url: ("click", "#press"),
            "fill": lambda url: ("fill", "#name", "Ada"),
            "open": lambda url: ("open", url),
        },
        first=lambda url: ("open", url),
        last=("close",),
        empty=("true",),
    )


def _playwright_cli(browser: Browser, folder: Path, fetch: bool) -> Program:
    package = install("@playwright/cli", fetch=fetch)
    launch = {"executablePath": str(browser.path), "chromiumSandbox": browser.sandbox, "headless": True}
    config = folder / "playwright.json"
    config.write_text(json.dumps({"browser": {"browserName": "chromium", "isolated": True, "launchOptions": launch}}))
    return Program(
        key="playwright-cli",
        title="playwright-cli",
        version=package.version,
        command=("node", str(package.file("playwright-cli.js")), f"-s={SESSION}"),
        env={"HOME": str(folder)},
        words={
            "evaluate": lambda url: ("eval", "() => 6 * 7"),
            "snapshot": lambda url: ("snapshot",),
            "click": lambda url: ("click", "#press"),
            "fill": lambda url: ("fill", "#name", "Ada"),
            "open": lambda url: ("goto", url),
        },
        first=lambda url: ("open", "--config", str(config), url),
        last=("close",),
        empty=("node", "-e", ""),
    )


BUILDERS: Mapping[str, Callable[[Browser, Path, bool], Program]] = {
    "rove": _rove,
    "agent-browser": _agent_browser,
    "playwright-cli": _playwright_cli,
}


def build(keys: list[str], browser: Browser, folder: Path, fetch: bool) -> tuple[list[Program], dict[str, str]]:
    """Return the programs that are wanted, and why others cannot be installed."""
    refuse_unknown("program", keys, BUILDERS)
    programs: list[Program] = []
    skipped: dict[str, str] = {}
    for key in keys:
        try:
            programs.append(BUILDERS[key](browser, folder, fetch))
        except NotInstalled as problem:
            skipped[key] = str(problem)
    return programs, skipped
