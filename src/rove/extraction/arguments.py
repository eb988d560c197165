"""Which arguments of `extract` its modes use: one that would be ignored is refused by its name."""

from __future__ import annotations

from dataclasses import MISSING, fields

from rove.action import AnyAction
from rove.errors import InvalidArguments

_OF_ELEMENTS = ("text", "html", "attribute")
MODES_OF = {
    "target": _OF_ELEMENTS,
    "all": _OF_ELEMENTS,
    "attribute": ("attribute",),
    "format": ("readable",),
    "pages": ("readable",),
    "max_characters": ("readable",),
    "schema": ("rows",),
    "csv": ("rows",),
}


def refuse_unused(action: AnyAction, mode: str) -> None:
    """Raise InvalidArguments if an argument is given that the mode does not use."""
    for field in fields(action):  # type: ignore[arg-type]
        modes = MODES_OF.get(field.name)
        if modes is None or mode in modes or field.default is MISSING:
            continue
        if getattr(action, field.name) != field.default:
            raise InvalidArguments(f"`{field.name}` is not for mode {mode}, but for {' or '.join(modes)}.")
