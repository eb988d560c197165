"""Tells who listens that the open sessions of a client have changed."""

from __future__ import annotations

from collections.abc import Callable

Listener = Callable[[], None]


class SessionChanges:
    """Listeners, each for the sessions of one owner."""

    def __init__(self) -> None:
        self._listeners: dict[object, tuple[str | None, Listener]] = {}

    def subscribe(self, owner: str | None, listener: Listener) -> Callable[[], None]:
        """Call the listener when a session of this owner was opened or closed; the returned function ends that."""
        key = object()
        self._listeners[key] = (owner, listener)
        return lambda: self._listeners.pop(key, None) and None

    def report(self, owner: str | None) -> None:
        """Tell the listeners of an owner."""
        for listens_to, listener in list(self._listeners.values()):
            if listens_to == owner:
                listener()
