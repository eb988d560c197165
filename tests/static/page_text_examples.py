"""What type-checks, and what must not: each line that ends in `# refused` is an error for mypy."""

from __future__ import annotations

from typing import Any

from rove.errors import ElementNotReady
from rove.outcome import Event, Passage, Result
from rove.page_text import Own, PageText, Text
from rove.records import dataclass

URL = PageText("https://shop.example/#words", "https://shop.example")


@dataclass(frozen=True)
class Seen(Result):
    label: PageText
    note: Text


def good(line: PageText, name: str, count: int) -> list[object]:
    return [
        Seen(line, Own(f"{count} of {name}")),
        Seen(line.around(f"{line} [e1]"), line),
        Event(Own("new tab"), line.around(f"t2 {line}")),
        ElementNotReady(line, f" is covered after {count} s."),
        Passage(f"{count} matches"),
        Passage(line),
        Passage(f"t1 {line}", line.origin),
    ]


def bad(line: PageText, said: str, data: dict[str, Any]) -> list[object]:
    return [
        Seen(said, Own()),  # refused
        Seen(f"{line}", Own()),  # refused
        Seen(line, said),  # refused
        Seen(line, Own(line)),  # refused
        Seen(line, Own(f"It is {line}.")),  # refused
        Seen(line, Own("It is " + ", ".join([line]))),  # refused
        Event(Own("new tab"), f"t2 {line}"),  # refused
        Event(Own("new tab"), said),  # refused
        ElementNotReady(f"{line} is covered."),  # refused
        ElementNotReady("It is covered by " + (line if said else "")),  # refused
        ElementNotReady(f"{data['line']} is covered."),  # refused
        Passage(f"t1 {URL}"),  # refused
        PageText("words"),  # refused
    ]
