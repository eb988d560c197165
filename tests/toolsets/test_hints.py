"""What errors say to try next, in every toolset: each tool and each argument that is named is there."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError, StdioServerParameters
from mcp.client.client import Client
from mcp_types import CallToolResult
from tests.mcp_clients import ROVE, environment, text_of
from tests.site import Site
from tests.surfaces.approving_clients import ACCEPT, Person

PAGE = """<title>Form</title><label>Name <input id="name"></label>
<label>Password <input id="secret" type="password"></label>
<select id="size" aria-label="Size"><option>Small<option>Medium</select><button>Twin</button><button>Twin</button>
<button id="off" disabled>Off</button><input type="checkbox" id="box" aria-label="Agree"><input id="fixed" readonly>
<input type="file" id="file"><button id="hidden" style="display: none">Hidden</button>
<div style="position: relative"><button id="under">Under</button>
<div style="position: absolute; inset: 0"></div></div>"""
PAUSE = "new Promise(() => 0)"
# What every toolset is asked that has a page: addresses that cannot be opened, after which the page is opened again.
ADDRESSES = (
    "http://10.0.0.1/",
    "file:///etc/passwd",
    "ftp://example.com/",
    "http://127.0.0.1:{port}/",
    "{site}/locked",
)
SELECTORS = ("#missing", "button", "#under", "#off", "#hidden", "#secret", "#fixed", "#box", "e99", ">>>", "#size", "")
# Words in backticks that are neither: flags, commands, settings and examples of selectors have other characters.
WORD = re.compile(r"`([A-Za-z][A-Za-z_]*)`")
TOOL = re.compile(r"\b(?:browser_[a-z_]+|[a-z]+_browser_session|web_fetch|read_image)\b")
CASE = re.compile(r"\b(\w+) \((action|type) (\w+)\)")
BRACES = re.compile(r"\{[a-z_]+\}")

Call = tuple[str, dict[str, Any]]


def composite(page: str, bad: list[str]) -> Iterator[Call]:
    yield from (("browser", {"action": "navigate", "url": url}) for url in bad)
    yield "browser", {"action": "navigate", "url": page}
    for selector in SELECTORS:
        where = {"selector": selector, "timeout": 1}
        yield "browser", {"action": "click", **where}
        yield "browser", {"action": "type", "text": "x", **where}
        yield "browser", {"action": "select", "value": "Huge", **where}
        yield "browser", {"action": "screenshot", **where}
    yield from (
        ("browser", {"action": action, "timeout": 1, **more})
        for action, more in (
            ("click", {"role": "button", "name": "Nope"}), ("click", {"role": "button", "name": "Twin"}),
            ("click", {"name": "Twin"}), ("type", {"selector": "#name", "text": "secret:no-such"}),
            ("wait", {"selector": "#never"}), ("wait", {"text": "never"}), ("wait", {"url": "never"}),
            ("evaluate", {"expression": "nothing.at"}), ("evaluate", {"expression": PAUSE}), ("evaluate", {}),
            ("tab_switch", {}), ("tab_switch", {"value": "t9"}), ("tab_close", {"value": "t9"}),
            ("screenshot", {"path": "/etc/x.png"}), ("pdf", {"path": "../x.pdf"}), ("scroll", {"value": "sideways"}),
            ("launch", {"profile": "other"}), ("launch", {"headless": False}), ("fly", {}), ("click", {"selector": []}),
        )
    )  # fmt: skip


def reader(page: str, bad: list[str]) -> Iterator[Call]:
    yield "browser", {"action": "snapshot"}
    for url in bad:
        yield "browser", {"action": "snapshot", "url": url}
        yield "web_fetch", {"url": url}
    yield "browser", {"action": "navigate", "url": page}
    for selector in SELECTORS:
        yield "browser", {"action": "click", "selector": selector}
        yield "browser", {"action": "type", "selector": selector, "text": "x"}
    yield "browser", {"action": "type", "selector": "#name", "text": "secret:no-such"}
    yield "browser", {"action": "click", "selector": "#name", "url": page}


def sessions(page: str, bad: list[str]) -> Iterator[Call]:
    one = {"session": "one"}
    yield "browser_navigate", {**one, "url": page}
    yield "start_browser_session", {"name": "a b"}
    yield from (("start_browser_session", {"name": "one"}) for _ in range(2))
    yield "start_browser_session", {"name": "default"}
    yield from (("browser_navigate", {**one, "url": url}) for url in bad)
    yield "browser_navigate", {"session": "nope", "url": page}
    yield "browser_navigate", {**one, "url": page}
    for selector in SELECTORS:
        yield "browser_click", {**one, "selector": selector}
        yield "browser_fill_form", {**one, "fields": [{"selector": selector, "value": "Huge"}]}
        yield "browser_extract_content", {**one, "selector": selector, "mode": "attribute"}
        yield "browser_screenshot", {**one, "selector": selector}
    yield "browser_fill_form", {**one, "fields": [{"selector": 5, "value": "x"}]}
    for path in ("/etc/passwd", "none.txt"):
        yield "browser_upload_file", {**one, "selector": "#file", "path": path}
    for waits in ({}, {"selector": "#never", "timeout": 1}, {"navigation": True, "timeout": 1}, {"timeout": -1}):
        yield "browser_wait", {**one, **waits}
    yield "browser_screenshot", {**one, "path": "../x.png"}
    yield "browser_click", {**one, "selector": "#name", "tab": "t9"}
    yield "close_browser_session", {"session": "nope"}


def devtools(page: str, bad: list[str]) -> Iterator[Call]:
    yield from (("browser_navigate", {"url": url}) for url in bad)
    yield "browser_navigate", {"url": page, "timeout": "15"}
    yield "browser_navigate", {"url": page}
    yield from (("browser_take_screenshot", {"selector": selector, "timeout": "1s"}) for selector in SELECTORS)
    yield from (("browser_eval", {"expression": code, "timeout": "1s"}) for code in ("nothing.at", "(", PAUSE))
    yield from (("read_image", {"path": path}) for path in ("none.png", "/etc/passwd"))
    yield "browser_resize", {"width": 0, "height": 5}
    yield "browser_recent_console_logs", {"limit": -1}


def batch(page: str, bad: list[str]) -> Iterator[Call]:
    yield from (("browser", {"actions": [{"type": "navigate", "url": url}]}) for url in bad)
    for selector in SELECTORS:
        for action in ({"type": "click"}, {"type": "type", "text": "x"}, {"type": "select", "values": ["Huge"]}):
            steps = [{"type": "navigate", "url": page}, {**action, "selector": selector}]
            yield "browser", {"actions": steps if selector == SELECTORS[0] else steps[1:]}
    yield "browser", {"actions": [{"type": "wait", "text": "never", "seconds": 1}]}
    yield "browser", {"actions": [{"type": "fly-away"}]}
    yield "browser", {"actions": [{"type": "evaluate", "expression": "nothing.at"}], "sessionId": "nope"}


def playwright(page: str, bad: list[str]) -> Iterator[Call]:
    yield from (("browser_navigate", {"url": url}) for url in bad)
    yield "browser_navigate", {"url": page}
    for target in SELECTORS:
        yield "browser_click", {"target": target}
        yield "browser_type", {"target": target, "text": "x"}
        yield "browser_select_option", {"target": target, "values": ["Huge"]}
    yield "browser_tabs", {"action": "select", "index": 9}
    yield "browser_tabs", {"action": "close", "index": 9}
    yield "browser_evaluate", {"function": "() => nothing.at"}
    yield "browser_handle_dialog", {"accept": True}
    yield "browser_file_upload", {"paths": ["/etc/passwd"]}
    yield "browser_wait_for", {}
    yield "browser_run_code_unsafe", {"code": "x"}
    yield "browser_resize", {"width": "wide", "height": 5}


TOOLSETS = {
    "composite": composite,
    "reader": reader,
    "sessions": sessions,
    "devtools": devtools,
    "batch": batch,
    "playwright": playwright,
}


@asynccontextmanager
async def connected(home: Path, toolset: str) -> AsyncIterator[Client]:
    # Elements that cannot be acted on are waited for, so that time is short.
    own = {**environment(home), "ROVE_DEADLINES_ACTION": "2", "ROVE_WORKSPACE": str(home / "workspace")}
    parameters = StdioServerParameters(command=ROVE, args=["mcp", "--toolset", toolset], env=own)
    async with Client(
        parameters, mode="legacy", read_timeout_seconds=60, elicitation_callback=Person(ACCEPT)
    ) as client:
        yield client


@pytest.mark.contract("C1", "C5", "D2", "E1")
@pytest.mark.parametrize("toolset", TOOLSETS)
async def test_every_tool_and_argument_that_an_error_names_is_there(
    home: Path, site: Site, unused_port: int, toolset: str
) -> None:
    page = site.page("/form", PAGE)
    site.page("/locked", "x", status=401, headers={"WWW-Authenticate": "Basic realm=x"})
    bad = [url.format(port=unused_port, site=site.url("").rstrip("/")) for url in ADDRESSES]
    own = home / f"hints-{toolset}"
    own.mkdir()
    told = []
    async with connected(own, toolset) as client:
        for name, arguments in TOOLSETS[toolset](page, bad):
            try:
                result = await client.call_tool(name, arguments)
            except MCPError as error:
                assert "open one with start_browser_session" in str(error)
                continue
            if result.is_error:
                told.append((f"{name} {arguments}", *error_of(result)))
        tools = {tool.name: tool.input_schema["properties"] for tool in (await client.list_tools()).tools}
    assert len(told) > 8
    faults = [f"{call}: {error}\n  {why}" for call, error, hint in told for why in wrong_in(error, hint, tools)]
    assert not faults, "\n".join(faults)


def error_of(result: CallToolResult) -> tuple[str, str]:
    """Return all that an answer says of an error, and what it says to try next."""
    error = (result.structured_content or {}).get("error")
    if isinstance(error, dict):
        return text_of(result), error["hint"]
    if isinstance(error, str):
        return error, error.strip().partition("\n")[2].rpartition("\n")[2]
    # Playwright's errors are one text, of which the page may have written a part.
    text = re.sub(r"</?untrusted [^>]*>|### .*", "", text_of(result))
    return text, text.strip().rpartition("\n")[2]


def wrong_in(error: str, hint: str, tools: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield what an error names that is not there, in its message or in its hint."""
    own_words = re.sub(r"<untrusted (\d+) [^>]*>.*?</untrusted \1>", "", error, flags=re.DOTALL)
    arguments = {*nested_names(tools), *(name for properties in tools.values() for name in properties)}
    yield from (f"no argument {word}" for word in WORD.findall(own_words) if word not in arguments)
    yield from (f"no tool {word}" for word in TOOL.findall(own_words) if word not in tools)
    for tool, argument, value in CASE.findall(own_words):
        options = tools.get(tool, {}).get(argument, {}).get("enum")
        if tool not in tools or (options is not None and value not in options):
            yield f"{tool} has no {argument} {value}"
    if BRACES.search(own_words):
        yield "a name that was not inserted"
    if len(hint.split()) < 3 or re.fullmatch(r"rove waited [^:.]*\.", hint):
        yield "nothing to try"


def nested_names(tools: dict[str, dict[str, Any]]) -> set[str]:
    """Return all names of properties, also of objects in lists."""
    return {*re.findall(r'"(\w+)": \{', json.dumps(tools))}
