"""User names and passwords for servers that ask for them (HTTP authentication)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rove.action import ContextAction, Effect, action, arg
from rove.browser.emulation import HttpCredential
from rove.errors import Denied, InvalidArguments
from rove.outcome import Own, Result
from rove.target import Origin, secret_named
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.context import Context


@dataclass(frozen=True)
class CredentialsSet(Result):
    credentials: tuple[Own, ...]

    def __str__(self) -> str:
        return "\n".join(self.credentials) if self.credentials else "There are no credentials."


@action(Effect.ACT, group="emulation")
class Credentials(ContextAction[CredentialsSet]):
    """Answer a server that asks for a password in the browser's own prompt (HTTP authentication)."""

    origin: Origin = arg("The server.")
    username: str | None = arg("User name; none to forget the credentials.", default=None, max_length=500)
    password: str | None = arg("secret:NAME, a secret that the owner has bound to the origin.", default=None)

    def complete(self) -> None:
        if (self.username is None) != (self.password is None):
            raise InvalidArguments("`username` and `password` go together: give both, or none to forget them.")

    @property
    def destination(self) -> str | None:
        return self.origin

    @property
    def secrets(self) -> tuple[str, ...]:
        name = secret_named(self.password or "")
        return (name,) if name else ()

    async def perform(self, context: Context) -> CredentialsSet:
        self._check_password(context)
        kept = tuple(each for each in context.overrides.credentials if each.origin != self.origin)
        if self.username is not None and self.password is not None:
            kept = (*kept, HttpCredential(self.origin, self.username, self.password))
        await context.override(replace(context.overrides, credentials=kept))
        return CredentialsSet(tuple(Own(f"{each.username} at {each.origin}") for each in kept))

    def _check_password(self, context: Context) -> None:
        """Raise Denied unless the password is a secret of this origin, or the owner lets agents write any."""
        name = secret_named(self.password or "")
        if name is not None and context.secrets is not None:
            context.secrets.use(name, self.origin)
        elif self.password is not None and context.settings.guard.passwords == "refuse":
            hint = context.secrets.offer(self.origin) if context.secrets is not None else None
            raise Denied("Only a named secret is sent to a server as a password.", hint=hint)
