"""Fields that hold a secret: each holds it as a whole or is empty (`browser/scripts/acting/secret_fields.js`)."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from rove.browser.failures import BrowserError
from rove.browser.page_events import PageEvents
from rove.errors import Denied, ElementGone, ScriptFailed
from rove.page.frames.world import Document, World
from rove.page.secrets.copied_text import CopiedText
from rove.page_text import Own

if TYPE_CHECKING:
    from rove.browser.element import SecretSource

EMPTIED_PREFIX = "emptied "
REMOVED_ADVICE = "The field with this secret was edited or shortened, so it was emptied. {fill} it again."


class SecretFields:
    """Watches the fields of one tab that hold secrets."""

    def __init__(
        self,
        worlds: Callable[[], Awaitable[Sequence[World]]],
        events: PageEvents,
        secrets: Callable[[], SecretSource],
    ) -> None:
        self._worlds = worlds
        self._events = events
        self._secrets = secrets

    async def protect(self) -> bool:
        """Before keys, presses and pictures: hold every field into which the page or the browser has put a secret.

        Returns whether there was one that was not held until now.
        """
        if not self._secrets().names:
            return False
        has_found = False
        for world in await self._worlds():
            with contextlib.suppress(BrowserError, ScriptFailed, ElementGone):  # the frame's document is being replaced
                has_found |= await self._protect_in(await world.document())
        return has_found

    async def _protect_in(self, document: Document) -> bool:
        # In the document itself, as answers to the world are redacted.
        texts: list[str] = await document.call("() => rove.unheldTexts()")
        if not texts or not self._secrets().held_in("\n".join(texts)):
            return False
        found = [(place, held) for place, text in enumerate(texts) if (held := self._secrets().held_in(text))]
        await document.call("found => rove.holdSecretsIn(found)", found)
        return True

    async def refuse_drag(self, world: World, data: dict[str, Any]) -> None:
        """Raise if text that is being dragged is a secret or a part of one."""
        if not self._secrets().names:
            return
        texts = [item.get("data", "") for item in data.get("items", ())]
        copied = CopiedText.parse(await (await world.document()).call("() => rove.selectionInContext()"))
        if names := {*copied.carried(self._secrets()), *(each.name for each in self._secrets().find("\n".join(texts)))}:
            raise Denied(
                f"The dragged text holds the secret {' and '.join(sorted(names))}, or a part of it.",
                hint="A secret is not dragged. Use {fill} with secret:NAME where it belongs.",
            )

    def on_report(self, report: str) -> None:
        if report.startswith(EMPTIED_PREFIX):
            names = " and ".join(json.loads(report.removeprefix(EMPTIED_PREFIX)))
            self._events.add("secret removed", Own(names), REMOVED_ADVICE)
