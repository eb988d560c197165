"""Whether an answer is true of a page: nothing that a person could see change is left untold."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bench.waiting.watcher import Reading

# A change that can be seen this many seconds after the act, or earlier, must be in its answer, or be named as pending.
WITHIN = 2.0
# What follows is not over.
PENDING = "Still pending:"
_GONE = re.compile(r"\s*- ")
_UNSEEN = re.compile(r"\(invisible: ")


def untold(answer: str, before: Reading | None, after: Sequence[Reading], pending: Sequence[str]) -> str:
    """Return a change that the answer neither tells nor names; an empty string if there is none.

    `before`: what the agent knew; None after a navigation, whose answer shows the page. `pending`: words by one of
    which the answer names what is not over.
    """
    _, _, named = answer.partition(PENDING)
    if any(words in named for words in pending):
        return ""
    present, gone = _parts(answer)
    known = before.texts if before else {}
    for reading in after:
        for number, text in reading.texts.items():
            if known.get(number) != text and not _holds(present, text):
                return f"not told: {text!r}"
        if before:
            for number, text in known.items():
                if number not in reading.texts and not _holds(gone, text):
                    return f"not told as gone: {text!r}"
    if not before:
        for number, text in after[0].texts.items():
            if _holds(present, text) and after[-1].texts.get(number) != text and text not in after[-1].texts.values():
                return f"told, and gone since: {text!r}"
    elif after:
        for text in _told_texts(present, after):
            if text not in after[-1].texts.values():
                return f"told, and gone since: {text!r}"
    return ""


def _parts(answer: str) -> tuple[str, str]:
    """Return what an answer tells as there, and what it tells as gone."""
    lines = answer.splitlines()
    there = [line.rpartition(" → ")[2] for line in lines if not _GONE.match(line) and not _UNSEEN.search(line)]
    gone = [line for line in lines if _GONE.match(line) or " → " in line or "(was " in line or _UNSEEN.search(line)]
    return _plain("\n".join(there)), _plain("\n".join(gone))


def _told_texts(present: str, after: Sequence[Reading]) -> set[str]:
    """Return the texts of elements that changed after the answer, which the answer tells."""
    first, last = after[0].texts, after[-1].texts
    return {text for number, text in first.items() if last.get(number) != text and _holds(present, text)}


def _holds(answer: str, text: str) -> bool:
    return _plain(text) in answer


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace('\\"', '"'))
