"""`rove config`: show settings, write them to the config file, open it in the user's editor."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rove.errors import InvalidArguments, InvalidSettings
from rove.settings.tree import Option, Resolved, option_of, options
from rove.surfaces.cli.setting_flags import shown
from rove.surfaces.cli.terminal_output import palette_for

EDITORS = ("nano", "vim", "vi")
# Holds a text that was not valid, until it is.
KEPT = "config.toml.draft"
BEGINNING = "# Settings of rove. `rove config show` lists all of them, docs/settings.md explains each.\n"


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


def edit(path: Path) -> int:
    """Let the user edit a copy, and keep it if it is valid; otherwise say why, and offer to go on editing."""
    editor = _editor()
    before = path.read_text("utf-8", "replace") if path.exists() else BEGINNING
    kept = path.with_name(KEPT)
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder, "config.toml")
        draft.write_text(kept.read_text("utf-8", "replace") if kept.exists() else before, "utf-8")
        while True:
            if _exit_code(editor, draft):
                print("rove: The editor failed; nothing is changed.", file=sys.stderr)
                return 1
            text = draft.read_text("utf-8", "replace")
            if text == before:
                print("Nothing is changed.")
            if text == before or _is_kept(path, text):
                kept.unlink(missing_ok=True)
                return 0
            if not _goes_on():
                return _keep(kept, text)


def _exit_code(editor: list[str], draft: Path) -> int:
    try:
        return subprocess.run([*editor, str(draft)], check=False).returncode
    except OSError as error:
        raise _no_editor(f"The editor {editor[0]} cannot be started: {error.strerror}.") from error


def _is_kept(path: Path, text: str) -> bool:
    from rove.settings.config_file import write_text

    try:
        write_text(path, text)
    except InvalidSettings as error:
        print(f"rove: {error.message}\n      {error.hint}", file=sys.stderr)
        return False
    print(f"{path} is written. It holds from the next start of rove.")
    return True


def _keep(kept: Path, text: str) -> int:
    """Keep what was typed, for the next time."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(text, "utf-8")
    print(f"      What you typed is kept in {kept}: `rove config edit` goes on with it.", file=sys.stderr)
    return 1


def _goes_on() -> bool:
    if not sys.stdin.isatty():
        return False
    print("Edit it again? Otherwise the settings stay as they are. [Y/n] ", end="", flush=True)
    answer = sys.stdin.readline()
    return bool(answer) and answer.strip().lower() in ("", "y", "yes")


def _editor() -> list[str]:
    chosen = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if chosen and chosen.strip():
        try:
            return shlex.split(chosen)
        except ValueError as error:
            raise _no_editor(f"EDITOR, {chosen!r}, cannot be read: {error}.") from error
    if not sys.stdin.isatty():
        raise InvalidArguments(
            "There is no terminal for an editor.", hint="Use `rove config set KEY VALUE`, or set EDITOR."
        )
    found = next((editor for editor in EDITORS if shutil.which(editor)), None)
    if found is None:
        raise _no_editor("No editor was found.")
    return [found]


def _no_editor(message: str) -> InvalidArguments:
    return InvalidArguments(message, hint="Set EDITOR to one that is installed, or use `rove config set KEY VALUE`.")
