"""Answers of the toolset `reader`: one line on what was done, or the readable text of the page."""

from __future__ import annotations

from collections.abc import Iterator

from rove.actions.forms import Filled
from rove.actions.navigation import FILE, Navigated, Visited
from rove.browser.page_state import LOSSES
from rove.errors import NotOpen
from rove.guard.cleaning import one_line, readable
from rove.guard.wrapping import neutralised
from rove.outcome import AnyOutcome, Passage, origin_in
from rove.page_text import Own
from rove.toolsets.answers.form import answer_form, error_told_as_text
from rove.toolsets.outcome_text import as_wrapped, event_passage
from rove.toolsets.tool import Answer, ToolRequest

# Both are the page's words outside the markers, so they are too short to instruct a model at length.
LONGEST_TITLE = 80
LONGEST_URL = 300
NO_PAGE = ("", "about:blank")
CUT = "The page goes on below what the picture shows."
DOWNLOADING = ("download", "download failed", "download refused", "download broken off", "pdf", "pdf not read")
# What is told beside the text or the picture of a page.
OF_INTEREST = (*DOWNLOADING, *LOSSES, "dialog dismissed")


@answer_form("reader")
def reader(request: ToolRequest, outcome: AnyOutcome) -> Answer:
    """Tell what was done in the words of the contract; of what was read, the text."""
    opened = _opening(outcome)
    if opened is not None and opened.download is not None:
        return Answer(_of_file(outcome, opened), tells_events=True)
    if (outcome.url or "") in NO_PAGE:
        return error_told_as_text(request, _no_page(request))
    text = _read(request, outcome) if request.case == "snapshot" else _done(request, outcome)
    told = as_wrapped(_event_passages(request, outcome, opened), outcome.origin)
    return Answer("\n".join(part for part in (text, told) if part), outcome.attachments, tells_events=bool(told))


def _opening(outcome: AnyOutcome) -> Navigated | None:
    """Return how the address was opened, if the call opened one."""
    results = [outcome.result, *(part.result for part in outcome.result.parts)]
    return next((result for result in results if isinstance(result, Navigated)), None)


def _of_file(outcome: AnyOutcome, opened: Navigated) -> str:
    """Tell that the address is a file's, where it is, and the text of a PDF. The page in the tab is another."""
    told = (event for event in outcome.events if event.kind in DOWNLOADING)
    origin = origin_in(opened.download.url if opened.download else "")
    document = opened.document.passages(origin) if opened.document is not None else ()
    return as_wrapped([Passage(FILE), *map(event_passage, told), *document], origin)


def _no_page(request: ToolRequest) -> NotOpen:
    name = f"{request.tool} (action navigate)"
    return NotOpen("No page is open.", hint=f"Pass `url`, or open a page with {name} first.")


def _read(request: ToolRequest, outcome: AnyOutcome) -> str:
    return (
        f"Address: {_address(request, outcome)}\n{as_wrapped(outcome.result.passages(outcome.origin), outcome.origin)}"
    )


def _done(request: ToolRequest, outcome: AnyOutcome) -> str:
    result = outcome.result
    if isinstance(result, Visited) and result.seen is not None:
        picture = result.seen.result
        return f"Screenshot saved: {picture.path}" + (f"\n{CUT}" if picture.is_cut else "")
    if isinstance(result, Navigated):
        return f"Navigated to: {_address(request, outcome)}\nTitle: {_title(outcome)}"
    selector = readable(str(request.arguments["selector"]))
    if isinstance(result, Filled):
        return "\n".join([f"Typed into: {selector}", *_kept(result, str(request.arguments["text"]), outcome.origin)])
    return f"Clicked: {selector}"


def _kept(result: Filled, text: str, page: str) -> Iterator[str]:
    """Say what the field holds if that is not the text; of a secret, the value is not known."""
    value = result.value
    if value is None or value.split() == text.split():
        return
    said = "The field holds something else now:" if value else "The field is empty now."
    yield as_wrapped([Passage(said), Passage(one_line(value), value.origin)], page)


def _title(outcome: AnyOutcome) -> str:
    return one_line(neutralised(one_line(outcome.title or "", LONGEST_TITLE)), LONGEST_TITLE)


def _address(request: ToolRequest, outcome: AnyOutcome) -> str:
    """Return where the page is: as the caller wrote it, or else without what a page can write any text in."""
    shown, asked = outcome.url or "", str(request.arguments.get("url", ""))
    if shown.rstrip("/") == asked.rstrip("/"):
        return neutralised(one_line(shown, max(LONGEST_URL, len(asked))))
    return neutralised(one_line(shown.partition("#")[0].partition("?")[0], LONGEST_URL))


def _event_passages(request: ToolRequest, outcome: AnyOutcome, opened: Navigated | None) -> Iterator[Passage]:
    """Tell what happened on the side, such as a new tab or an error of the server."""
    is_told = request.case == "snapshot"  # what was read begins with it
    if opened is not None and str(opened) and not is_told:
        yield Passage(Own(opened))
    is_look = request.case in ("snapshot", "screenshot")
    events = [event for event in outcome.events if not is_look or event.kind in OF_INTEREST]
    yield from map(event_passage, events)
    yield from (Passage(event.advice) for event in events if event.advice)
