"""An approved action that is performed exactly as it was shown, or asked about again."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from rove.action import AnyAction
from rove.browser.consequences import NotAsShown
from rove.engine.approval.permission import PermissionCheck
from rove.errors import Denied, RoveError, Unsupported

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab
    from rove.guard.policy.approval import ApprovalRequest

T = TypeVar("T")


def refuse_unheld(permission: PermissionCheck[Any], question: ApprovalRequest | None, tab: Tab) -> None:
    """Raise Unsupported if the page could do something else than a person has approved, or would: none is asked then.

    A page has no say in which address rove itself asks for.
    """
    concerns_a_person = question is not None or permission.bound
    if concerns_a_person and not tab.consequences.can_hold and permission.action.destination is None:
        raise Unsupported(
            "This browser cannot hold a page to what a person approves, so that no person is asked.",
            hint="Use a session with another engine for this.",
        )


async def hold_to_shown(permission: PermissionCheck[Any], tab: Tab, act: Awaitable[T]) -> T | None:
    """Perform an action while the page is held to what the person was shown; return None if it was about to differ."""
    if not permission.bound or not tab.consequences.can_hold:
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
