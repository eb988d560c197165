"""What the tabs of one session have in common."""

from __future__ import annotations

from collections.abc import Callable

from rove.chromium.clipboard import Clipboard
from rove.chromium.conditions import Conditions
from rove.chromium.console import Console
from rove.chromium.workers import Workers
from rove.record import dataclass


@dataclass(frozen=True)
class Climate:
    """What of it outlives a browser: a session that was offline must not come back online."""

    is_offline: bool = False
    copied: str = ""


class Surroundings:
    """A clipboard, the state of the network, and the workers that belong to no tab alone."""

    def __init__(self) -> None:
        self.clipboard = Clipboard()
        self.conditions = Conditions()
        self.console = Console()
        self.workers = Workers(self.console, self.conditions)
        # Whether words of a page at this address, or of this origin, may be told.
        self.may_read: Callable[[str], bool] = lambda address: True
        # What is shown in the place of a frame that may not be told.
        self.withheld = "(not shown)"

    @property
    def climate(self) -> Climate:
        return Climate(self.conditions.is_offline, self.clipboard.text)

    def restore(self, climate: Climate) -> None:
        """Before there are tabs."""
        self.conditions.is_offline = climate.is_offline
        self.clipboard.text = climate.copied
