"""Permissions of pages, granted per origin."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from rove.action import ContextAction, Effect, action, arg
from rove.browser.emulation import PermissionGrant
from rove.errors import InvalidArguments
from rove.outcome import Own, Result
from rove.target import Origin
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.context import Context

# Not among them: what would give a page the clipboard, the screen, the camera, the microphone or the network of the
# machine that the browser runs on.
PermissionName = Literal[
    "accelerometer", "ambient-light-sensor", "background-sync", "geolocation", "gyroscope", "idle-detection",
    "magnetometer", "midi", "notifications", "payment-handler", "persistent-storage", "screen-wake-lock",
    "storage-access", "window-management",
]  # fmt: skip


@dataclass(frozen=True)
class Permitted(Result):
    grants: tuple[Own, ...]

    def __str__(self) -> str:
        return "\n".join(self.grants) if self.grants else "No origin has any permission."


@action(Effect.ACT, group="emulation")
class Permissions(ContextAction[Permitted]):
    """Set the permissions that pages of one origin have; all others are denied. Without an origin, list them."""

    origin: Origin | None = arg("Which pages.", default=None)
    names: tuple[PermissionName, ...] = arg("All that it may do from now on; none takes them back.", default=())

    def complete(self) -> None:
        if self.names and self.origin is None:
            raise InvalidArguments("`origin` is missing: say which pages get the permissions.")

    @property
    def destination(self) -> str | None:
        return self.origin

    async def perform(self, context: Context) -> Permitted:
        if self.origin is not None:
            await context.override(replace(context.overrides, grants=self._grants(context)))
        return Permitted(tuple(Own(f"{each.origin}: {', '.join(each.names)}") for each in context.overrides.grants))

    def _grants(self, context: Context) -> tuple[PermissionGrant, ...]:
        others = tuple(each for each in context.overrides.grants if each.origin != self.origin)
        own = (PermissionGrant(self.origin, tuple(dict.fromkeys(self.names))),) if self.origin and self.names else ()
        return (*others, *own)
