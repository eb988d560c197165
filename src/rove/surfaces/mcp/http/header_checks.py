"""Headers of revision 2026-07-28, by which balancers route a request without reading its body.

They must say what the body says: otherwise a request could be routed, counted or allowed as another one.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any

from starlette.datastructures import Headers

from rove.surfaces.mcp.messages import (
    HANDSHAKE_REVISIONS,
    HEADER_MISMATCH,
    VERSION_KEY,
    Message,
    ProtocolError,
    meta_of,
    params_of,
)
from rove.validation.pattern import pattern

REVISION_HEADER = "mcp-protocol-version"
METHOD_HEADER = "mcp-method"
NAME_HEADER = "mcp-name"
PARAMETER_PREFIX = "mcp-param-"
# The parameter that `Mcp-Name` repeats, by method.
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_ENCODED = pattern(r"=\?base64\?(?P<data>.*)\?=")
_DECIMAL = pattern(r"-?[0-9]+(\.0+)?", re.ASCII)


def is_stateless(headers: Headers, message: object) -> bool:
    """Whether a request is of a stateless revision, by its header or, if that is missing, by its body."""
    revision = headers.get(REVISION_HEADER)
    if revision is not None:
        return revision not in HANDSHAKE_REVISIONS
    meta = params_of(message).get("_meta") if isinstance(message, dict) else None
    return isinstance(meta, dict) and VERSION_KEY in meta


def check_headers(headers: Headers, message: Message) -> None:
    """Raise ProtocolError if a header does not say what the body says."""
    params = params_of(message)
    _check(headers, REVISION_HEADER, meta_of(params).get(VERSION_KEY))
    _check(headers, METHOD_HEADER, message["method"])
    name = params.get(NAMED_BY.get(message["method"], ""))
    if name is not None:
        _check(headers, NAME_HEADER, name)


def check_parameters(headers: Headers, schema: Mapping[str, Any], arguments: object) -> None:
    """Raise ProtocolError if a header `Mcp-Param-*` does not say what the argument says that its schema names."""
    given = arguments if isinstance(arguments, dict) else {}
    for name, value, declared in _marked(schema, given):
        header = PARAMETER_PREFIX + str(name).lower()
        if value is not None or header in headers:
            _check(headers, header, value, is_integer=declared == "integer")


def _marked(schema: Mapping[str, Any], given: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return each argument that has a header: the header's name, the value and the declared type."""
    found: list[tuple[str, Any, Any]] = []
    for name, part in schema.get("properties", {}).items():
        if not isinstance(part, dict):
            continue
        value = given.get(name)
        if "x-mcp-header" in part:
            found.append((part["x-mcp-header"], value, part.get("type")))
        found += _marked(part, value if isinstance(value, dict) else {})
    return found


def _check(headers: Headers, header: str, value: object, *, is_integer: bool = False) -> None:
    told = headers.getlist(header)
    if not told:
        raise ProtocolError(HEADER_MISMATCH, f"The header {header} is missing.")
    if len(told) > 1:
        raise ProtocolError(HEADER_MISMATCH, f"The header {header} appears more than once.")
    if not _is_same(_decoded(told[0]), value, is_integer):
        raise ProtocolError(HEADER_MISMATCH, f"The header {header} does not say what the body says.")


def _is_same(told: str | None, value: object, is_integer: bool) -> bool:
    if told is None:
        return False
    if isinstance(value, bool):
        return told == ("true" if value else "false")
    if is_integer and isinstance(value, int | float) and _DECIMAL.fullmatch(told):
        return float(told) == value
    return isinstance(value, str | int | float) and told == str(value)


def _decoded(value: str) -> str | None:
    """Return a header's value, which is encoded if it has other characters than a header may have."""
    found = _ENCODED.fullmatch(value)
    if found is None:
        return value
    try:
        return base64.b64decode(found["data"], validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None
