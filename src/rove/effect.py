"""What an action can do, by which policies decide."""

from __future__ import annotations

import enum


class Effect(enum.Enum):
    """What an action can do. Policies decide on this."""

    READ = "read"
    ACT = "act"
    NAVIGATE = "navigate"
    SCRIPT = "script"
    SEND_FILE = "send_file"
    SECRET = "secret"
    SPAWN = "spawn"
    HANDOFF = "handoff"
