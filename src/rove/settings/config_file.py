"""Changes to the config file that keep its comments and its order."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, get_args

import tomlkit
from tomlkit.exceptions import ParseError

from rove.errors import InvalidSettings
from rove.settings.tree import Option, option_of, resolve

_SWITCH_WORDS = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


def write_setting(path: Path, key: str, value: Any) -> None:
    """Set one key, or remove it if the value is None. Raises InvalidSettings if the settings would not be valid."""
    option = option_of(key)
    if option.key == "home":
        raise InvalidSettings("`home` is not in the config file, which is in that folder.", hint="Set ROVE_HOME.")
    document = _read(path)
    *tables, name = option.names
    table: Any = document
    for part in tables:
        table = table.setdefault(part, tomlkit.table())
    if value is None:
        table.pop(name, None)
    else:
        table[name] = value
    write_text(path, tomlkit.dumps(document))


def value_in(option: Option, words: list[str]) -> Any:
    """Return words that a person wrote as the config file has them: a switch, a number, a list or a text."""
    if option.is_list:
        return [part.strip() for word in words for part in word.split(",") if part.strip()]
    if len(words) != 1:
        raise InvalidSettings(f"`{option.key}` takes one value, and {len(words)} were given.")
    if option.is_switch:
        return _SWITCH_WORDS.get(words[0].lower(), words[0])
    return _number(words[0]) if option.kind in (int, float) or float in get_args(option.kind) else words[0]


def _number(word: str) -> Any:
    """Return a number; the word itself if it is none, which is refused with the reason."""
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word


def write_text(path: Path, text: str) -> None:
    """Replace the whole file. Raises InvalidSettings if the settings would not be valid."""
    _check(text)
    _replace(path, text)


def _read(path: Path) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(path.read_text("utf-8"))
    except FileNotFoundError:
        return tomlkit.document()
    except (OSError, ParseError) as error:
        raise InvalidSettings(f"{path} cannot be read: {error}", hint="Correct the file or remove it.") from error


def _check(text: str) -> None:
    """Read the settings as the next start would, without the environment of this one."""
    with tempfile.TemporaryDirectory() as home:
        Path(home, "config.toml").write_text(text, "utf-8")
        try:
            resolve({"home": home}, {})
        except InvalidSettings as error:
            raise InvalidSettings(error.message.replace(f"{home}/", ""), hint=error.hint) from error


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".new")
    draft.write_text(text, "utf-8")
    if path.exists():
        draft.chmod(path.stat().st_mode & 0o777)
    draft.replace(path)
