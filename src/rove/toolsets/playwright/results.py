"""What Playwright MCP tells as the result of a call: console messages, requests, matches, values, files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from rove.actions.devtools.console import ConsoleLine
from rove.actions.devtools.network import RequestBody, RequestDetails, RequestLine
from rove.errors import InvalidArguments
from rove.outcome import AnyOutcome
from rove.page_text import Own, PageText
from rove.toolsets.playwright.javascript import literal, pictured
from rove.toolsets.playwright.paths import shown_path
from rove.toolsets.tool import ToolRequest
from rove.views.console_line import console_line
from rove.views.line_breaks import unbroken
from rove.views.page_view import PageView, ViewedTab

Arguments = Mapping[str, Any]
NO_VIEW = PageView()
NO_TABS = "No open tabs. Navigate to a URL to create one."
LEVELS = ("error", "warning", "info", "debug")
CONTEXT_LINES = 3
LONGEST_WAIT = 30
FETCHED = ("fetch", "xhr")


def tab_lines(tabs: Iterable[ViewedTab]) -> list[str]:
    """Return a line for each tab."""
    lines = [
        f"- {number}:{' (current)' if tab.is_current else ''} [{unbroken(tab.title)}]({unbroken(tab.url)})"
        for number, tab in enumerate(tabs)
    ]
    return lines or [NO_TABS]


def _evaluated(given: Arguments, outcome: AnyOutcome) -> list[str]:
    value = outcome.result.value
    return ["undefined" if value is None else json.dumps(value, indent=2, ensure_ascii=False)]


def _waited(given: Arguments, outcome: AnyOutcome) -> list[str]:
    if text := given.get("text") or given.get("textGone"):
        return [f"Waited for {text}"]
    asked = given["time"]
    limited = f" (requested {literal(asked)}, maximum is {LONGEST_WAIT})" if asked > LONGEST_WAIT else ""
    return [f"Waited for {literal(min(asked, LONGEST_WAIT))} seconds{limited}"]


def _messages(given: Arguments, outcome: AnyOutcome) -> list[str]:
    view, level = outcome.view or NO_VIEW, given.get("level", "info")
    lines = [line for line in outcome.result.lines if given.get("all") or _seconds(line.time) >= view.loaded]
    shown = [line for line in lines if LEVELS.index(line.level) <= LEVELS.index(level)]
    counts = view.counts
    head = [f"Total messages: {counts.total} (Errors: {counts.errors}, Warnings: {counts.warnings})"]
    if len(shown) != counts.total:
        head.append(f'Returning {len(shown)} messages for level "{level}"')
    return ["\n".join([*head, "", *map(_message, shown)])]


def _seconds(time: str) -> float:
    return datetime.fromisoformat(time).timestamp()


def _message(line: ConsoleLine) -> str:
    return console_line(line.type, line.level, line.text, line.source)


def _requests(given: Arguments, outcome: AnyOutcome) -> list[str]:
    document = outcome.result.document or 0
    every = [each for each in outcome.result.requests if each.request >= document]
    shown = [each for each in every if given.get("static") or each.type in FETCHED or not _has_succeeded(each)]
    lines = [f"{each.request}. {_request(each)}" for each in shown]
    hidden = len(every) - len(shown)
    if hidden:
        some = ("", "it") if hidden == 1 else ("s", "them")
        lines.append(f'\nNote: {hidden} static request{some[0]} not shown, run with "static" option to see {some[1]}.')
    if left_out := outcome.result.left_out:
        lines.append(
            f"\nNote: {left_out} earlier requests not shown, give a filename to have the latest 500 in a file."
        )
    return ["\n".join(lines)]


def _has_succeeded(request: RequestLine) -> bool:
    return request.failure is None and request.status is not None and request.status < 400


def _request(request: RequestLine) -> str:
    from http import HTTPStatus  # seldom needed

    if request.status is not None:
        known = request.status in {each.value for each in HTTPStatus}
        words = HTTPStatus(request.status).phrase if known else ""
        return f"[{request.method}] {request.url} => [{request.status}] {words}".rstrip()
    return f"[{request.method}] {request.url}" + (f" => [FAILED] {request.failure}" if request.failure else "")


def _one_request(given: Arguments, outcome: AnyOutcome) -> list[str]:
    (line,), details = outcome.result.requests, outcome.result.details
    part = given.get("part")
    if part is None:
        return ["\n".join(_request_facts(line, details))]
    if body := _body_of(given, details):
        return _body(body, _part_title(given))
    parts = {
        "request-headers": _headers(details.sent_headers),
        "response-headers": _headers(details.received_headers),
    }
    return ["\n".join(parts[part])] if parts.get(part) else []


def _body_of(given: Arguments, details: RequestDetails) -> RequestBody | None:
    return {"request-body": details.sent, "response-body": details.received}.get(given.get("part", ""))


def _body(body: RequestBody, title: str) -> list[str]:
    """Return the text of a body, and the file that has all of it if it is long; of one that is no text, the file."""
    link = [f"- [{title}]({shown_path(body.path)})"] if body.path else []
    is_data = body.path is not None and isinstance(body.text, Own)
    return link if is_data else [body.text, *link] if body.text else link


def _part_title(given: Arguments) -> str:
    return str(given["part"]).replace("-", " ").capitalize()


def _request_facts(line: RequestLine, details: RequestDetails) -> Iterable[str]:
    status, received = _request(line).partition(" => ")[2], _headers(details.received_headers)
    yield from (f"#{line.request} [{line.method}] {line.url}", "", "  General")
    kind = next((each.partition(": ")[2] for each in received if each.startswith("content-type:")), "")
    duration = "" if line.ms is None else f"{line.ms}ms"
    facts = {"status": status, "duration": duration, "type": line.type, "mimeType": kind.partition(";")[0].strip()}
    yield from (f"    {name + ':':<11}{fact}" for name, fact in facts.items() if fact)
    for title, headers in (("Request headers", _headers(details.sent_headers)), ("Response headers", received)):
        if headers:
            yield from ("", f"  {title}", *(f"    {each}" for each in headers))
    hints = ["request"] if details.has_sent_body else []
    hints += ["response"] if line.status is not None and _has_body(line.status) else []
    if hints:
        yield ""
        yield from (f'Call browser_network_request with part="{way}-body" to read the {way} body.' for way in hints)


def _has_body(status: int) -> bool:
    return status >= 200 and status not in (204, 304)


def _headers(headers: Mapping[PageText, PageText]) -> list[str]:
    return [f"{name.lower()}: {value}" for name, value in headers.items()]


def _found(given: Arguments, outcome: AnyOutcome) -> list[str]:
    result = outcome.result
    if not given.get("text") and not given.get("regex"):
        raise InvalidArguments('Provide either "text" or "regex" to search for.')
    if given.get("text") and given.get("regex"):
        raise InvalidArguments('Provide only one of "text" or "regex", not both.')
    query = f'"{given["text"]}"' if given.get("text") else _pattern(given["regex"])
    if not result.matches:
        return [f"No matches found for {query}."]
    noun = "match" if len(result.matches) == 1 else "matches"
    snippets = "\n\n----\n\n".join(_snippets(result.yaml.split("\n"), result.matches))
    return [f"Found {len(result.matches)} {noun} for {query}:\n\n{snippets}"]


def _pattern(text: str) -> str:
    return text if text.startswith("/") and "/" in text[1:] else f"/{text}/"


def _snippets(lines: list[str], matches: Iterable[int]) -> list[str]:
    """Return each match with lines around it, under its path from the root."""
    found = list(matches)
    path = {place for match in found for place in (match, *_ancestors(lines, match))}
    windows: list[list[int]] = []
    for match in found:
        first, last = max(0, match - CONTEXT_LINES), min(len(lines) - 1, match + CONTEXT_LINES)
        if windows and first <= windows[-1][1] + 1:
            windows[-1][1] = max(windows[-1][1], last)
        else:
            windows.append([first, last])
    return ["\n".join(_snippet(lines, path, first, last)) for first, last in windows]


def _snippet(lines: list[str], path: set[int], first: int, last: int) -> Iterable[str]:
    places = [*_ancestors(lines, first), *range(first, last + 1)]
    for before, place in zip([None, *places], places, strict=False):
        if before is not None and place > before + 1 and place not in path and before not in path:
            yield " " * _indent(lines[place]) + "..."
        yield lines[place]


def _ancestors(lines: list[str], place: int) -> list[int]:
    found: list[int] = []
    indent = _indent(lines[place])
    for above in range(place - 1, -1, -1):
        if indent == 0:
            break
        if lines[above].strip() and _indent(lines[above]) < indent:
            found.insert(0, above)
            indent = _indent(lines[above])
    return found


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _screenshot(given: Arguments, outcome: AnyOutcome) -> list[str]:
    return [f"- [Screenshot of {pictured(given)}]({shown_path(outcome.result.path)})"]


Tell = Callable[[Arguments, AnyOutcome], list[str]]
RESULTS: dict[str, Tell] = {
    "browser_close": lambda given, outcome: [NO_TABS],
    "browser_console_messages": _messages,
    "browser_evaluate": _evaluated,
    "browser_find": _found,
    "browser_network_requests": _requests,
    "browser_network_request": _one_request,
    "browser_take_screenshot": _screenshot,
    "browser_tabs": lambda given, outcome: tab_lines((outcome.view or NO_VIEW).tabs),
    "browser_wait_for": _waited,
}


# What the link to a file is called that has the result of a call.
FILE_TITLES = {
    "browser_console_messages": "Console",
    "browser_evaluate": "Evaluation result",
    "browser_find": "Find results",
    "browser_network_requests": "Network",
    "browser_network_request": "Request",
}


def file_title(request: ToolRequest) -> str:
    """Return what the link to the file is called that has the result of a call."""
    return _part_title(request.arguments) if request.arguments.get("part") else FILE_TITLES[request.tool]


def copied_body(request: ToolRequest, outcome: AnyOutcome) -> str | None:
    """Return the file of the workspace that has the body that was asked for, if the answer does not have all of it."""
    details = getattr(outcome.result, "details", None)
    body = _body_of(request.arguments, details) if details is not None else None
    return str(body.path) if body is not None and body.path else None


def result_of(request: ToolRequest, outcome: AnyOutcome) -> list[str]:
    """Return what is told as the result of a call."""
    tell = RESULTS.get(request.tool)
    return tell(request.arguments, outcome) if tell else []
