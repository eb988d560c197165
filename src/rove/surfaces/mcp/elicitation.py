"""Approval questions as MCP elicitation forms, and the answers that clients return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from rove.guard.policy.approval import ApprovalAnswer, ApprovalRequest
from rove.render.approvals import card

METHOD = "elicitation/create"
FIELD = "answer"
# "no" comes first: a client that fills in forms by itself takes the first choice.
CHOICES = {
    "no": ApprovalAnswer.NO,
    "yes, once": ApprovalAnswer.ONCE,
    "yes, for this session": ApprovalAnswer.FOR_SESSION,
}


def can_be_asked(capabilities: object) -> bool:
    """Whether a client declares that it can show forms. One that names no kind of elicitation means forms."""
    told = cast("Mapping[str, Any]", capabilities).get("elicitation") if isinstance(capabilities, dict) else None
    return isinstance(told, dict) and ("form" in told or "url" not in told)


def form(request: ApprovalRequest) -> dict[str, Any]:
    """Return the parameters of `elicitation/create`: the question and the possible answers."""
    choices = [word for word, answer in CHOICES.items() if _is_offered(answer, request)]
    choice = {
        "type": "string",
        "title": "Allow it?",
        "description": "For this session: also the next time, for the same action at the same place.",
        "enum": choices,
    }
    schema = {"type": "object", "properties": {FIELD: choice}, "required": [FIELD]}
    return {"message": f"rove asks:\n{card(request)}", "requestedSchema": schema}


def answer_in(result: object, request: ApprovalRequest) -> ApprovalAnswer:
    """Return the user's answer. Anything but a clear yes is a no."""
    if not isinstance(result, dict) or result.get("action") != "accept":
        return ApprovalAnswer.NO
    content = cast("Mapping[str, Any]", result).get("content")
    said = cast("Mapping[str, Any]", content).get(FIELD) if isinstance(content, dict) else None
    answer = CHOICES.get(said, ApprovalAnswer.NO) if isinstance(said, str) else ApprovalAnswer.NO
    return answer if _is_offered(answer, request) else ApprovalAnswer.NO


def _is_offered(answer: ApprovalAnswer, request: ApprovalRequest) -> bool:
    return answer is not ApprovalAnswer.FOR_SESSION or request.can_be_remembered
