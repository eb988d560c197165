"""JSON-RPC messages of MCP: error codes, protocol revisions, and what each request says of its client."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Coroutine
from typing import Any, cast

Message = dict[str, Any]
Send = Callable[[Message], Coroutine[Any, Any, None]]
HANDSHAKE_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_REVISIONS = ("2026-07-28",)
META = "io.modelcontextprotocol/"
VERSION_KEY = META + "protocolVersion"
CAPABILITIES_KEY = META + "clientCapabilities"
CLIENT_KEY = META + "clientInfo"
TOOLS_CHANGED = "notifications/tools/list_changed"
# Methods that revision 2026-07-28 has removed.
REMOVED_METHODS = ("initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe")
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
)
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_REVISION = -32022


class ProtocolError(Exception):
    """A request that cannot be served, with the code, message and data of a JSON-RPC error."""

    # Not a frozen dataclass: Python sets `__traceback__` on an exception that passes through a context manager.
    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


def error_message(identity: str | int | None, error: ProtocolError) -> Message:
    """Return the answer to a request that is refused."""
    body = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    return {"jsonrpc": "2.0", "id": identity, "error": body}


def to_json(content: object) -> bytes:
    """Return JSON as one line of ASCII: an unpaired surrogate from a page must not break it."""
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    if not text.isascii():  # escaping takes twice as long, which counts for a picture, and a picture needs none
        text = json.dumps(content, separators=(",", ":"))
    return text.encode("ascii")


def is_answer(message: Message) -> bool:
    """Whether a message answers a request, rather than being a request or a notification itself."""
    return "method" not in message


def is_valid_id(identity: object) -> bool:
    return isinstance(identity, str | int) and not isinstance(identity, bool)


def params_of(message: Message) -> Message:
    """Return the parameters of a request; none if they are not an object."""
    given = message.get("params")
    return cast(Message, given) if isinstance(given, dict) else {}


def meta_of(params: Message) -> Message:
    """Return the `_meta` of a request. Raises ProtocolError if it is not an object."""
    meta = params.get("_meta", {})
    if not isinstance(meta, dict):
        raise ProtocolError(INVALID_PARAMS, "params._meta must be an object")
    return cast(Message, meta)


def envelope_in(params: Message) -> Message | None:
    """Return the `_meta` of a request of a stateless revision; None for one of a handshake revision."""
    meta = meta_of(params)
    if VERSION_KEY not in meta and CAPABILITIES_KEY not in meta:
        return None
    envelope = required_meta(params)
    refuse_unsupported(envelope[VERSION_KEY])
    return envelope


def required_meta(params: Message) -> Message:
    """Return the `_meta` that a stateless revision requires. Raises ProtocolError if it is incomplete."""
    meta = meta_of(params)
    if missing := [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]:
        raise ProtocolError(INVALID_PARAMS, f"params._meta is missing {' and '.join(missing)}")
    if not isinstance(meta[CAPABILITIES_KEY], dict):
        raise ProtocolError(INVALID_PARAMS, f"{CAPABILITIES_KEY} must be an object")
    if not isinstance(meta[VERSION_KEY], str):
        raise ProtocolError(INVALID_PARAMS, f"{VERSION_KEY} must be a string")
    return meta


def refuse_unsupported(revision: str) -> None:
    """Raise ProtocolError if this is no stateless revision that rove supports."""
    if revision not in STATELESS_REVISIONS:
        raise ProtocolError(
            UNSUPPORTED_REVISION,
            f"Unsupported protocol version: {revision}",
            {"supported": [*HANDSHAKE_REVISIONS, *STATELESS_REVISIONS], "requested": revision},
        )


def serve_fault(message: str, hint: str, code: str) -> None:
    """Answer every request with an error, until the client closes the connection."""
    fault = ProtocolError(INTERNAL, f"rove could not start: {message} {hint}".strip(), {"code": code, "hint": hint})
    for line in sys.stdin.buffer:
        identity = _request(line)
        if identity is not None:
            sys.stdout.buffer.write(to_json(error_message(identity, fault)) + b"\n")
            sys.stdout.buffer.flush()


def _request(line: bytes) -> str | int | None:
    """Return the id of a request; None for anything else."""
    try:
        message: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or is_answer(message):
        return None
    identity = message.get("id")
    return identity if is_valid_id(identity) else None
