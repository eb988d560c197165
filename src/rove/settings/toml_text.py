"""Parses the TOML files that an owner writes."""

from __future__ import annotations

from typing import Any

# None of rove's files needs more than three. Deeper tables would exhaust the stack of functions that walk through them.
_MAX_DEPTH = 20


def parse_toml(data: bytes) -> dict[str, Any]:
    """Parse a TOML file. Raises ValueError for anything that is not TOML as the standard says, or nested too deeply.

    It takes bytes because text files read by Python have their line ends converted: a CR in a comment, which TOML
    forbids, would then end the comment.
    """
    import tomllib  # imported late: most installations have no such files

    try:
        tree = tomllib.loads(data.decode("utf-8"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    _check_depth(tree, _MAX_DEPTH)
    return tree


def _check_depth(value: object, levels: int) -> None:
    if not levels:
        raise ValueError("it is nested too deeply")
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            _check_depth(inner, levels - 1)
