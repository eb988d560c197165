"""Reading refs from a snapshot, as a model does."""

from __future__ import annotations

import re

_REF = re.compile(r"\[(?:ref=)?(f?\d*e\d+)\]")


def ref_of(text: str, words: str) -> str:
    """Return the ref that follows these words on their line."""
    for piece in re.split(r"[\n;]", text):
        if words in piece and (found := _REF.search(piece)):
            return found[1]
    raise AssertionError(f"no ref beside {words!r} in:\n{text}")
