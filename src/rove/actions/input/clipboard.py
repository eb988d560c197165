"""The clipboard, one for each session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rove.action import ContextAction, Effect, action, arg
from rove.outcome import Own, PageText, Result, Text
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.context import Context

MOST_CHARACTERS = 10_000


@dataclass(frozen=True)
class Copied(Result):
    text: Text
    is_cut: bool = False

    def __str__(self) -> str:
        cut = f"\n[cut at {MOST_CHARACTERS} characters]" if self.is_cut else ""
        return f"{self.text}{cut}" if self.text else "The clipboard is empty."


@action(Effect.ACT, observes=False, group="clipboard")
class Clipboard(ContextAction[Copied]):
    """Read the session's clipboard, or put text on it. To copy, cut or paste press Control+C, X or V."""

    text: str | None = arg("Text to put on it.", default=None, max_length=1_000_000)

    async def perform(self, context: Context) -> Copied:
        if self.text is not None:
            context.set_clipboard(self.text)
        text = context.clipboard_text
        clear = context.redact(text)  # before it is cut: the beginning of a secret is not known for one
        shown = clear[:MOST_CHARACTERS]
        said = text.around(shown) if isinstance(text, PageText) else Own(shown)
        return Copied(said, is_cut=len(clear) > MOST_CHARACTERS)
