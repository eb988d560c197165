"""The interface through which a surface is told what happens in sessions, as it happens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class StepWatcher(Protocol):
    """Is told of every step. Its methods are called on the event loop; they must return at once and not raise.

    A step is the entry of the journal, without secrets: `session`, `step` (its id), `action`, `arguments`, `summary`,
    `actor`, `tab`, `url`, `decision`, `outcome`, `error`, `began`, `seconds`, `attachments`. When it begins, it says
    what is known until then.
    """

    def step_began(self, step: Mapping[str, Any], /) -> None: ...
    def step_ended(self, step: Mapping[str, Any], /) -> None: ...
    def session_opened(self, session: str, /) -> None: ...
    def session_closed(self, session: str, /) -> None: ...
    def session_changed(self, session: str, /) -> None:
        """Another page, another tab, or another driver. What it is now is in `Session.describe()`."""

    def guard_refused(self, session: str, refused: Mapping[str, Any], /) -> None:
        """A page or an agent asked for a host that the guard refuses: `host`, `reason`, `message`, `flag`.

        `flag` is the flag that allows it; None if none does.
        """
