"""Where input gets the values of named secrets from."""

from __future__ import annotations

from typing import Protocol


class TypedSecret(Protocol):
    """A secret's value, and whether it may go into fields that show what is typed."""

    @property
    def value(self) -> str: ...
    @property
    def goes_anywhere(self) -> bool: ...


class SecretSource(Protocol):
    """Gives the value of a named secret to an origin that it is bound to."""

    def use(self, name: str, origin: str, /) -> TypedSecret:
        """Return the secret, or raise `Denied` if this origin may not have it."""
        ...

    def offer(self, origin: str, /) -> str:
        """Say which secrets could be typed at this origin, for a hint."""
        ...
