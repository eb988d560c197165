"""Permissions: all are denied unless granted to an origin. Firefox's preferences deny what it would ask a person."""

from __future__ import annotations

from collections.abc import Iterable

from rove.browser.emulation.overrides import PermissionGrant
from rove.firefox.protocol.connection import BidiConnection


async def set_grants(
    connection: BidiConnection,
    context: str,
    before: tuple[PermissionGrant, ...],
    after: tuple[PermissionGrant, ...],
) -> None:
    """Grant each origin its permissions, and deny what was granted before and is not any more."""
    for grant in before:
        kept = next((each.names for each in after if each.origin == grant.origin), ())
        await _set(connection, context, grant.origin, [name for name in grant.names if name not in kept], "denied")
    for grant in after:
        await _set(connection, context, grant.origin, grant.names, "granted")


async def _set(connection: BidiConnection, context: str, origin: str, names: Iterable[str], state: str) -> None:
    for name in names:
        params = {"descriptor": {"name": name}, "state": state, "origin": origin, "userContext": context}
        await connection.send("permissions.setPermission", params)
