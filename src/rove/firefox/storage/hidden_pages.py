"""Pages that are no tabs, in which rove reaches what an origin has stored without loading anything from it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Callable
from typing import Any

from rove.browser.scripts import state_script
from rove.firefox.protocol.connection import BidiConnection, BidiError, PageChannel
from rove.tasks import BackgroundTasks

SANDBOX = "rove-state"
CLOSE_TIMEOUT = 3.0
# A document without content, so that no script of the origin runs.
EMPTY_DOCUMENT = {
    "statusCode": 200,
    "reasonPhrase": "OK",
    "headers": [
        {"name": "Content-Type", "value": {"type": "string", "value": "text/html"}},
        {"name": "Cache-Control", "value": {"type": "string", "value": "no-store"}},
    ],
    "body": {"type": "string", "value": "<!doctype html>"},
}


class HiddenPages:
    """Opens hidden pages in one context, and tells them from pages that become tabs."""

    def __init__(self, connection: BidiConnection, create: Callable[[], Any]) -> None:
        """`create` opens an empty page that becomes no tab, and returns its context."""
        self._connection = connection
        self._create = create

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncGenerator[HiddenPage]:
        """Open a hidden page, and close it at the end of the block."""
        channel = self._connection.page(await self._create())
        page = HiddenPage(channel)
        try:
            await page.set_up()
            yield page
        finally:
            await page.close()


class HiddenPage:
    """A page whose requests are all answered here, with an empty document."""

    def __init__(self, channel: PageChannel) -> None:
        self._channel = channel
        channel.is_hidden = True
        self._tasks = BackgroundTasks("hidden page", expected=(BidiError,))
        self._intercept = ""

    @property
    def is_closed(self) -> bool:
        return self._channel.is_closed

    async def set_up(self) -> None:
        """Answer every request of the page here."""
        self._channel.on("network.beforeRequestSent", self._on_request)
        params = {"phases": ["beforeRequestSent"], "contexts": [self._channel.context]}
        self._intercept = (await self._channel.connection.send("network.addIntercept", params))["intercept"]

    async def close(self) -> None:
        connection = self._channel.connection
        with contextlib.suppress(BidiError):  # the browser is gone
            if self._intercept:
                await connection.send("network.removeIntercept", {"intercept": self._intercept})
            params = {"context": self._channel.context}
            await connection.send("browsingContext.close", params, timeout=CLOSE_TIMEOUT)
        await self._tasks.close()

    async def visit(self, origin: str) -> None:
        """Show an empty document of an origin. Raises BidiError."""
        await self._channel.send("browsingContext.navigate", {"url": f"{origin}/", "wait": "interactive"})

    async def call(self, function: str, *arguments: Any) -> Any:
        """Call a function of `state_script` and return what it returns. Raises BidiError."""
        import json

        given = json.dumps(arguments)
        declaration = f"async given => JSON.stringify(await {state_script()}.{function}(...JSON.parse(given)) ?? null)"
        params = {
            "functionDeclaration": declaration,
            "arguments": [{"type": "string", "value": given}],
            "target": {"context": self._channel.context, "sandbox": SANDBOX},
            "awaitPromise": True,
            "resultOwnership": "none",
        }
        answer = await self._channel.send("script.callFunction", params)
        if answer["type"] != "success":
            raise BidiError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def _on_request(self, event: dict[str, Any]) -> None:
        if not event["isBlocked"] or self._intercept not in (event.get("intercepts") or ()):
            return
        is_document = event.get("navigation") is not None
        method, params = ("network.provideResponse", EMPTY_DOCUMENT) if is_document else ("network.failRequest", {})
        request = {"request": event["request"]["request"]}
        self._tasks.start(self._channel.connection.send(method, {**params, **request}))
