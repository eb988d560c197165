"""Page ranges as people write them: `1-3,5`, `8-`."""

from __future__ import annotations

from rove.errors import InvalidArguments
from rove.patterns import pattern

_PART = pattern(r"\s*(\d{1,7})\s*(?:(-)\s*(\d{1,7})?\s*)?")
EXAMPLES = "Write pages like 1-3,5 or 8- (page 8 and all after it)."


def pages_in(text: str | None, count: int) -> list[int]:
    """Return the numbers of pages that a range names, in its order, each once. Raises InvalidArguments."""
    if text is None:
        return list(range(1, count + 1))
    numbers: dict[int, None] = {}
    for part in text.split(","):
        first, last = _ends(part, text, count)
        numbers.update(dict.fromkeys(range(first, last + 1)))
    return list(numbers)


def written(numbers: list[int]) -> str:
    """Return page numbers as a range: `1-3, 5`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _ends(part: str, text: str, count: int) -> tuple[int, int]:
    match = _PART.fullmatch(part)
    if match is None:
        raise InvalidArguments(f"`pages`: {text!r} is not a range of pages.", hint=EXAMPLES)
    first = int(match[1])
    last = int(match[3]) if match[3] else count if match[2] else first
    if not 1 <= first <= count:
        raise InvalidArguments(f"`pages`: there is no page {first}; the document has {count}.", hint=EXAMPLES)
    if last < first:
        raise InvalidArguments(f"`pages`: {part.strip()} ends before it begins.", hint=EXAMPLES)
    return first, min(last, count)
