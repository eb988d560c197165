"""`rove config`: show settings, and write them to the config file."""

from __future__ import annotations

import sys
from typing import Any

from rove.settings.tree import Option, Resolved, option_of, options
from rove.surfaces.arguments.setting_flags import shown
from rove.surfaces.colours import palette_for


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
    from rove.settings.config_file import value_in, write_setting  # imports a TOML library that nothing else needs

    option = option_of(key)
    path = resolved.settings.config_file
    write_setting(path, option.key, None if words is None else value_in(option, words))
    print(f"{path}: {option.key} {'is removed' if words is None else 'is set'}. It holds from the next start of rove.")
    return 0


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
