"""The clipboard of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rove.action import ContextAction, Effect, action, arg
from rove.record import dataclass

if TYPE_CHECKING:
    from rove.chromium.context import Context

MOST_CHARACTERS = 10_000


@dataclass(frozen=True)
class Copied:
    text: str
    is_cut: bool = False

    def __str__(self) -> str:
        cut = f"\n[cut at {MOST_CHARACTERS} characters]" if self.is_cut else ""
        return f"{self.text}{cut}" if self.text else "The clipboard is empty."


@action(Effect.ACT, observes=False, group="clipboard")
class Clipboard(ContextAction[Copied]):
    """Read the session's clipboard, or put text on it. To copy, cut or paste press Control+C, X or V."""

    text: str | None = arg("Text to put on it.", default=None, max_length=1_000_000)

    async def perform(self, context: Context) -> Copied:
        clipboard = context.shared_resources.clipboard
        if self.text is not None:
            clipboard.text = self.text
        return Copied(clipboard.text[:MOST_CHARACTERS], is_cut=len(clipboard.text) > MOST_CHARACTERS)
