"""The table of docs/toolsets.md: what each line of the five contracts promises, and the tests that show it.

A test names its lines with `@pytest.mark.contract("A3", "B7")`.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
TOOLSETS = {"A": "batch", "B": "devtools", "C": "sessions", "D": "composite", "E": "reader"}
LINES = {
    "A1": "a list of actions is checked whole, then runs in order; `sessionId` goes on with a context",
    "A2": "one question before each call; a denial touches nothing",
    "A3": "a progress event before each action",
    "A4": "a summary of each action, and the screenshots",
    "A5": "one browser, started by the first call; a context for each session id",
    "A6": "no typing into password fields; http and https only",
    "A7": "the WebSocket protocol: `auth`, methods, events",
    "A8": "transcripts, a line for each entry, with attachments",
    "A9": "a second tool is one file and one registration: `bash`",
    "A10": "the web page: thread, pictures, approvals",
    "B1": "`browser_navigate`",
    "B2": "`browser_eval`; long values go to a file",
    "B3": "`browser_take_screenshot`",
    "B4": "`browser_recent_console_logs`, `browser_clear_console_logs`",
    "B5": "`browser_resize`",
    "B6": "`read_image`",
    "B7": "`browser_get_service_workers`",
    "B8": "`browser_get_network_sources`",
    "B9": "`browser_set_offline`",
    "B10": "console entries name their context",
    "B11": "durations are strings; a bad one is refused",
    "B12": "the sentences of errors",
    "C1": "tools come and go with sessions; starting one asks",
    "C2": "`browser_extract_content`",
    "C3": "a limit on sessions, their idle time, their isolation",
    "C4": "files only in the workspace",
    "C5": "a crash is said and recovered, and leaves others alone",
    "C6": "`browser_enabled` and `browser_headless`",
    "C7": "engines, emulation, interception, PDF and the rest",
    "D1": "actions and arguments",
    "D2": "the result's fields",
    "D3": "the outline of a page, ten times smaller than its HTML",
    "D4": "elements by selector, or by role and name",
    "D5": "lazy start, profiles, idle time",
    "D6": "what a page wrote is wrapped, with a warning",
    "D7": "internal addresses and local schemes are refused",
    "D8": "screenshots and PDFs stay in their folder",
    "E1": "actions and arguments",
    "E2": "the readable text of a rendered page",
    "E3": "the sentences of answers",
    "E4": "`web_fetch` goes on in the browser, and says why",
    "E5": "stealth",
    "E6": "pages for each session, with limits of number, memory and time",
    "E7": "for the owner's token alone",
}


def contract_table() -> Iterator[str]:
    """Yield a table row for each line of the contracts."""
    tests = marked_tests()
    yield from ("| line | toolset | promise | shown by |", "|---|---|---|---|")
    for line, promise in LINES.items():
        shown = "; ".join(f"`{name}` in [{path}](../{path})" for path, name in tests.get(line, ()))
        yield f"| {line} | `{TOOLSETS[line[0]]}` | {promise} | {shown} |"


def marked_tests() -> dict[str, list[tuple[str, str]]]:
    """Return the file and the name of the tests that are marked with each line."""
    tests: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for path in sorted(TESTS.rglob("test_*.py")):
        source = path.read_text("utf-8")
        if "mark.contract(" not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for line in _lines_of(node):
                    tests[line].append((str(path.relative_to(ROOT)), node.name))
    return tests


def _lines_of(test: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    for mark in test.decorator_list:
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.contract":
            yield from (ast.literal_eval(argument) for argument in mark.args)
