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
    "openedBy": "label of the token that opened it",
    "tabs": "`id`, `url`, `is_current`",
    "idleSeconds": "since its last call",
    "driver": "`who` (agent, person), `name`, `isPaused`",
}
_STEP = {
    "stepId": "of the step",
    "action": "its name",
    "summary": "one line",
    "arguments": "without secrets",
    "actor": "agent, or the person's name",
    "tab": "that it acts in",
    "url": "of the page",
    "decision": "allowed, approved, remembered, denied",
    "outcome": "done, or the code of an error",
    "error": "its message",
    "changes": "what the agent was told of the page, shortened",
    "began": "seconds since 1970",
    "seconds": "it took",
}
_KINDS = (
    EventKind(
        "hello",
        "After a client has authenticated, to it alone.",
        {
            "version": "of rove",
            "protocol": "of this wire: 1",
            "scopes": "what the token allows",
            "mark": "what ends the keys of sessions that were opened with the token: nothing for the owner",
            "lastEventId": "of the last event so far",
            "model": "of the chat: `name`, `isScripted`",
            "hasCluster": "whether the sessions run on the nodes of a cluster",
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
            "elements": "that it would act on: `argument`, `ref`, `line`, `box` in CSS pixels of the picture",
            "consequences": "what it would send or open, and what is not known: `name`, `text`, `isNote`",
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
        {
            "runId": "of the run that it began",
            "role": "user",
            "text": "of the message",
            "isQueued": "whether it waits for an answer to an earlier one",
        },
    ),
    EventKind("chat.delta", "The model has written more.", {"runId": "of the run", "text": "what is new"}),
    EventKind(
        "chat.final",
        "A run is over.",
        {
            "runId": "of the run",
            "text": "all that the model wrote in this run",
            "usage": "`inputTokens`, `outputTokens`, `requests`",
            "attachments": _ATTACHMENTS,
            "attachmentsLeftOut": "how many others there were, each of them in its `tool.result`",
            "stopReason": "done, aborted, limit",
            "speaker": "`server` if rove itself has answered, without the model",
        },
    ),
    EventKind(
        "chat.error",
        "A run has failed.",
        {"runId": "of the run", "code": "stable", "message": "one sentence", "hint": "the next thing to try"},
    ),
    EventKind(
        "chat.waiting",
        "The model's server is busy; the request is made again.",
        {"runId": "of the run", "seconds": "until then"},
    ),
    EventKind(
        "chat.compacted",
        "The conversation was too long for the model, and was shortened.",
        {"runId": "of the run", "text": "what was left out"},
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
            "code": "of the error, if it did not",
            "text": "what the model is told",
            "attachments": _ATTACHMENTS,
            "structured": "the answer as data, if the tool has it: of `browser`, its `sessionId`",
        },
    ),
    EventKind("session.opened", "A session was opened.", _FACTS),
    EventKind("session.changed", "Its tabs, or who drives it, have changed.", _FACTS),
    EventKind("session.closed", "A session was closed.", {}),
    EventKind("step.began", "An action of the agent, or acts of a person, have begun.", _STEP),
    EventKind("step.ended", "They are over.", _STEP),
    EventKind(
        "step.picture",
        "What the page shows after a step.",
        {"stepId": "of the step", "picture": "`mimeType`, `data` (base64)"},
    ),
    EventKind(
        "guard.refused",
        "A page, or the agent, asked for an address that the guard refuses.",
        {
            "host": "and port",
            "reason": "a stable word",
            "message": "one sentence",
            "flag": "that would allow it, if any",
        },
    ),
    EventKind(
        "handoff.requested",
        "An agent asks a person to do something in its tab.",
        {
            "handoffId": "of the hand-off",
            "reason": "what to do",
            "tab": "of it",
            "url": "of the page",
            "expiresAt": "seconds since 1970",
        },
    ),
    EventKind(
        "handoff.ended",
        "A hand-off is over.",
        {"handoffId": "of the hand-off", "outcome": "done, declined, expired, cancelled"},
    ),
    EventKind(
        "live.frame",
        "A frame of a live view, to the client that started it. It has no `eventId`.",
        {
            "tab": "that it shows",
            "url": "of the page",
            "frameId": "to acknowledge it",
            "at": "when it was taken: seconds since 1970",
            "width": "of the viewport, in CSS pixels",
            "height": "of the viewport, in CSS pixels",
            "mimeType": "image/jpeg",
            "data": "base64",
        },
    ),
    EventKind("live.stopped", "A live view has ended.", {"reason": "why"}),
    EventKind(
        "settings.changed",
        "A setting was written to the config file.",
        {"key": "of the setting", "value": "of the setting"},
        has_session=False,
    ),
)
EVENTS: Mapping[str, EventKind] = {kind.name: kind for kind in _KINDS}
