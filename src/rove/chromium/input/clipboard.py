"""A clipboard for each session, since the browser has one for all of its contexts.

With the browser's own, text copied in one session is pasted by Control+V in another, and on Linux a middle click pastes
what is selected in another. So nothing is written to the browser's clipboard (`page/clipboard.js`), and pages are
denied access to it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

from rove.chromium.frames.worlds import WORLD, World
from rove.chromium.input.password_guard import NoSecrets
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.chromium.secrets.copied_text import CopiedText
from rove.errors import Denied, ScriptFailed

if TYPE_CHECKING:
    from rove.browser.element import SecretSource

# A text to paste, the secrets in it, and whether there is a text that is withheld.
Offer = tuple[str | None, list[dict[str, str]], bool]

BINDING = "roveCopied"
# A frame that has not received the text by then pastes nothing.
OFFER_TIMEOUT = 0.5


class Clipboard:
    """The text that was copied last in a session.

    Text that carries a secret is pasted only at the origins that the secret is bound to, and only if it has all of it.
    """

    def __init__(self) -> None:
        self.secrets: SecretSource = NoSecrets()
        self._text = ""
        # The secrets in the text.
        self._names: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        self._copy(CopiedText(text))

    def _copy(self, copied: CopiedText) -> None:
        carried = copied.carried(self.secrets)
        # A part of a secret could be read letter by letter, so it is not copied.
        self._text = copied.text if all(carried.values()) else ""
        self._names = tuple(carried)

    async def listen(self, cdp: CdpSession) -> None:
        """Receive what is copied, through a binding that only rove's isolated world can call."""
        cdp.on("Runtime.bindingCalled", self._on_copied)
        await cdp.send("Runtime.addBinding", {"name": BINDING, "executionContextName": WORLD})

    @contextlib.asynccontextmanager
    async def offering(self, worlds: list[World]) -> AsyncGenerator[None]:
        """Within this block, a paste in any of these frames inserts the session's clipboard text.

        Raises Denied after the block if a paste was withheld.
        """
        origins = [await world.origin() for world in worlds] if self._names else [None] * len(worlds)
        await self._tell(worlds, [self._offer_for(origin) for origin in origins])
        try:
            yield
        finally:
            withheld = await self.offer(worlds, None)
        if withheld and self._names:
            names = " and ".join(self._names)
            raise Denied(
                f"The clipboard has the secret {names}, or a part of it: it is pasted only where it is bound to.",
                hint="Use {fill} with secret:NAME where it belongs.",
                quotes_page=False,
            )

    async def offer(self, worlds: list[World], text: str | None) -> bool:
        """Set the text that a paste in these frames inserts; None inserts nothing. Returns if one was withheld."""
        return await self._tell(worlds, [(text, [], False)] * len(worlds))

    def _offer_for(self, origin: str | None) -> Offer:
        """Return the text, the secrets in it, and whether they are withheld from a frame of this origin."""
        if not self._names:
            return self._text, [], False
        is_bound = bool(self._text) and all(self.secrets.is_bound(name, origin or "null") for name in self._names)
        return (self._text, self.secrets.held_in(self._text), False) if is_bound else (None, [], True)

    async def _tell(self, worlds: list[World], offers: list[Offer]) -> bool:
        tasks = [asyncio.ensure_future(_offer(*each)) for each in zip(worlds, offers, strict=True)]
        if not tasks:
            return False
        done, late = await asyncio.wait(tasks, timeout=OFFER_TIMEOUT)
        for task in late:
            task.cancel()
        return any(task.result() for task in done)

    def _on_copied(self, event: dict[str, Any]) -> None:
        if event["name"] == BINDING:
            self._copy(CopiedText.parse(event["payload"]))


async def _offer(world: World, offer: Offer) -> bool:
    with contextlib.suppress(CdpError, ScriptFailed):  # the frame's document is being replaced
        return bool(await world.call("(...offer) => rove.setClipboardText(...offer)", *offer))
    return False
