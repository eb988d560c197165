"""Answers to a list of actions."""

from __future__ import annotations

from dataclasses import replace

from rove.outcome import AnyOutcome
from rove.toolsets.answers.form import answer_form, told_as_text
from rove.toolsets.listed_actions import in_listed_words, read_listed_actions
from rove.toolsets.tool import Answer, ToolRequest


@answer_form("listed_actions")
def listed_actions(request: ToolRequest, outcome: AnyOutcome) -> Answer:
    """Tell what each action did, in the words of the list, and the session, to go on with it."""
    answer = told_as_text(request, in_listed_words(outcome, read_listed_actions(request.arguments["actions"])))
    session = str(outcome.session)
    structured = {**(answer.structured or {}), "sessionId": session}
    return replace(answer, text=f"{answer.text}\nsessionId: {session}", structured=structured)
