"""The Ray actor of one node for one rove process."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import os
import time
from collections.abc import AsyncGenerator
from typing import Any

from rove.cluster.node.node import Node, NodeFolder
from rove.cluster.payload import decode, encode
from rove.errors import RoveError

log = logging.getLogger(__name__)
CLOSE_SECONDS = 10.0


class NodeActor:
    """Answers calls and streams of one rove process, and ends itself when it hears no more of it.

    It outlives the Ray driver process, so that another one can go on with its sessions.
    """

    def __init__(self, lease_seconds: float) -> None:
        self._folder = NodeFolder()
        self._node = Node(self._folder.path)
        self._lease_seconds = lease_seconds
        self._heard = time.monotonic()
        self._watching: asyncio.Task[None] | None = None
        self._is_closing = False

    async def call(self, method: str, payload: bytes) -> bytes:
        """Return the encoded result or error of a method, and whether it is a result."""
        self._renew()
        try:
            result = await self._node.method(method)(*decode(payload))
        except RoveError as error:
            return encode((False, _portable(error)))
        except Exception as error:
            log.exception("%s failed on the node", method)
            return encode((False, RoveError(f"{method} failed on the node: {type(error).__name__}: {error}")))
        return encode((True, result))

    async def stream(self, method: str, payload: bytes) -> AsyncGenerator[bytes]:
        """Yield encoded items, and at the end of a stream that failed its error."""
        self._renew()
        try:
            items = self._node.method(method)(*decode(payload))
            if not inspect.isasyncgen(items):
                items.close()
                raise RoveError(f"{method} is not a stream.")
            async with contextlib.aclosing(items):
                async for item in items:
                    yield encode((True, item))
        except RoveError as error:
            yield encode((False, _portable(error)))
        except Exception as error:
            log.exception("the stream %s failed on the node", method)
            yield encode((False, RoveError(f"{method} failed on the node: {type(error).__name__}: {error}")))

    def _renew(self) -> None:
        self._heard = time.monotonic()
        if self._watching is None:
            self._watching = asyncio.ensure_future(self._watch())

    async def _watch(self) -> None:
        """End the process when its lease is over: the rove process and its driver were killed."""
        while (left := self._heard + self._lease_seconds - time.monotonic()) > 0:  # noqa: ASYNC110
            await asyncio.sleep(left)
        log.warning("nothing was heard of the rove process for %g s: the node ends", self._lease_seconds)
        await self.end()

    async def end(self) -> None:
        """Close the services and end the process."""
        if self._is_closing:
            return
        self._is_closing = True
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._node.close()
        except (TimeoutError, RoveError, OSError):
            log.exception("the node did not close in order")
        finally:
            self._folder.remove()
            os._exit(0)


def _portable(error: RoveError) -> RoveError:
    """Return an error without what belongs to the process that raised it."""
    error.__traceback__ = error.__cause__ = error.__context__ = None
    return error


def ray_actor_class() -> Any:
    """Return the class as Ray's decorator makes it. Imported where Ray is."""
    import ray

    return ray.remote(NodeActor)
