"""Whether the text that a server shows after an act is true of the page."""

from __future__ import annotations

import re

from bench.told.act import Act

# rove marks what a person cannot see; the other servers have no such mark.
_UNSEEN = re.compile(r"\(invisible: |\(inert\)|\(aria-hidden\)")
_ANNOUNCED = re.compile(r"\(screen-reader only\)|\(invisible: scaled away\)|desc\(aria\)")
# What was clicked, what is gone, and the dialog that was closed.
_GONE = re.compile(r"\s*- |dialog closed: |Clicked ")


def of_page(act: Act, text: str) -> str:
    """Judge a text that shows the page; return what is wrong, or an empty string."""
    for words in act.appears:
        if words not in text:
            return f"not told: {words}"
    for words in act.goes:
        if words in text:
            return f"told as still there: {words}"
    return ""


def of_changes(act: Act, text: str) -> str:
    """Judge a text of what changed: `-` lines and what stands left of an arrow are gone, all else is there."""
    present = [line.rpartition(" → ")[2] for line in text.splitlines() if not _GONE.match(line)]
    for words in act.appears:
        if not any(words in line and not _UNSEEN.search(line) for line in present):
            return f"not told as seen: {words}"
    for words in act.goes:
        if any(words in line and not _UNSEEN.search(line) and not _ANNOUNCED.search(line) for line in present):
            return f"told as still there: {words}"
    if act.goes and "Nothing changed" in text:
        return f"not told as gone: {act.goes[0]}"
    return ""
