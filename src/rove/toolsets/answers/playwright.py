"""Answers in the form of Playwright MCP: sections under headings, all of them in one wrapper.

Programs that read these answers split them at lines that begin with `### `. So the wrapper begins before the first
section, and its end is a section of its own: what they read of each section is what Playwright MCP would have written.
"""

from __future__ import annotations

from collections.abc import Iterable

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
from rove.guard.wrapping.wrapper import wrapped
from rove.outcome import NOWHERE, AnyOutcome, Passage, author_of
from rove.target import AriaRef, parse_target
from rove.toolsets.answers.form import answer_form, error_form
from rove.toolsets.playwright import arguments
from rove.toolsets.playwright.javascript import as_target, code_of
from rove.toolsets.playwright.paths import outside_of, shown_path
from rove.toolsets.playwright.results import copied_body, file_title, result_of, tab_lines
from rove.toolsets.tool import Answer, FiledAnswer, ToolRequest
from rove.validation.pattern import pattern
from rove.views.line_breaks import unbroken
from rove.views.page_view import ModalState, PageView

# The last section of an answer: it holds the end of the wrapper.
END = "### End of page content"
SNAPSHOT_TOOL = "browser_snapshot"
HANDLERS = {"answer": "browser_handle_dialog", "files": "browser_file_upload"}
CLEARING = ("browser_handle_dialog", "browser_file_upload")
Section = tuple[str, list[str]]
_HEADING = pattern(r"(?m)^###")
_REF = pattern(r" ?\[(?:f\d+)?e\d+\]")
# Importing them declares them.
CONVERSIONS = arguments


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
