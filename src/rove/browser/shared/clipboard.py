"""A clipboard for each session, since the browser has one for all of its contexts.

With the browser's own, text copied in one session is pasted by Control+V in another, and on Linux a middle click pastes
what is selected in another. So nothing is written to the browser's clipboard (`acting/data_transfer.js`), and pages are
denied access to it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING

from rove.browser.failures import BrowserError
from rove.browser.shared.frames import World
from rove.browser.shared.secrets import CopiedText, NoSecrets
from rove.errors import Denied, ScriptFailed
from rove.page_text import Own, PageText, Text

if TYPE_CHECKING:
    from rove.browser.element import SecretSource

# A text to paste, the secrets in it, and whether there is a text that is withheld.
Offer = tuple[str | None, list[dict[str, str]], bool]

# The function by which rove's script reports what was copied. Only rove's isolated world has it.
COPIED_BINDING = "roveCopied"
# A frame that has not received the text by then pastes nothing.
OFFER_TIMEOUT = 0.5


class Clipboard:
    """The text that was copied last in a session.

    Text that carries a secret is pasted only at the origins that the secret is bound to, and only if it has all of it.
    """

    def __init__(self) -> None:
        self.secrets: SecretSource = NoSecrets()
        # Whether the agent may read text of an origin.
        self.may_read: Callable[[str], bool] = lambda origin: True
        self._text: Text = Own()
        # The secrets in the text.
        self._names: tuple[str, ...] = ()

    @property
    def text(self) -> Text:
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        self._copy(CopiedText(text), Own(text))

    def _copy(self, copied: CopiedText, text: Text) -> None:
        carried = copied.carried(self.secrets)
        # A part of a secret could be read letter by letter, so it is not copied.
        self._text = text if all(carried.values()) else Own()
        self._names = tuple(carried)

    @contextlib.asynccontextmanager
    async def offering(self, worlds: list[World]) -> AsyncGenerator[None]:
        """Within this block, a paste in any of these frames inserts the session's clipboard text.

        Raises Denied after the block if a paste was withheld.
        """
        await self._tell(worlds, [await self._offer_for(world) for world in worlds])
        try:
            yield
        finally:
            withheld = await self.offer(worlds, None)
        if withheld and self._names:
            names = " and ".join(self._names)
            raise Denied(
                f"The clipboard has the secret {names}, or a part of it: it is pasted only where it is bound to.",
                hint="Use {fill} with secret:NAME where it belongs.",
            )

    async def offer(self, worlds: list[World], text: str | None) -> bool:
        """Set the text that a paste in these frames inserts; None inserts nothing. Returns if one was withheld."""
        return await self._tell(worlds, [(text, [], False)] * len(worlds))

    async def _offer_for(self, world: World) -> Offer:
        """Return the text, the secrets in it, and whether they are withheld from a frame."""
        text = self._text
        # What the agent may not read stays at the origin that it is from.
        is_unread = isinstance(text, PageText) and not self.may_read(text.origin)
        if not self._names and not is_unread:
            return text, [], False
        origin = await _origin_of(world)
        if isinstance(text, PageText) and is_unread and origin != text.origin:
            return None, [], bool(self._names)
        if not self._names:
            return text, [], False
        is_bound = bool(text) and all(self.secrets.is_bound(name, origin or "null") for name in self._names)
        return (text, self.secrets.held_in(text), False) if is_bound else (None, [], True)

    async def _tell(self, worlds: list[World], offers: list[Offer]) -> bool:
        tasks = [asyncio.ensure_future(_offer(*each)) for each in zip(worlds, offers, strict=True)]
        if not tasks:
            return False
        done, late = await asyncio.wait(tasks, timeout=OFFER_TIMEOUT)
        for task in late:
            task.cancel()
        return any(task.result() for task in done)

    def note_copied(self, report: str, origin: str) -> None:
        """Keep what rove's script reports as copied in a frame of this origin."""
        copied = CopiedText.parse(report)
        self._copy(copied, PageText(copied.text, origin))


async def _origin_of(world: World) -> str | None:
    with contextlib.suppress(BrowserError, ScriptFailed):  # the frame's document is being replaced
        return await world.origin()
    return None


async def _offer(world: World, offer: Offer) -> bool:
    with contextlib.suppress(BrowserError, ScriptFailed):  # the frame's document is being replaced
        return bool(await world.call("(...offer) => rove.setClipboardText(...offer)", *offer))
    return False
