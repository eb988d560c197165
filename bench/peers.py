"""Who is measured: how each server is started, and what its tools call the same five things."""

from __future__ import annotations

import compileall
import importlib.util
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.browser import Browser
from bench.packages import NotInstalled, Package, install

Arguments = dict[str, Any]

ROVE_LARGEST_BUDGET = 100_000
# The pages are on this machine; every byte of them still passes the guard.
ALLOWED = ("--allow-host", "127.0.0.1", "--allow-host", "localhost")


@dataclass(frozen=True)
class Call:
    """A tool and its arguments."""

    tool: str
    arguments: Arguments


@dataclass(frozen=True)
class Dialect:
    """The same work in the words of one server."""

    navigate: Callable[[str], Call]
    click: Callable[[str], Call]
    # A click whose answer shows the page, where that takes an argument.
    seeing_click: Callable[[str], Call]
    fill: Callable[[str, str], Call]
    evaluate: Callable[[str], Call]
    snapshot: Call
    # Everything on the page, where the plain call answers with less.
    whole_snapshot: Call
    # How a snapshot's line gives the ref of the element called %s.
    ref: str

    def ref_of(self, name: str, snapshot: str) -> str:
        """The ref of the first element with this name."""
        match = re.search(self.ref % re.escape(name), snapshot)
        if match is None:
            raise LookupError(f"no ref for {name!r} in the snapshot")
        return match[1]


@dataclass(frozen=True)
class Server:
    """An installed server, ready to be started with the browser that all share."""

    key: str
    title: str
    version: str
    command: tuple[str, ...]
    dialect: Dialect
    # The flags and variables worth knowing, without this machine's paths.
    settings: str
    notes: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Surroundings:
    """What building a server needs to know."""

    browser: Browser
    fetch: bool
    rove: str | None


def _playwright_dialect() -> Dialect:
    return Dialect(
        navigate=lambda url: Call("browser_navigate", {"url": url}),
        click=lambda ref: Call("browser_click", {"target": ref}),
        seeing_click=lambda ref: Call("browser_click", {"target": ref}),
        fill=lambda ref, value: Call("browser_type", {"target": ref, "text": value}),
        evaluate=lambda expression: Call("browser_evaluate", {"function": f"() => ({expression})"}),
        snapshot=Call("browser_snapshot", {}),
        whole_snapshot=Call("browser_snapshot", {}),
        ref=r'"%s"[^\n]*?\[ref=(\w+)\]',
    )


def _playwright(around: Surroundings, extra: tuple[str, ...] = ()) -> Server:
    package = install("@playwright/mcp", fetch=around.fetch)
    flags = ("--headless", "--isolated", *(() if around.browser.sandbox else ("--no-sandbox",)), *extra)
    return Server(
        key="playwright",
        title="Playwright MCP",
        version=package.version,
        command=("node", str(package.file("cli.js")), *flags, "--executable-path", str(around.browser.path)),
        dialect=_playwright_dialect(),
        settings=" ".join((*flags, "--executable-path …")),
        notes=(
            "Waits 500 ms after click and evaluate for work they may have triggered (`--timeout-settle`, "
            "its default); that wait is nearly all of those two numbers. Fill has no such wait.",
            "Navigate and click write the snapshot to a file and answer with its name, so to see the page "
            "takes another call. Fill is `browser_type`, which fills at once.",
            "Gives every call 30 s of its own and then answers with an error.",
        ),
    )


def _playwright_tuned(around: Surroundings) -> Server:
    plain = _playwright(around, ("--timeout-settle", "0"))
    return _renamed(plain, "playwright-tuned", "Playwright MCP, no settle", "Documented flag: no wait after an act.")


