"""Whether an answer is true of a page: nothing that a person could see change is left untold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from bench.waiting.watcher import GAP, Reading

# A change that can be seen this many seconds after the act, or earlier, must be in its answer, or be named as pending.
WITHIN = 2.0
# What follows is not over.
PENDING = "Still pending:"
_GONE = re.compile(r"\s*- ")
_UNSEEN = re.compile(r"\(invisible: ")
# A line of changes; an answer without any, which does not say that nothing changed, shows the whole page.
_CHANGE = re.compile(r"(?m)^\s*(?:[-+~] |moved: |drawn again)|^Nothing changed")
# Lines that tell that something is gone without all of its words.
_SUMMED = re.compile(r"(?m)^\s*- \d+ (?:lines, |more )|^\s*~ (?!.* → )")


def untold(
    answer: str,
    before: Reading | None,
    after: Sequence[Reading],
    pending: Sequence[str],
    excused: str = "",
    unshown: Collection[str] = (),
) -> str:
    """Return a change that the answer neither tells nor names; an empty string if there is none.

    `before`: what the agent knew; None after a navigation, whose answer shows the page. `pending`: words by one of
    which the answer names what is not over; then all that changes is excused, or only texts that are as the pattern
    `excused`. `unshown`: texts that the server never shows, however late it is asked.
    """
    _, _, named = answer.partition(PENDING)
    is_named = any(words in named for words in pending)
    if is_named and not excused:
        return ""
    if before and not _CHANGE.search(answer):
        before = None
    present, gone = _parts(answer)
    known = before.texts if before else {}
    had = Counter(known.values())

    def is_spared(text: str) -> bool:
        return text in unshown or (is_named and re.fullmatch(excused, text) is not None)

    for reading in after:
        has = Counter(reading.texts.values())
        for number, text in reading.texts.items():
            # An element that was drawn again says nothing new.
            is_new = known.get(number) != text and not has[text] == had[text] > 0
            if is_new and not is_spared(text) and not _holds(present, text):
                return f"not told: {_shown(text)}"
        for number, text in known.items():
            is_gone = number not in reading.texts and has[text] < had[text]
            if is_gone and not is_spared(text) and not _holds(gone, text) and not _SUMMED.search(answer):
                return f"not told as gone: {_shown(text)}"
    if not before:
        for number, text in after[0].texts.items():
            if is_spared(text):
                continue
            if _holds(present, text) and after[-1].texts.get(number) != text and text not in after[-1].texts.values():
                return f"told, and gone since: {_shown(text)}"
    elif after:
        for text in _told_texts(present, after):
            if text not in after[-1].texts.values() and not is_spared(text):
                return f"told, and gone since: {_shown(text)}"
    return ""


def is_told(answer: str, text: str) -> bool:
    """Whether an answer tells a text as there."""
    return _holds(_parts(answer)[0], text)


def steady(seen: Sequence[Reading]) -> set[str]:
    """Return the texts that could be seen all the time."""
    return set[str].intersection(*(set(reading.texts.values()) for reading in seen))


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
    return all(_plain(part).strip() in answer for part in text.split(GAP))


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace('\\"', '"').replace("\\n", " "))


def _shown(text: str) -> str:
    return repr(text.replace(GAP, "…"))
