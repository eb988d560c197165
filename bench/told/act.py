"""A click on a page that changes after it, and the words that tell what came of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Act:
    """A click on the element with a name; `goal` is an expression that is true in the page when it has worked."""

    group: str
    name: str
    path: str
    click: str
    goal: str
    appears: tuple[str, ...] = ()
    goes: tuple[str, ...] = ()
    # Whether the page is as the act before it left it, instead of newly opened.
    goes_on: bool = False
