"""What the tabs of one session have in common."""

from __future__ import annotations

from rove.chromium.clipboard import Clipboard
from rove.chromium.conditions import Conditions
from rove.chromium.console import Console
from rove.chromium.workers import Workers


class Surroundings:
    """A clipboard, the state of the network, and the workers that belong to no tab alone."""

    def __init__(self) -> None:
        self.clipboard = Clipboard()
        self.conditions = Conditions()
        self.console = Console()
        self.workers = Workers(self.console, self.conditions)