def _devtools_dialect(**evaluating: bool) -> Dialect:
    # Its tools want a page id on each call; the first page is 1.
    page = {"pageId": 1}
    return Dialect(
        navigate=lambda url: Call("navigate_page", {**page, "type": "url", "url": url}),
        click=lambda ref: Call("click", {**page, "uid": ref}),
        seeing_click=lambda ref: Call("click", {**page, "uid": ref, "includeSnapshot": True}),
        fill=lambda ref, value: Call("fill", {**page, "uid": ref, "value": value}),
        evaluate=lambda expression: Call(
            "evaluate_script", {**page, **evaluating, "function": f"() => ({expression})"}
        ),
        snapshot=Call("take_snapshot", page),
        whole_snapshot=Call("take_snapshot", page),
        ref=r'uid=(\S+) \w+ "%s"',
    )


def _devtools(around: Surroundings) -> Server:
    package = install("chrome-devtools-mcp", fetch=around.fetch)
    # Not a speed setting: without it the bench would report to Google.
    flags = ("--headless", "--isolated", "--no-usage-statistics")
    sandbox = () if around.browser.sandbox else ("--chromeArg=--no-sandbox",)
    script = package.file("build/src/bin/chrome-devtools-mcp.js")
    return Server(
        key="devtools",
        title="chrome-devtools-mcp",
        version=package.version,
        command=("node", str(script), *flags, *sandbox, "--executablePath", str(around.browser.path)),
        dialect=_devtools_dialect(),
        settings=" ".join((*flags, *sandbox, "--executablePath …")),
        notes=(
            "Waits after click, fill and evaluate for 100 ms without a navigation, then for 100 ms without "
            "a change of the page, its default; that wait is nearly all of those three numbers. For evaluate "
            "a caller may turn it off (`waitForStableDom: false`).",
            "Navigate and click answer in a line without the page, so to see it takes another call; click "
            "takes `includeSnapshot: true` instead, which “click and see” uses.",
        ),
        env={"CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS": "1"},
    )


def _devtools_tuned(around: Surroundings) -> Server:
    plain = _devtools(around)
    note = "The caller passes `waitForStableDom: false` to evaluate; click and fill have no such argument."
    tuned = _renamed(plain, "devtools-tuned", "chrome-devtools-mcp, no evaluate wait", note)
    return replace(tuned, dialect=_devtools_dialect(waitForStableDom=False))


def _agent_browser_dialect() -> Dialect:
    return Dialect(
        navigate=lambda url: Call("agent_browser_open", {"url": url}),
        click=lambda ref: Call("agent_browser_click", {"selector": f"@{ref}"}),
        seeing_click=lambda ref: Call("agent_browser_click", {"selector": f"@{ref}"}),
        fill=lambda ref, value: Call("agent_browser_fill", {"selector": f"@{ref}", "text": value}),
        evaluate=lambda expression: Call("agent_browser_eval", {"script": expression}),
        snapshot=Call("agent_browser_snapshot", {}),
        whole_snapshot=Call("agent_browser_snapshot", {"interactive": False}),
        ref=r'"%s"[^\n]*?ref=(\w+)',
    )


def _agent_browser(around: Surroundings) -> Server:
    package = install("agent-browser", fetch=around.fetch)
    program = _native(package)
    launch = {"AGENT_BROWSER_EXECUTABLE_PATH": str(around.browser.path), "AGENT_BROWSER_SESSION": "bench"}
    sandbox = {} if around.browser.sandbox else {"AGENT_BROWSER_ARGS": "--no-sandbox"}
    return Server(
        key="agent-browser",
        title="agent-browser",
        version=package.version,
        command=(str(program), "mcp"),
        dialect=_agent_browser_dialect(),
        settings=" ".join(("mcp", *(f"{name}={value}" for name, value in sandbox.items()))),
        notes=(
            "The native program is started directly, as a global install does; its Node launcher would make "
            "a cold start slower.",
            "Does not wait after an act and answers without the page, so to see it takes another call.",
            "Its MCP snapshot names controls and leaves the text out (`interactive: true`, its default); the "
            "“everything” rows ask for `interactive: false`.",
            "A daemon outlives the server; it is counted as server memory, and the bench ends it.",
            "Sends each result three times (`content`, and twice in `structuredContent`); only `content` is counted.",
        ),
        env={**launch, **sandbox},
    )


