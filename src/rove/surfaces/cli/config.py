"""`rove config`: show settings, and write them to the config file."""

from __future__ import annotations

import sys
from typing import Any, get_args

from rove.errors import InvalidSettings
from rove.settings.tree import Option, Resolved, option_of, options
from rove.surfaces.arguments.setting_flags import shown
from rove.surfaces.colours import palette_for

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


def show(resolved: Resolved) -> int:
    """Print every setting, its value and where that came from."""
    rows = [(option.key, _value(resolved, option), resolved.sources[option.key]) for option in options()]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    palette = palette_for(sys.stdout)
    for key, value, source in rows:
        style = "dim" if source == "default" else "green"
        print(f"{key:<{widths[0]}}  {value:<{widths[1]}}  {palette.paint(source, style)}")
    from rove.engine.guard_notice import guard_notice_of

    if (notice := guard_notice_of(resolved.settings)) is not None:
        print(f"\n{notice}")
    return 0


def get(resolved: Resolved, key: str) -> int:
    """Print the value of one setting. Raises InvalidSettings if there is no such setting."""
    print(_value(resolved, option_of(key)))
    return 0


def write(resolved: Resolved, key: str, words: list[str] | None) -> int:
    """Write a setting to the config file, or remove it. Raises InvalidSettings if the value is not valid."""
    from rove.settings.config_file import write_setting  # imports a TOML library that nothing else needs

    option = option_of(key)
    path = resolved.settings.config_file
    write_setting(path, option.key, None if words is None else _parsed(option, words))
    print(f"{path}: {option.key} {'is removed' if words is None else 'is set'}. It holds from the next start of rove.")
    return 0


def _parsed(option: Option, words: list[str]) -> Any:
    """Return words of the command line as the config file has them: a switch, a number, a list or a text."""
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


def _value(resolved: Resolved, option: Option) -> str:
    value: Any = resolved.settings
    for name in option.path:
        value = getattr(value, name)
    settings = resolved.settings
    # A value that follows from another setting is shown as what it comes to.
    followed = {
        "workspace": settings.workspace_folder,
        "policy": settings.policy_file,
        "attach": settings.attach or "none",
    }
    return shown(followed.get(option.key, value))
