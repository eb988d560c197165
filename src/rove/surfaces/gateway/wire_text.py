"""Messages as JSON text that every client can read, whatever a page, a model or another client put into them."""

from __future__ import annotations

import json
import math
from typing import Any


def to_text(message: dict[str, Any]) -> str:
    """Return a message as JSON text.

    A lone surrogate cannot be sent as UTF-8, so it is escaped. JSON has no NaN and no infinity: they become null.
    """
    try:
        text = json.dumps(message, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(message), ensure_ascii=False)
    return text if _is_unicode(text) else json.dumps(json.loads(text))


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
