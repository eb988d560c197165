"""What a person may see and do of the nodes that sessions run on."""

from __future__ import annotations

from typing import Any, Protocol


class ClusterControl(Protocol):
    """The nodes of a cluster. `rove.cluster` has it; where sessions run in the same process there is none."""

    def status(self) -> dict[str, Any]:
        """Return how the nodes, the line of waiting sessions and the store of states are, as plain data."""
        ...

    def drain(self, node: str, /) -> dict[str, Any]:
        """Place nothing on a node any more, and move its sessions away; return its status. Raises InvalidArguments.

        `node`: its id, or a part at the beginning that no other node has.
        """
        ...

    def end_draining(self, node: str, /) -> dict[str, Any]:
        """Leave on a node what is still there, and place sessions there again. Raises InvalidArguments."""
        ...
