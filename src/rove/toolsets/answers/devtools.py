"""Answers and errors of the toolset `devtools`.

Values and logs of pages are told as JSON, in which `<` is escaped and nothing is invisible: no page can end the element
or the string that its words are in, or write a marker of rove. The instructions of the toolset say whose words it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from rove.actions.console import ConsoleLines, Evaluated, WorkerList
from rove.actions.navigation import Navigated
from rove.actions.network import RequestList
from rove.browser.logs import unrecorded_messages, unrecorded_requests
from rove.browser.page_data import WorkerInfo
from rove.errors import DeadlineExceeded, RoveError
from rove.guard.cleaning import readable
from rove.guard.wrapping import wrapped
from rove.outcome import AnyOutcome, Passage, message_passages
from rove.page_text import NOWHERE
from rove.toolsets.answers.form import answer_form, error_form
from rove.toolsets.outcome_text import as_wrapped, error_data
from rove.toolsets.tool import Answer, ToolRequest
from rove.workspace import reading_command

DONE = "done"
_LOOK = "Look at the page with browser_take_screenshot or browser_eval"
# What to try next, where the hint of the error named only what this toolset does not have.
HINTS = {
    "element_gone": f"The page has changed. {_LOOK}.",
    "element_not_ready": f"{_LOOK}, then call again.",
    "deadline_exceeded": f"Allow more time with `timeout`. {_LOOK}.",
    "dialog_open": "It is dismissed by itself in a moment: call again.",
}


@answer_form("done_or_download")
def done_or_download(request: ToolRequest, outcome: AnyOutcome) -> Answer:
    """Tell that a page has loaded or, if the address was that of a download, its name and its file."""
    result = outcome.result
    assert isinstance(result, Navigated)
    if result.download is None:
        return Answer(DONE)
    file = result.download
    # The server chose the name, which the path ends with.
    place = f"{file.name} (saved as {file.path}, {file.size} bytes)" if file.path else f"{file.name} (still arriving)"
    return Answer(wrapped([Passage("Downloaded:"), Passage(readable(place), file.name.origin)]))


@answer_form("javascript_result")
def javascript_result(request: ToolRequest, outcome: AnyOutcome) -> Answer:
    """Tell the value of an expression as JSON, or the file that has it."""
    result = outcome.result
    assert isinstance(result, Evaluated)
    if result.path:
        return _in_file(result.path)
    return Answer(f"<javascript_result>{_as_json(result.value)}</javascript_result>")


@answer_form("console_entries")
def console_entries(request: ToolRequest, outcome: AnyOutcome) -> Answer:
    """Tell console entries as a JSON list, or the file that has them."""
    result = outcome.result
    assert isinstance(result, ConsoleLines)
    if result.path:
        return _in_file(result.path, _missing(result, "entries", unrecorded_messages))
    return _inline(result.latest(result.limit), _missing(result, "entries", unrecorded_messages))


@answer_form("service_workers")
def service_workers(request: ToolRequest, outcome: AnyOutcome) -> Answer:
    """Tell the registered service workers, and the script of the one that controls the page, as JSON."""
    result = outcome.result
    assert isinstance(result, WorkerList)
    found = [worker for worker in result.workers if worker.kind == "service worker"]
    controller = next((worker.url for worker in found if worker.controls_page), None)
    return Answer(_as_json({"registrations": [*map(_registration, found)], "controller": controller}))


@answer_form("network_sources")
def network_sources(request: ToolRequest, outcome: AnyOutcome) -> Answer:
    """Tell the source of each response as a JSON list, or the file that has it."""
    result = outcome.result
    assert isinstance(result, RequestList)
    note = _missing(result, "requests", unrecorded_requests)
    return _in_file(result.path, note) if result.path else _inline([each.entry for each in result.requests], note)


@error_form("devtools")
def devtools_error(request: ToolRequest, error: RoveError) -> Answer:
    """Tell what went wrong on the first line, and then what to try next."""
    error.hint = error.hint or HINTS.get(error.code, "")
    text = as_wrapped([Passage(error.notice), *_message(request, error), Passage(error.hint)], NOWHERE)
    data = {"error": error_data(error)}
    return Answer(text, (), data, is_error=True, code=error.code, conceals=error.conceals)


def _message(request: ToolRequest, error: RoveError) -> Iterable[Passage]:
    """Return the message of an error. If a page did not load in time, it says the time as the caller wrote it."""
    if isinstance(error, DeadlineExceeded) and request.tool == "browser_navigate":
        timeout = str(request.arguments["timeout"])
        return [Passage(f"Timeout after {timeout} waiting for page load")]
    return message_passages(error)


def _registration(worker: WorkerInfo) -> dict[str, Any]:
    state, _, running = worker.state.partition(", ")
    facts = {"scope": worker.scope, "scriptURL": worker.url, "state": state, "status": running}
    return {**facts, "controlling": worker.controls_page}


def _missing(result: ConsoleLines | RequestList, what: str, unrecorded: Callable[[int], str]) -> str:
    dropped = f"{result.dropped} older {what} were dropped." if result.dropped else ""
    return " ".join(filter(None, [dropped, unrecorded(result.unrecorded)]))


def _inline(entries: list[dict[str, Any]], note: str) -> Answer:
    return Answer("\n".join(filter(None, [_as_json(entries), note])))


def _in_file(path: str, note: str = "") -> Answer:
    lines = [f"Large output was written to {path}", f"Read it with: {reading_command(path)}", note]
    return Answer("\n".join(filter(None, lines)))


def _as_json(value: Any) -> str:
    return readable(json.dumps(value, ensure_ascii=False)).replace("<", "\\u003c")
