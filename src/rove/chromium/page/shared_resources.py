"""What the tabs of one session have in common."""

from __future__ import annotations

from collections.abc import Callable

from rove.chromium.events.console import ConsoleLog
from rove.chromium.events.network_conditions import NetworkConditions
from rove.chromium.events.workers import Workers
from rove.chromium.input.clipboard import Clipboard
from rove.record import dataclass


@dataclass(frozen=True)
class SharedResourceState:
    """What of it outlives a browser: a session that was offline must not come back online."""

    is_offline: bool = False
    copied: str = ""


class SharedResources:
    """A clipboard, the state of the network, and the workers that belong to no tab alone."""

    def __init__(self) -> None:
        self.clipboard = Clipboard()
        self.network_conditions = NetworkConditions()
        self.console = ConsoleLog()
        self.workers = Workers(self.console, self.network_conditions)
        # Whether words of a page at this address, or of this origin, may be told.
        self.may_read: Callable[[str], bool] = lambda address: True

    @property
    def resource_state(self) -> SharedResourceState:
        return SharedResourceState(self.network_conditions.is_offline, self.clipboard.text)

    def restore(self, resource_state: SharedResourceState) -> None:
        """Before there are tabs."""
        self.network_conditions.is_offline = resource_state.is_offline
        self.clipboard.text = resource_state.copied
