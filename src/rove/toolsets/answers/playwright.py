"""Answers in the form of Playwright MCP: sections under headings, and the result of each call.

Programs that read these answers split them at lines that begin with `### `. So the wrapper begins before the first
section, and its end is a section of its own: what they read of each section is what Playwright MCP would have written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from rove.actions.console import ConsoleLine
from rove.actions.network import RequestBody, RequestDetails, RequestLine
from rove.errors import (
    AmbiguousTarget,
    Denied,
    DialogOpen,
    ElementGone,
    ElementNotFound,
    InvalidArguments,
    NotOpen,
    RoveError,
    ScriptFailed,
)
from rove.guard.wrapping import wrapped
from rove.outcome import AnyOutcome, ModalState, PageView, Passage, ViewedTab, author_of, console_line, unbroken
from rove.page_text import NOWHERE, Own, PageText
from rove.patterns import pattern
from rove.target import AriaRef, parse_target
from rove.toolsets import playwright_calls
from rove.toolsets.answers.form import answer_form, error_form
from rove.toolsets.playwright_calls import as_target, code_of, literal, outside_of, pictured, shown_path
from rove.toolsets.tool import Answer, FiledAnswer, ToolRequest

Arguments = Mapping[str, Any]
NO_VIEW = PageView()
NO_TABS = "No open tabs. Navigate to a URL to create one."
LEVELS = ("error", "warning", "info", "debug")
CONTEXT_LINES = 3
LONGEST_WAIT = 30
FETCHED = ("fetch", "xhr")

# The last section of an answer: it holds the end of the wrapper.
END = "### End of page content"
SNAPSHOT_TOOL = "browser_snapshot"
HANDLERS = {"answer": "browser_handle_dialog", "files": "browser_file_upload"}
CLEARING = ("browser_handle_dialog", "browser_file_upload")
Section = tuple[str, list[str]]
_HEADING = pattern(r"(?m)^###")
_REF = pattern(r" ?\[(?:f\d+)?e\d+\]")
# Importing them declares them.
CONVERSIONS = playwright_calls


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


@answer_form("playwright")
def playwright(request: ToolRequest, outcome: AnyOutcome) -> Answer | FiledAnswer:
    """Tell the result, the code that Playwright would have run, the page and what happened on the side."""
    try:
        code, result = code_of(request, outcome), result_of(request, outcome)
    except InvalidArguments as error:
        return playwright_error(request, error)
    others: list[Section] = [("Ran Playwright code", ["```js", *code, "```"] if code else [])]
    others += _page_sections(request, outcome)
    if request.file is None or not result:
        return _answer(request, outcome, [("Result", result), *others])

    def told(path: str) -> Answer:
        link = f"- [{file_title(request)}]({shown_path(path)})"
        return _answer(request, outcome, [("Result", [link]), *others])

    return FiledAnswer("\n".join(result), copied_body(request, outcome), told)


def _answer(request: ToolRequest, outcome: AnyOutcome, sections: list[Section]) -> Answer:
    attachments = () if request.arguments.get("filename") else outcome.attachments
    # All sections are in one wrapper, so its origin is not known if several pages or frames wrote them.
    author = author_of((outcome.url, outcome.result, outcome.view), outcome.origin)
    return Answer(_text(sections, author or outcome.origin), attachments)


def _page_sections(request: ToolRequest, outcome: AnyOutcome) -> Iterable[Section]:
    view = outcome.view
    if view is None:
        return
    is_explicit = request.tool == SNAPSHOT_TOOL
    if (view.is_changed and request.tool != "browser_tabs") or view.snapshot_file is not None or is_explicit:
        if len(view.tabs) != 1:
            yield "Open tabs", tab_lines(view.tabs)
        yield "Page", _page_lines(view)
    yield "Modal state", _modal_lines(view.modal_states)
    if is_explicit:
        yield "Snapshot", _explicit_snapshot(outcome)
    elif view.snapshot_file is not None:
        yield "Snapshot", [f"- [Snapshot]({shown_path(view.snapshot_file)})"]
    yield "Events", [*_console_lines(view), *_download_lines(outcome)]


def _explicit_snapshot(outcome: AnyOutcome) -> list[str]:
    if outcome.result.path:
        return [f"- [Snapshot]({shown_path(outcome.result.path)})"]
    return ["```yaml", outcome.result.yaml, "```"]


def _page_lines(view: PageView) -> list[str]:
    tab = view.current
    if tab is None:
        return []
    lines = [f"- Page URL: {unbroken(tab.url)}", *([f"- Page Title: {unbroken(tab.title)}"] if tab.title else [])]
    if view.status is not None and not 200 <= view.status < 300:
        lines.append(f"- HTTP status: {view.status} {_phrase(view.status)}".rstrip())
    if view.counts.errors or view.counts.warnings:
        lines.append(f"- Console: {view.counts.errors} errors, {view.counts.warnings} warnings")
    return lines


def _phrase(status: int) -> str:
    from http import HTTPStatus  # seldom needed

    return HTTPStatus(status).phrase if status in {each.value for each in HTTPStatus} else ""


def _modal_lines(states: Iterable[ModalState]) -> list[str]:
    return [f"- [{_described(state)}]: can be handled by {HANDLERS[state.waits_for]}" for state in states]


def _described(state: ModalState) -> str:
    if state.waits_for == "files":
        return "File chooser"
    return f'"{state.kind}" dialog with message "{unbroken(state.message)}"'


def _console_lines(view: PageView) -> list[str]:
    if view.console is None:
        return []
    lines = view.console
    place = f"#L{lines.first}" if lines.first == lines.last else f"#L{lines.first}-L{lines.last}"
    return [f"- New console entries: {shown_path(lines.path)}{place}"]


def _download_lines(outcome: AnyOutcome) -> list[str]:
    lines: list[str] = []
    for download in outcome.view.downloads if outcome.view else ():
        name = unbroken(download.name)
        lines.append(f"- Downloading file {name} ...")
        if download.path:
            lines.append(f'- Downloaded file {name} to "{unbroken(shown_path(download.path))}"')
    return lines


def _text(sections: Iterable[Section], origin: str | None) -> str:
    told = "\n".join(line for title, lines in sections if lines for line in (f"### {title}", *map(_inside, lines)))
    return wrapped([Passage(f"{told}\n{END}", origin, is_raw=True)]) if origin else told


def _inside(lines: str) -> str:
    """Return what stands in a section: no line of it begins another one."""
    return _HEADING.sub(r"\\###", lines)


@error_form("playwright")
def playwright_error(request: ToolRequest, error: RoveError) -> Answer:
    """Tell an error, in Playwright's words where it has some, and what the page waits for."""
    view = error.view if isinstance(error.view, PageView) else None
    modal = _modal_lines(view.modal_states) if view else []
    sections = [("Error", [_error_words(request, error, bool(modal))]), ("Modal state", modal)]
    quotes = author_of((error.parts, view), NOWHERE)
    text = _text(sections, quotes)
    told = f"{error.notice}\n{text}" if error.notice else text
    return Answer(told, is_error=True, code=error.code, conceals=error.conceals)


