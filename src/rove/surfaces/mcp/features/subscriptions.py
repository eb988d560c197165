"""Subscriptions of clients of stateless revisions: they are told of changes only if they ask for it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from rove.surfaces.mcp.exchange import Exchange
from rove.surfaces.mcp.messages import INVALID_PARAMS, META, TOOLS_CHANGED, Message, ProtocolError
from rove.surfaces.mcp.server import Handler, Subscribe

SUBSCRIPTION_KEY = META + "subscriptionId"
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"


class SubscriptionsFeature:
    """Tells each client that listens when its list of tools has changed, until it cancels its request."""

    def __init__(self, subscribe: Subscribe | None) -> None:
        """`subscribe`: calls a listener when the tools of a client have changed; None if they never do."""
        self._subscribe = subscribe
        self._is_over = asyncio.Event()

    @property
    def capabilities(self) -> Message:
        return {}

    @property
    def methods(self) -> Mapping[str, Handler]:
        return {} if self._subscribe is None else {"subscriptions/listen": self._listen}

    async def close(self) -> None:
        self._is_over.set()

    async def _listen(self, exchange: Exchange) -> Message:
        wanted = exchange.params.get("notifications")
        if not isinstance(wanted, dict):
            raise ProtocolError(INVALID_PARAMS, "notifications must be an object")
        meta: Message = {"_meta": {SUBSCRIPTION_KEY: exchange.identity}}
        changed = asyncio.Event()
        is_told = wanted.get("toolsListChanged") is True
        end = self._subscribe(exchange.client.owner, changed.set) if self._subscribe and is_told else None
        try:
            honoured = {"toolsListChanged": True} if is_told else {}
            await exchange.notify(ACKNOWLEDGED, {**meta, "notifications": honoured})
            while await self._until_changed(changed):
                changed.clear()
                await exchange.notify(TOOLS_CHANGED, meta)
        finally:
            if end is not None:
                end()
        return meta

    async def _until_changed(self, changed: asyncio.Event) -> bool:
        """Wait for a change; False if the server ends first."""
        waiting = [asyncio.ensure_future(event.wait()) for event in (changed, self._is_over)]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waiting:
                each.cancel()
        return not self._is_over.is_set()
