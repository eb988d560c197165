"""Answers of the toolset `reader`: one line on what was done, or the readable text of the page."""

from __future__ import annotations

from collections.abc import Iterator

from rove.actions.pages.navigation import Navigated
from rove.actions.pages.screenshot import Pictured
from rove.errors import NotOpen
from rove.guard.wrapping.wrapper import neutralised
from rove.outcome import AnyOutcome, Own, Passage
from rove.render.cleaning import one_line, readable
from rove.render.outcomes import as_wrapped
from rove.toolsets.answers.form import answer_form, error_told_as_text
from rove.toolsets.tool import Answer, ToolRequest

# Both are the page's words outside the markers, so they are too short to instruct a model at length.
LONGEST_TITLE = 80
LONGEST_URL = 300
NO_PAGE = ("", "about:blank")


@answer_form("reader")
def reader(request: ToolRequest, outcome: AnyOutcome) -> Answer:
    """Tell what was done in the words of the contract; of what was read, the text."""
    if (error := outcome.result.error) is not None:
        return error_told_as_text(request, error)
    # Visiting and reading are two steps, of which the last has the result.
    last = outcome.result.parts[-1] if outcome.result.parts else outcome
    if (last.url or "") in NO_PAGE:
        return error_told_as_text(request, _no_page(request))
    told = _events(outcome) if request.case in ("navigate", "click", "type") else ""
    text = _read(last) if request.case == "snapshot" else _done(request, last)
    return Answer("\n".join(part for part in (text, told) if part), last.attachments, tells_events=bool(told))


def _no_page(request: ToolRequest) -> NotOpen:
    name = f"{request.tool} with action navigate"
    return NotOpen("No page is open.", hint=f"Pass `url`, or open a page with {name} first.")


def _read(outcome: AnyOutcome) -> str:
    return as_wrapped(outcome.result.passages(outcome.origin), outcome.origin)


def _done(request: ToolRequest, outcome: AnyOutcome) -> str:
    result = outcome.result
    if isinstance(result, Pictured):
        return f"Screenshot saved: {result.path}"
    if isinstance(result, Navigated):
        return f"Navigated to: {_address(request, outcome)}\nTitle: {_title(outcome)}"
    done = "Typed into" if request.case == "type" else "Clicked"
    return f"{done}: {readable(str(request.arguments['selector']))}"


def _title(outcome: AnyOutcome) -> str:
    return one_line(neutralised(one_line(outcome.title or "", LONGEST_TITLE)), LONGEST_TITLE)


def _address(request: ToolRequest, outcome: AnyOutcome) -> str:
    """Return where the page is: as the caller wrote it, or else without what a page can write any text in."""
    shown, asked = outcome.url or "", str(request.arguments["url"])
    if shown.rstrip("/") == asked.rstrip("/"):
        return neutralised(one_line(shown, max(LONGEST_URL, len(asked))))
    return neutralised(one_line(shown.partition("#")[0].partition("?")[0], LONGEST_URL))


def _events(outcome: AnyOutcome) -> str:
    """Tell what happened on the side, such as a new tab or an error of the server."""
    return as_wrapped(_event_passages(outcome), outcome.origin)


def _event_passages(outcome: AnyOutcome) -> Iterator[Passage]:
    if isinstance(outcome.result, Navigated) and str(outcome.result):
        yield Passage(Own(outcome.result))
    yield from (Passage(f"({event.kind}) {one_line(event.text)}", outcome.origin) for event in outcome.events)
    yield from (Passage(event.advice) for event in outcome.events if event.advice)
