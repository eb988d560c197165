"""Toolset files, the settings that they bring, and parsing of the TOML files that an owner writes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rove.advice import nearest
from rove.errors import InvalidSettings

# None of rove's files needs more than three. Deeper tables would exhaust the stack of functions that walk through them.
_MAX_DEPTH = 20

# Toolsets that rove brings; those of the user are in `toolsets` in home.
BUILT_IN = Path(__file__).parent.parent / "toolsets" / "definitions"
USER_FOLDER = "toolsets"
SUFFIX = ".toml"
# The toolset that is derived from the catalogue, without a file.
DEFAULT_TOOLSET = "rove"
# The toolset of the chat of `rove serve`, if none is chosen.
CHAT_TOOLSET = "batch"


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


def names_of_toolsets(home: Path) -> list[str]:
    """Return the names of all toolsets: that of the catalogue, those that rove brings and those of the user."""
    folders = (BUILT_IN, home / USER_FOLDER)
    return sorted({DEFAULT_TOOLSET, *(path.stem for folder in folders for path in folder.glob(f"*{SUFFIX}"))})


def read_toolset(name: str, home: Path) -> dict[str, Any]:
    """Read the file of a toolset, by its name or its path. Raises InvalidSettings."""
    path = _path_of(name, home)
    try:
        return parse_toml(path.read_bytes())
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise InvalidSettings(f"The toolset {path} cannot be read: {why}", hint="Correct the file.") from error


def settings_of(name: str, home: Path) -> Mapping[str, Any]:
    """Return the values that a toolset gives to settings where the user gives none."""
    given: object = {} if name == DEFAULT_TOOLSET else read_toolset(name, home).get("settings", {})
    if isinstance(given, dict):
        return _without_exposing(given, home)
    raise InvalidSettings(f"`settings` of the toolset {name} must be a table.", hint="Correct the file.")


def _without_exposing(given: dict[str, Any], home: Path) -> dict[str, Any]:
    """Leave out a workspace that would hold rove's own files, such as the folder that the user's home is."""
    folder = given.get("workspace")
    is_exposing = isinstance(folder, str) and home.resolve().is_relative_to(Path(folder).resolve())
    return {name: value for name, value in given.items() if name != "workspace" or not is_exposing}


def _path_of(name: str, home: Path) -> Path:
    if name.endswith(SUFFIX):
        return Path(name).expanduser().absolute()
    found = [path for folder in (home / USER_FOLDER, BUILT_IN) if (path := folder / f"{name}{SUFFIX}").is_file()]
    if found and Path(name).name == name:
        return found[0]
    known = names_of_toolsets(home)
    near = nearest(name, known)
    meant = f" Did you mean {near}?" if near else ""
    raise InvalidSettings(f"There is no toolset `{name}`.{meant}", hint=f"There are: {', '.join(known)}.")
