"""Regular expressions that are compiled when they are first used: compiling all of rove's takes 7 ms of every start."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import AnyStr, Generic


class Pattern(Generic[AnyStr]):
    """A regular expression with those methods of `re.Pattern` that rove uses."""

    def __init__(self, text: AnyStr, flags: int = 0) -> None:
        self.text: AnyStr = text
        self.flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[AnyStr]:
        return re.compile(self.text, self.flags)

    def match(self, text: AnyStr, start: int = 0) -> re.Match[AnyStr] | None:
        return self.compiled.match(text, start)

    def fullmatch(self, text: AnyStr, start: int = 0) -> re.Match[AnyStr] | None:
        return self.compiled.fullmatch(text, start)

    def search(self, text: AnyStr, start: int = 0) -> re.Match[AnyStr] | None:
        return self.compiled.search(text, start)

    def finditer(self, text: AnyStr) -> Iterator[re.Match[AnyStr]]:
        return self.compiled.finditer(text)

    def sub(self, replacement: AnyStr | Callable[[re.Match[AnyStr]], AnyStr], text: AnyStr, count: int = 0) -> AnyStr:
        return self.compiled.sub(replacement, text, count)


def pattern(text: AnyStr, flags: int = 0) -> Pattern[AnyStr]:
    """Declare a regular expression, as `re.compile` does, without compiling it yet."""
    return Pattern(text, flags)
