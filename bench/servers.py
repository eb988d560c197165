"""The measured servers: how each is started, and which of its tools does the same task."""

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

# The key of rove among the servers.
ROVE = "rove"
ROVE_LARGEST_BUDGET = 100_000
# The pages are on this machine; every byte of them still passes rove's proxy.
ALLOWED = ("--allow-host", "127.0.0.1", "--allow-host", "localhost")


@dataclass(frozen=True)
class Call:
    """A tool and its arguments."""

    tool: str
    arguments: Arguments


@dataclass(frozen=True)
class ToolCalls:
    """The tool calls of one server for the same tasks."""

    navigate: Callable[[str], Call]
    click: Callable[[str], Call]
    # A click whose result shows the page, where that needs an argument.
    click_with_page: Callable[[str], Call]
    fill: Callable[[str, str], Call]
    evaluate: Callable[[str], Call]
    snapshot: Call
    # A snapshot of the whole page, where the default call returns less.
    whole_snapshot: Call
    screenshot: Call
    # A pattern that finds the ref of the element named %s in a snapshot.
    ref: str

    def ref_of(self, name: str, snapshot: str) -> str:
        """Return the ref of the first element with this name."""
        match = re.search(self.ref % re.escape(name), snapshot)
        if match is None:
            raise LookupError(f"no ref for {name!r} in the snapshot")
        return match[1]


@dataclass(frozen=True)
class Server:
    """An installed server, and how to start it with the browser that all servers drive."""

    key: str
    title: str
    version: str
    command: tuple[str, ...]
    tool_calls: ToolCalls
    # Flags and variables for the report, without paths of this machine.
    settings: str
    notes: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class BuildOptions:
    """The browser, and how to find or fetch a server."""

    browser: Browser
    fetch: bool
    rove: str | None


def _playwright_calls() -> ToolCalls:
    return ToolCalls(
        navigate=lambda url: Call("browser_navigate", {"url": url}),
        click=lambda ref: Call("browser_click", {"target": ref}),
        click_with_page=lambda ref: Call("browser_click", {"target": ref}),
        fill=lambda ref, value: Call("browser_type", {"target": ref, "text": value}),
        evaluate=lambda expression: Call("browser_evaluate", {"function": f"() => ({expression})"}),
        snapshot=Call("browser_snapshot", {}),
        whole_snapshot=Call("browser_snapshot", {}),
        screenshot=Call("browser_take_screenshot", {}),
        ref=r'"%s"[^\n]*?\[ref=(\w+)\]',
    )


def _playwright(options: BuildOptions, extra: tuple[str, ...] = ()) -> Server:
    package = install("@playwright/mcp", fetch=options.fetch)
    flags = ("--headless", "--isolated", *(() if options.browser.sandbox else ("--no-sandbox",)), *extra)
    return Server(
        key="playwright",
        title="Playwright MCP",
        version=package.version,
        command=("node", str(package.file("cli.js")), *flags, "--executable-path", str(options.browser.path)),
        tool_calls=_playwright_calls(),
        settings=" ".join((*flags, "--executable-path …")),
        notes=(
            "Waits 500 ms after click and evaluate for work they may have triggered (`--timeout-settle`, "
            "its default); that wait is nearly all of those two numbers. Fill has no such wait.",
            "Navigate and click write the snapshot to a file and answer with its name, so to see the page "
            "takes another call. Fill is `browser_type`, which fills at once.",
            "Gives every call 30 s of its own and then answers with an error.",
        ),
    )


def _playwright_tuned(options: BuildOptions) -> Server:
    plain = _playwright(options, ("--timeout-settle", "0"))
    return _renamed(plain, "playwright-tuned", "Playwright MCP, no settle", "Documented flag: no wait after an act.")


def _devtools_calls(**evaluating: bool) -> ToolCalls:
    # Its tools want a page id on each call; the first page is 1.
    page = {"pageId": 1}
    return ToolCalls(
        navigate=lambda url: Call("navigate_page", {**page, "type": "url", "url": url}),
        click=lambda ref: Call("click", {**page, "uid": ref}),
        click_with_page=lambda ref: Call("click", {**page, "uid": ref, "includeSnapshot": True}),
        fill=lambda ref, value: Call("fill", {**page, "uid": ref, "value": value}),
        evaluate=lambda expression: Call(
            "evaluate_script", {**page, **evaluating, "function": f"() => ({expression})"}
        ),
        snapshot=Call("take_snapshot", page),
        whole_snapshot=Call("take_snapshot", page),
        screenshot=Call("take_screenshot", page),
        ref=r'uid=(\S+) \w+ "%s"',
    )


def _devtools(options: BuildOptions) -> Server:
    package = install("chrome-devtools-mcp", fetch=options.fetch)
    # Not a speed setting: without it the bench would report to Google.
    flags = ("--headless", "--isolated", "--no-usage-statistics")
    sandbox = () if options.browser.sandbox else ("--chromeArg=--no-sandbox",)
    script = package.file("build/src/bin/chrome-devtools-mcp.js")
    return Server(
        key="devtools",
        title="chrome-devtools-mcp",
        version=package.version,
        command=("node", str(script), *flags, *sandbox, "--executablePath", str(options.browser.path)),
        tool_calls=_devtools_calls(),
        settings=" ".join((*flags, *sandbox, "--executablePath …")),
        notes=(
            "Waits after click, fill and evaluate for 100 ms without a navigation, then for 100 ms without "
            "a change of the page, its default; that wait is nearly all of those three numbers. For evaluate "
            "a caller may turn it off (`waitForStableDom: false`).",
            "Navigate and click answer in a line without the page, so to see it takes another call; click "
            "takes `includeSnapshot: true` instead, which “click and see” uses.",
            "Its pictures are 800 x 600, the window of the headless shell; those of the others are 1280 x 720, which "
            "is nearly twice as many pixels for the browser to copy and encode.",
        ),
        env={"CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS": "1"},
    )


