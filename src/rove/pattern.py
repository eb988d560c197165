"""Regular expressions that are compiled when they are first used: all of rove's at once take 7 ms of every start."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, later."""
    return cast("re.Pattern[AnyStr]", _Uncompiled(text, flags))


class _Uncompiled:
    """What stands in for a pattern; each of its methods is asked for once."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self._text, self._flags)
        method = getattr(compiled, name)
        self.__dict__[name] = method
        return method
