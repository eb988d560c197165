"""User names and passwords for servers that ask for them (HTTP authentication)."""

from __future__ import annotations

from collections import deque

from rove.browser.element import SecretSource
from rove.browser.emulation.overrides import HttpCredential
from rove.errors import Denied
from rove.target import secret_named

# The requests whose credentials were sent; a server that asks again has refused them.
MAX_ANSWERED = 1000


class Authentication:
    """Answers a server of a named origin once with its credentials, and no proxy."""

    def __init__(self) -> None:
        self.credentials: tuple[HttpCredential, ...] = ()
        self.secrets: SecretSource | None = None
        self._answered: deque[str] = deque(maxlen=MAX_ANSWERED)

    @property
    def origins(self) -> tuple[str, ...]:
        return tuple(credential.origin for credential in self.credentials)

    def answer(self, request: str, origin: str) -> tuple[str, str] | None:
        """Return the user name and the password for a server that asks for them; None if there are none.

        `request` is the id of the request that it answered so, `origin` that of the server.
        """
        credential = next((each for each in self.credentials if each.origin == origin), None)
        if credential is None or request in self._answered:
            return None
        self._answered.append(request)
        try:
            password = self.reveal(credential.password, credential.origin)
        except Denied:  # it was bound to the origin when it was given, and is not any more
            return None
        return credential.username, password

    def reveal(self, value: str, origin: str) -> str:
        """Return a value, or the secret that it names, for an origin. Raises Denied if it is not bound to that."""
        name = secret_named(value)
        if name is None:
            return value
        if self.secrets is None:
            raise Denied(f"There is no secret `{name}`.")
        return self.secrets.use(name, origin).value
