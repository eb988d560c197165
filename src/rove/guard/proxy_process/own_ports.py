"""The ports that rove itself uses, known to the engine and to the proxy process."""

from __future__ import annotations

from collections.abc import Callable

from rove.guard.hosts.local_machine import OwnPorts
from rove.guard.hosts.refusal import IP


class SharedOwnPorts(OwnPorts):
    """Own ports whose changes are reported."""

    def __init__(self) -> None:
        super().__init__()
        # Called with the address, the port, and whether it is rove's own now.
        self.on_change: Callable[[str, int, bool], object] = lambda address, port, is_own: None

    def add(self, address: str | IP, port: int) -> None:
        super().add(address, port)
        self.on_change(str(address), port, True)

    def remove(self, address: str | IP, port: int) -> None:
        super().remove(address, port)
        self.on_change(str(address), port, False)

    def as_json(self) -> list[tuple[str, int]]:
        return [(str(address), port) for address, port in self._ports]
