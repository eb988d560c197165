"""The answers and the changed headers with which rules meet a request."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from rove.browser.network.rules import RequestRule

Headers = list[dict[str, str]]
PREFLIGHT_METHOD = "Access-Control-Request-Method"


def is_preflight(request: dict[str, Any]) -> bool:
    """Return whether a request is one by which the browser asks another origin what scripts may send to it."""
    return request["method"] == "OPTIONS" and PREFLIGHT_METHOD in request["headers"]


def preflight_params(request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer that lets the script send the request which a rule answers."""
    asked = request["headers"]
    headers = {
        **_cors_headers(request),
        "Access-Control-Allow-Methods": asked[PREFLIGHT_METHOD],
        "Access-Control-Allow-Headers": asked.get("Access-Control-Request-Headers", "*"),
    }
    return {"responseCode": 204, "responseHeaders": _listed(headers)}


def answer_params(rule: RequestRule, request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of a rule. A script of another origin may read it, unless the rule says otherwise."""
    given = {name.lower() for name, _ in rule.headers}
    cors = {} if "access-control-allow-origin" in given else _cors_headers(request)
    headers = [{"name": name, "value": value} for name, value in rule.headers] + _listed(cors)
    if "content-type" not in given:
        headers.append({"name": "Content-Type", "value": _guessed_type(rule.body or "")})
    body = base64.b64encode((rule.body or "").encode()).decode("ascii")
    return {"responseCode": rule.status, "responseHeaders": headers, "body": body}


def file_params(data: bytes, kind: str) -> dict[str, Any]:
    """Return the answer that is the content of a file."""
    text = f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
    headers = _listed({"Content-Type": text, "Cache-Control": "no-store"})
    return {"responseCode": 200, "responseHeaders": headers, "body": base64.b64encode(data).decode("ascii")}


def changed_headers(
    rule: RequestRule, request: dict[str, Any], headers: Headers | None, reveal: Callable[[str, str], str]
) -> dict[str, Any]:
    """Return the parts of a request that a rule changes. `headers`: those that rules before it have left.

    `reveal` returns the value of a header, which may be a named secret, for the origin that the rule names.
    """
    changed: dict[str, Any] = {}
    if rule.headers:
        kept = headers if headers is not None else _listed(request["headers"])
        names = {name.lower() for name, _ in rule.headers}
        set_now = [(name, reveal(value, rule.origin or "")) for name, value in rule.headers if value]
        kept = [header for header in kept if header["name"].lower() not in names]
        changed["headers"] = kept + [{"name": name, "value": value} for name, value in set_now]
    if rule.body is not None:
        changed["postData"] = base64.b64encode(rule.body.encode()).decode("ascii")
    return changed


def _cors_headers(request: dict[str, Any]) -> dict[str, str]:
    origin = next((value for name, value in request["headers"].items() if name.lower() == "origin"), None)
    if origin is None:
        return {}
    return {"Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true", "Vary": "Origin"}


def _guessed_type(body: str) -> str:
    start = body.lstrip()[:1]
    kinds = {"{": "application/json", "[": "application/json", "<": "text/html"}
    return f"{kinds.get(start, 'text/plain')}; charset=utf-8"


def _listed(headers: dict[str, str]) -> Headers:
    return [{"name": name, "value": value} for name, value in headers.items()]