def _error_words(request: ToolRequest, error: RoveError, has_modal: bool) -> str:
    tool, target = request.tool, str(request.arguments.get("target", ""))
    if isinstance(error, DialogOpen) and has_modal:
        return f'Error: Tool "{tool}" does not handle the modal state.'
    if isinstance(error, NotOpen) and tool in CLEARING:
        return f'Error: The tool "{tool}" can only be used when there is related modal state present.'
    if str(request.arguments.get("url", "")).startswith("file:"):
        return f'Error: Access to "file:" protocol is blocked. Attempted URL: "{request.arguments["url"]}"'
    root = request.settings.workspace_folder
    if isinstance(error, Denied) and (outside := outside_of(root, request.arguments.get("paths") or ())):
        return f"Error: File access denied: {outside} is outside allowed roots. Allowed roots: {root}"
    if isinstance(error, InvalidArguments):
        return f'Invalid arguments for tool "{tool}":\n{error.message}'
    if isinstance(error, ElementNotFound | ElementGone) and target:
        if isinstance(parse_target(as_target(target)), AriaRef):
            return f"Error: Ref {target} not found in the current page snapshot. Try capturing new snapshot."
        return f'Error: "{target}" does not match any elements.'
    if isinstance(error, AmbiguousTarget):
        return f'Error: strict mode violation: "{target}" matches several elements. Use the ref of one of them.'
    # A ref in rove's own numbering would mean another element here.
    message = unbroken(error.message) if error.origins else error.message
    # What a script threw begins with its own kind of error.
    said = message if isinstance(error, ScriptFailed) else f"Error: {message}"
    return _REF.sub("", f"{said}\n{error.hint}".rstrip())
