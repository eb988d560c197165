"""Tells an MCP client why rove could not start: each of its requests is answered with that error."""

from __future__ import annotations

import json
import sys
from typing import Any

from rove.surfaces.mcp.messages import INTERNAL, ProtocolError, error_message, is_answer, is_valid_id, to_json


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
