"""Tells listeners that a client has its first session open, or none any more."""

from __future__ import annotations

from collections.abc import Callable

Listener = Callable[[], None]


class SessionChanges:
    """Listeners, each for the sessions of one owner."""

    def __init__(self) -> None:
        self._listeners: dict[object, tuple[str | None, Listener]] = {}
        # The owners that have a session open.
        self._owners: set[str | None] = set()

    def subscribe(self, owner: str | None, listener: Listener) -> Callable[[], None]:
        """Call the listener when an owner has its first session, or none any more; the returned function ends that."""
        key = object()
        self._listeners[key] = (owner, listener)
        return lambda: self._listeners.pop(key, None) and None

    def report(self, owner: str | None, has_session: bool) -> None:
        """Tell the listeners of an owner, if it had no session before, or has none now."""
        if has_session == (owner in self._owners):
            return
        (self._owners.add if has_session else self._owners.discard)(owner)
        for listens_to, listener in list(self._listeners.values()):
            if listens_to == owner:
                listener()
