"""All that a session overrides, as one value: it holds for every tab and is restored with the session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from rove.browser.emulation.emulation import Emulation, Size
from rove.browser.network.rules import RequestRule
from rove.validation.record import dataclass


@dataclass(frozen=True)
class PermissionGrant:
    """The permissions that pages of one origin have. All others are denied."""

    origin: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class HttpCredential:
    """The user name and password for a server that asks for them. `password` may be `secret:NAME`."""

    origin: str
    username: str
    password: str


@dataclass(frozen=True)
class Overrides:
    """What differs from what the browser does by itself. `rules_given` counts the rules that there have been."""

    emulation: Emulation = Emulation()
    grants: tuple[PermissionGrant, ...] = ()
    rules: tuple[RequestRule, ...] = ()
    rules_given: int = 0
    credentials: tuple[HttpCredential, ...] = ()
    # The viewports that were set for single tabs, by their ids.
    sizes: Mapping[str, Size] = field(default_factory=dict[str, Size])