def _native(package: Package) -> Path:
    """The program for this machine, which npm's --ignore-scripts leaves without its executable bit."""
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}[platform.machine().lower()]
    system = "darwin" if sys.platform == "darwin" else "linux"
    libc = "-musl" if system == "linux" and platform.libc_ver()[0] != "glibc" else ""
    program = package.file(f"bin/agent-browser-{system}{libc}-{machine}")
    program.chmod(0o755)
    return program


def _rove_dialect() -> Dialect:
    return Dialect(
        navigate=lambda url: Call("browser_navigate", {"url": url}),
        click=lambda ref: Call("browser_click", {"target": ref}),
        seeing_click=lambda ref: Call("browser_click", {"target": ref}),
        fill=lambda ref, value: Call("browser_fill", {"target": ref, "value": value}),
        evaluate=lambda expression: Call("browser_evaluate", {"expression": expression}),
        snapshot=Call("browser_snapshot", {}),
        whole_snapshot=Call("browser_snapshot", {"budget": ROVE_LARGEST_BUDGET}),
        ref=r'"%s"[^\n]*?\[((?:f\d+)?e\d+)\]',
    )


def _rove(around: Surroundings) -> Server:
    command = tuple(around.rove.split()) if around.rove else _installed_rove()
    return Server(
        key="rove",
        title="rove",
        version=_revision(),
        command=command,
        dialect=_rove_dialect(),
        settings=" ".join(("mcp", *ALLOWED)),
        notes=(
            "Navigate answers with a first look at the page and click with what changed, so both do more work "
            "and say more than the others' do in the rows that only navigate or click.",
            "A snapshot keeps within a budget of 4,000 tokens, its default; the “everything” rows ask for "
            f"{ROVE_LARGEST_BUDGET:,}, which is the most it takes.",
            "Gives every call 15 s of its own and then answers with an error.",
        ),
        env={"ROVE_BROWSER": str(around.browser.path)},
    )


def _revision() -> str:
    """Which rove: the commit of this checkout, and whether it was changed since."""
    command = ("git", "describe", "--always", "--dirty=, changed")
    try:
        done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown revision"
    return done.stdout.strip()


def _installed_rove() -> tuple[str, ...]:
    beside = Path(sys.executable).with_name("rove")
    checkout = Path(__file__).parent.parent / ".venv" / "bin" / "rove"
    for program in (beside, checkout):
        if program.exists():
            # As an installer leaves it: a checkout may lie where Python is told to write no bytecode.
            compileall.compile_dir(Path(__file__).parent.parent / "src", quiet=2)
            return (str(program), "mcp", *ALLOWED)
    if importlib.util.find_spec("rove") is not None:
        return (sys.executable, "-m", "rove", "mcp", *ALLOWED)
    raise NotInstalled("rove is not installed in this Python, nor in .venv")


def _renamed(server: Server, key: str, title: str, note: str) -> Server:
    return replace(server, key=key, title=title, notes=(note,))


BUILDERS: Mapping[str, Callable[[Surroundings], Server]] = {
    "rove": _rove,
    "playwright": _playwright,
    "devtools": _devtools,
    "agent-browser": _agent_browser,
}
TUNED: Mapping[str, Callable[[Surroundings], Server]] = {
    "playwright-tuned": _playwright_tuned,
    "devtools-tuned": _devtools_tuned,
}


def build(key: str, around: Surroundings) -> Server:
    """Install a server and say how to start it; raises NotInstalled with the reason when that cannot be."""
    server = {**BUILDERS, **TUNED}[key](around)
    if shutil.which(server.command[0]) is None:
        raise NotInstalled(f"{Path(server.command[0]).name} is not installed")
    return server
