"""Answers of the toolset for named sessions."""

from __future__ import annotations

import json

from rove.actions.readable_text import MOST_CHARACTERS, Extracted
from rove.actions.screenshot import Pictured
from rove.actions.sessions import SessionOpened
from rove.guard.wrapping import wrapped
from rove.outcome import AnyOutcome, Passage
from rove.page_text import NOWHERE
from rove.toolsets.answers.form import answer_form
from rove.toolsets.tool import Answer, ToolRequest

TRUNCATED = f"[truncated at {MOST_CHARACTERS:,} characters]"


@answer_form("session_started")
def session_started(request: ToolRequest, outcome: AnyOutcome) -> Answer:
    """Tell the name of the session, and how its browser is shown."""
    opened: SessionOpened = outcome.result
    headless = request.settings.headless if opened.headless is None else opened.headless
    viewport = opened.viewport or request.settings.viewport
    name, shown = opened.session, "without a window" if headless else "with a window"
    text = f"Started session {name}, {shown}. Its tools are there now: pass session={json.dumps(name)}."
    size = {"width": viewport.width, "height": viewport.height}
    return Answer(text, structured={"session": str(name), "headless": headless, "viewport": size})


@answer_form("saved_screenshot")
def saved_screenshot(request: ToolRequest, outcome: AnyOutcome) -> Answer:
    """Tell where a picture was saved, and show it."""
    picture: Pictured = outcome.result
    cut = ", cut: the page goes on" if picture.is_cut else ""
    text = f"Screenshot saved: {picture.path} ({picture.width} x {picture.height}{cut})"
    facts = {"path": str(picture.path), "width": picture.width, "height": picture.height}
    return Answer(text, picture.attachments, facts)


@answer_form("extracted_content")
def extracted_content(request: ToolRequest, outcome: AnyOutcome) -> Answer:
    """Tell one value as it is, and several as a JSON array."""
    extracted: Extracted = outcome.result
    wants_all = request.arguments.get("all")
    values = extracted.content[:1] if wants_all is False else extracted.content
    is_list = wants_all is True or len(values) > 1
    text = json.dumps(values, ensure_ascii=False, indent=1) if is_list else _single(values)
    passages = [Passage(text, _origin(extracted, outcome), is_raw=True)] if text else [Passage("There is no text.")]
    if extracted.is_cut and (wants_all is not False or len(text) >= MOST_CHARACTERS):
        passages.append(Passage(TRUNCATED))
    if extracted.unseen_count:
        parts = "1 part" if extracted.unseen_count == 1 else f"{extracted.unseen_count} parts"
        passages.append(Passage(f"Left out: {parts} of the text, which a person does not see."))
    return Answer(wrapped(passages))


def _single(values: tuple[str | None, ...]) -> str:
    return "null" if values and values[0] is None else (values[0] or "" if values else "")


def _origin(extracted: Extracted, outcome: AnyOutcome) -> str:
    """Return the origin that wrote the content: the page's, unless frames of others wrote a part of it."""
    others = {origin for origin in extracted.origins[: len(extracted.content)] if origin}
    return NOWHERE if others else outcome.origin
