"""Every kind of event that the gateway sends, with its data. The documentation is made from these."""

from __future__ import annotations

from collections.abc import Mapping

from rove.validation.record import dataclass


@dataclass(frozen=True)
class EventKind:
    """One kind of event: when it is sent, and what its data has besides `sessionKey`."""

    name: str
    when: str
    data: Mapping[str, str]
    has_session: bool = True


_ATTACHMENTS = "pictures and files: `type` (image, file), `mimeType`, `data` (base64), `name`"
_FACTS = {
    "tabs": "`id`, `url`, `is_current`",
    "idleSeconds": "since its last call",
    "driver": "`who` (agent, person), `name`, `isPaused`",
}
_KINDS = (
    EventKind(
        "hello",
        "After a client has authenticated, to it alone.",
        {
            "version": "of rove",
            "protocol": "of this wire: 1",
            "scopes": "what the token allows",
            "lastEventId": "of the last event so far",
            "model": "of the chat: `name`, `isScripted`",
        },
        has_session=False,
    ),
    EventKind(
        "events.missed",
        "Before the first event, if some between the client's last one and that are not kept any more.",
        {"after": "the client's last event", "before": "the first event that is still kept"},
        has_session=False,
    ),
    EventKind(
        "exec.approval_request",
        "A call waits for a person's decision.",
        {
            "approvalId": "to decide on it",
            "toolName": "of the tool that is called",
            "summary": "one line",
            "details": "of the tool: for `browser` its `actions`, for `bash` its `command` and `workingDir`",
            "runId": "of the chat's run, if it is from one",
            "question": "the policy's, if it is the policy that asks",
            "origins": "where it would act",
            "elements": "that it would act on: `argument`, `ref`, `line`",
            "tab": "that it would act in",
            "createdAt": "seconds since 1970",
            "expiresAt": "seconds since 1970",
            "canRemember": "whether it can be approved for the rest of the session",
            "picture": "of the page now: `mimeType`, `data` (base64)",
        },
    ),
    EventKind(
        "exec.approval_resolved",
        "A request was decided, or is over.",
        {
            "approvalId": "of the request",
            "decision": "approved, approved_for_session, denied, expired, cancelled",
            "by": "the label of the token that decided",
            "reason": "of a denial",
        },
    ),
    EventKind(
        "chat.message",
        "A client has sent a message to the model.",
        {"runId": "of the run that it began", "role": "user", "text": "of the message"},
    ),
    EventKind("chat.delta", "The model has written more.", {"runId": "of the run", "text": "what is new"}),
    EventKind(
        "chat.final",
        "A run is over.",
        {
            "runId": "of the run",
            "text": "of the model's last message",
            "usage": "`inputTokens`, `outputTokens`, `requests`",
            "attachments": _ATTACHMENTS,
            "stopReason": "done, aborted, limit",
        },
    ),
    EventKind(
        "chat.error",
        "A run has failed.",
        {"runId": "of the run", "code": "stable", "message": "one sentence", "hint": "the next thing to try"},
    ),
    EventKind(
        "tool.call",
        "A tool is called.",
        {"runId": "of the run, if any", "callId": "of the call", "tool": "its name", "arguments": "of the call"},
    ),
    EventKind(
        "tool.progress",
        "A tool is about to do something.",
        {
            "runId": "of the run, if any",
            "callId": "of the call",
            "tool": "its name",
            "message": "such as `Taking screenshot...`",
        },
    ),
    EventKind(
        "tool.result",
        "A call is over.",
        {
            "runId": "of the run, if any",
            "callId": "of the call",
            "tool": "its name",
            "ok": "whether it succeeded",
            "text": "what the model is told",
            "attachments": _ATTACHMENTS,
        },
    ),
    EventKind("session.opened", "A session was opened.", _FACTS),
    EventKind("session.changed", "Its tabs, or who drives it, have changed.", _FACTS),
    EventKind("session.closed", "A session was closed.", {}),
    EventKind(
        "settings.changed",
        "A setting was written to the config file.",
        {"key": "of the setting", "value": "of the setting"},
        has_session=False,
    ),
)  # fmt: skip
EVENTS: Mapping[str, EventKind] = {kind.name: kind for kind in _KINDS}
