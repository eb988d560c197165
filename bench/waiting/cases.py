"""What is tried: a page, what begins what goes on in it, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

from tests.waiting.kinds import Beginning, Kind


@dataclass(frozen=True)
class Case:
    """A kind of page begun by something; seconds of the answer and what is wrong with it, once it was tried."""

    path: str
    kind: Kind
    begins: Beginning
    # What a click presses.
    button: str = "Go"
    # What is excused where what is pending is named: a pattern of texts, or all.
    excused: str = ""
    seconds: float = 0.0
    wrong: str = ""
    text: str = ""
