"""Icons, by which elements without a name are known: words of the page's code, and a number of the drawing."""

from __future__ import annotations

from rove.recordings.renaming import words_of_name

DRAWING = "#"


def icon_words(icon: str) -> str:
    """Return what the page's code calls an icon, such as `trash`; nothing if it does not say."""
    return " ".join(word for word in icon.split() if not word.startswith(DRAWING))


def are_same_icons(one: str, other: str) -> bool:
    """Whether two elements show the same: it is called the same or, where one of them is not called, drawn the same.

    Where neither can be compared, the answer is no: an icon is all that says what such an element does.
    """
    mine, theirs = words_of_name(icon_words(one)), words_of_name(icon_words(other))
    if mine and theirs:
        return {*mine} == {*theirs}
    drawings = [{word for word in icon.split() if word.startswith(DRAWING)} for icon in (one, other)]
    return bool(drawings[0]) and drawings[0] == drawings[1]