def _devtools_tuned(options: BuildOptions) -> Server:
    plain = _devtools(options)
    note = "The caller passes `waitForStableDom: false` to evaluate; click and fill have no such argument."
    tuned = _renamed(plain, "devtools-tuned", "chrome-devtools-mcp, no evaluate wait", note)
    return replace(tuned, tool_calls=_devtools_calls(waitForStableDom=False))


def _agent_browser_calls() -> ToolCalls:
    return ToolCalls(
        navigate=lambda url: Call("agent_browser_open", {"url": url}),
        click=lambda ref: Call("agent_browser_click", {"selector": f"@{ref}"}),
        click_with_page=lambda ref: Call("agent_browser_click", {"selector": f"@{ref}"}),
        fill=lambda ref, value: Call("agent_browser_fill", {"selector": f"@{ref}", "text": value}),
        evaluate=lambda expression: Call("agent_browser_eval", {"script": expression}),
        snapshot=Call("agent_browser_snapshot", {}),
        whole_snapshot=Call("agent_browser_snapshot", {"interactive": False}),
        screenshot=Call("agent_browser_screenshot", {}),
        ref=r'"%s"[^\n]*?ref=(\w+)',
    )


def _agent_browser(options: BuildOptions) -> Server:
    package = install("agent-browser", fetch=options.fetch)
    program = native_program(package)
    launch = {"AGENT_BROWSER_EXECUTABLE_PATH": str(options.browser.path), "AGENT_BROWSER_SESSION": "bench"}
    sandbox = {} if options.browser.sandbox else {"AGENT_BROWSER_ARGS": "--no-sandbox"}
    return Server(
        key="agent-browser",
        title="agent-browser",
        version=package.version,
        command=(str(program), "mcp"),
        tool_calls=_agent_browser_calls(),
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


def native_program(package: Package) -> Path:
    """Return the native program, and make it executable, which npm's --ignore-scripts skips."""
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}[platform.machine().lower()]
    system = "darwin" if sys.platform == "darwin" else "linux"
    libc = "-musl" if system == "linux" and platform.libc_ver()[0] != "glibc" else ""
    program = package.file(f"bin/agent-browser-{system}{libc}-{machine}")
    program.chmod(0o755)
    return program


def _rove_calls() -> ToolCalls:
    return ToolCalls(
        navigate=lambda url: Call("browser_navigate", {"url": url}),
        click=lambda ref: Call("browser_click", {"target": ref}),
        click_with_page=lambda ref: Call("browser_click", {"target": ref}),
        fill=lambda ref, value: Call("browser_fill", {"target": ref, "value": value}),
        evaluate=lambda expression: Call("browser_evaluate", {"expression": expression}),
        snapshot=Call("browser_snapshot", {}),
        whole_snapshot=Call("browser_snapshot", {"budget": ROVE_LARGEST_BUDGET}),
        screenshot=Call("browser_screenshot", {}),
        ref=r'"%s"[^\n]*?\[((?:f\d+)?e\d+)\]',
    )


def _rove(options: BuildOptions) -> Server:
    command = tuple(options.rove.split()) if options.rove else _installed_rove()
    return Server(
        key=ROVE,
        title="rove",
        version=revision(),
        command=command,
        tool_calls=_rove_calls(),
        settings=" ".join(("mcp", *ALLOWED)),
        notes=(
            "Navigate answers with a first look at the page and click with what changed, so both do more work "
            "and say more than the others' do in the rows that only navigate or click.",
            "A snapshot keeps within a budget of 4,000 tokens, its default; the “everything” rows ask for "
            f"{ROVE_LARGEST_BUDGET:,}, which is the most it takes.",
            "Gives every call 15 s of its own and then answers with an error.",
        ),
        env={"ROVE_BROWSER": str(options.browser.path)},
    )


def revision() -> str:
    """Return the commit of this checkout, and whether it has changes."""
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
            # As after an installation: in a checkout Python may be configured to write no bytecode.
            compileall.compile_dir(Path(__file__).parent.parent / "src", quiet=2)
            return (str(program), "mcp", *ALLOWED)
    if importlib.util.find_spec("rove") is not None:
        return (sys.executable, "-m", "rove", "mcp", *ALLOWED)
    raise NotInstalled("rove is not installed in this Python, nor in .venv")


def _renamed(server: Server, key: str, title: str, note: str) -> Server:
    return replace(server, key=key, title=title, notes=(note,))


BUILDERS: Mapping[str, Callable[[BuildOptions], Server]] = {
    ROVE: _rove,
    "playwright": _playwright,
    "devtools": _devtools,
    "agent-browser": _agent_browser,
}
TUNED: Mapping[str, Callable[[BuildOptions], Server]] = {
    "playwright-tuned": _playwright_tuned,
    "devtools-tuned": _devtools_tuned,
}


def build(key: str, options: BuildOptions) -> Server:
    """Install a server and return how to start it; raise NotInstalled with the reason if that fails."""
    server = {**BUILDERS, **TUNED}[key](options)
    if shutil.which(server.command[0]) is None:
        raise NotInstalled(f"{Path(server.command[0]).name} is not installed")
    return server
