"""`rove states` and `rove profiles`: look at saved logins, delete them, bring them in and out."""

from __future__ import annotations

import shutil
from pathlib import Path

from rove.engine.logins import Logins, described
from rove.errors import InvalidArguments
from rove.guard.cleaning import readable
from rove.owned_names import mark_in, without_mark
from rove.settings.tree import Settings
from rove.storage.playwright_state import read_storage_state, write_storage_state
from rove.storage.private_files import write_private_new
from rove.storage.profiles import lock_profile, profile_holder, profile_names
from rove.storage.saved_states import StateFacts

# The session that a state comes from which a person has imported.
IMPORTED = "(imported)"


def list_states(settings: Settings) -> int:
    """Print a line for each saved state."""
    states = described(Logins(settings).of(None))
    for state in states:
        _print(state.line)
    if not states:
        _print("No state is saved.")
    return 0


def show_state(settings: Settings, name: str) -> int:
    """Print what a state holds: origins, counts and dates, never a value."""
    for line in StateFacts.of(name, Logins(settings).store.read(name)).lines:
        _print(line)
    return 0


def delete_state(settings: Settings, name: str) -> int:
    Logins(settings).store.delete(name)
    _print(f"Deleted the state {name}.")
    return 0


def import_state(settings: Settings, name: str, path: Path) -> int:
    """Save a storage state of Playwright under a name."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidArguments(f"{path} cannot be read: {error.strerror}.") from error
    Logins(settings).store.write(name, read_storage_state(content, str(path)), IMPORTED)
    _print(f"Saved, encrypted, as {name}. {path} is not encrypted: delete it if you do not need it.")
    return 0


def export_state(settings: Settings, name: str, path: Path) -> int:
    """Write a state to a new file, as Playwright's storage_state."""
    content = write_storage_state(Logins(settings).store.read(name).state)
    write_private_new(path, content.encode())
    _print(f"Wrote {path}, NOT encrypted: who has the file has the logins.")
    return 0


def list_profiles(settings: Settings) -> int:
    """Print each profile, and which session uses it."""
    names = profile_names(settings.home_folder)
    for name in names:
        holder = profile_holder(settings.home_folder, name)
        _print(f"{name}: in use by {holder}" if holder else name)
    if not names:
        _print("There is no profile.")
    return 0


def delete_profile(settings: Settings, name: str) -> int:
    """Delete a profile with everything that the browser has kept in it, unless a session uses it."""
    if name not in profile_names(settings.home_folder):
        raise InvalidArguments(f"There is no profile {name}.", hint="List them with `rove profiles list`.")
    profile = lock_profile(settings.home_folder, without_mark(name), "(rove profiles delete)", mark_in(name))
    try:
        shutil.rmtree(profile.folder)
    finally:
        profile.release()
    _print(f"Deleted the profile {name}.")
    return 0


def _print(line: str) -> None:
    """Print text without the control characters that a terminal would obey."""
    print(readable(line))
