"""Which origin an answer to a model gives to which words."""

from __future__ import annotations

import re
from collections.abc import Awaitable

from rove.errors import RoveError
from rove.outcome import AnyOutcome
from rove.toolsets.outcome_text import as_text, error_text

_WRAPPED = re.compile(r"<untrusted (\d{20}) ([^>]*)>\n(.*?)\n</untrusted \1>", re.DOTALL)


def words_by_origin(text: str) -> dict[str, str]:
    """Return the text of each origin; that of rove itself under an empty one."""
    found = {"": _WRAPPED.sub("", text)}
    for _, origin, words in _WRAPPED.findall(text):
        found[origin] = f"{found.get(origin, '')}{words}\n"
    return found


async def told(call: Awaitable[AnyOutcome]) -> str:
    """Return what a model is told of a call, whether it succeeds or fails."""
    try:
        return as_text(await call)
    except RoveError as error:
        return error_text(error)
