"""Settings of the sessions of one client of a server: its files are in a folder of their own."""

from __future__ import annotations

from dataclasses import replace

from rove.owned_names import SIGN
from rove.settings.tree import Settings

# The folder of the workspace in which each client, besides the person who runs the server, has one of its own.
FOLDER = "tokens"


def own_settings(settings: Settings, mark: str) -> Settings:
    """Return the settings for sessions whose names end with a mark; those of the server itself if there is none."""
    if not mark:
        return settings
    return replace(settings, workspace=settings.workspace_folder / FOLDER / mark.removeprefix(SIGN))
