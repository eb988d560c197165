"""An approved action that is performed exactly as it was shown, or asked about again."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from rove.action import AnyAction
from rove.browser.consequences.consequence import NotAsShown
from rove.engine.approval.permission import PermissionCheck
from rove.errors import Denied, RoveError

if TYPE_CHECKING:
    from rove.browser.tab import Tab

T = TypeVar("T")


async def hold_to_shown(permission: PermissionCheck[Any], tab: Tab, act: Awaitable[T]) -> T | None:
    """Perform an action while the page is held to what the person was shown; return None if it was about to differ."""
    if not permission.bound:
        return await act
    outcome: T | None = None
    error: RoveError | None = None
    async with tab.consequences.hold_to(permission.bound) as hold:
        try:
            outcome = await act
        except NotAsShown:
            return None
        except RoveError as caught:  # a page whose document was refused may let the action fail
            error = caught
    if hold.went:
        permission.note_went(hold.went)
        return None
    if error is not None:
        raise error
    return outcome


def refuse_changed(action: AnyAction) -> NoReturn:
    """Raise Denied for an action that differs from what was shown, if there is no question to ask about it."""
    raise Denied(
        f"The page was about to do something else than was approved: {action.describe()}",
        hint="Look with {snapshot}, then call again.",
    )
