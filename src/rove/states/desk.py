"""What an action on saved states may ask of the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from rove.states.facts import StateFacts


class StateDesk(Protocol):
    """Saves, loads, lists and deletes states for one session and one client."""

    async def save(self, name: str) -> StateFacts:
        """Save the state of the session under a name."""
        ...

    async def load(self, name: str) -> StateFacts:
        """Replace cookies and storage of the session by a saved state."""
        ...

    async def list(self) -> list[StateFacts]:
        """Return the facts of every state."""
        ...

    async def show(self, name: str) -> StateFacts:
        """Return the facts of one state."""
        ...

    async def delete(self, name: str) -> None:
        """Delete a state."""

    async def import_(self, name: str, path: str) -> StateFacts:
        """Save what a file of the workspace holds under a name."""
        ...

    async def export(self, name: str) -> Path:
        """Write a state to a file in the workspace; return its path."""
        ...
