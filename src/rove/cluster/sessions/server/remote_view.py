"""A live view of a session on a node, which goes on when the session moves to another."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import replace
from types import TracebackType
from typing import Protocol, Self

from rove.engine.people.live_view import LiveFrame
from rove.errors import NodeLost, NotOpen
from rove.tasks import BackgroundTasks, Interrupted, Signal, race

# Seconds until a node that has ended a view is asked for another.
RETRY_SECONDS = 0.5


class ViewedSession(Protocol):
    """A session as its view sees it."""

    @property
    def name(self) -> str: ...
    @property
    def changed(self) -> Signal: ...
    @property
    def is_closed(self) -> bool: ...
    @property
    def live_node(self) -> str | None:
        """The node that it is open on; None while it has none."""
        ...


OpenStream = Callable[[str, str], AsyncGenerator[LiveFrame]]
Acknowledge = Callable[[str, str, int], Awaitable[object]]


class RemoteView:
    """Frames of a tab, numbered across nodes. `open_stream` and `acknowledge` reach a view on a node by its id."""

    def __init__(self, session: ViewedSession, open_stream: OpenStream, acknowledge: Acknowledge) -> None:
        self._session = session
        self._open_stream = open_stream
        self._acknowledge = acknowledge
        self._node: str | None = None
        self._view = ""
        self._frames: AsyncGenerator[LiveFrame] | None = None
        self._first = self._last = 0
        self._closed = asyncio.Event()
        self._tasks = BackgroundTasks(f"the view of {session.name}", expected=(NodeLost, NotOpen))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        await self._drop_stream()
        await self._tasks.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> LiveFrame:
        while not (self._closed.is_set() or self._session.is_closed):
            if (frame := await self._next()) is not None:
                self._last = self._first + frame.id
                return replace(frame, id=self._last)
        raise StopAsyncIteration

    def acknowledge(self, frame: int) -> None:
        """Note that the viewer has shown a frame, and can take another."""
        if self._node is not None and frame > self._first:
            self._tasks.start(self._tell(self._node, self._view, frame - self._first))

    async def _tell(self, node: str, view: str, frame: int) -> None:
        await self._acknowledge(node, view, frame)

    def close(self) -> None:
        """End the view."""
        self._closed.set()

    async def _next(self) -> LiveFrame | None:
        """Return the next frame; None after a change of the session, or when its node has ended the view."""
        changed = self._session.changed.wait()
        frames = await self._follow()
        waiting = asyncio.Future[None]() if frames is None else anext(frames)
        ends = (self._closed.wait(), changed) if frames is None else (self._closed.wait(),)
        if frames is not None:
            changed.close()
        try:
            return await race(waiting, *ends)
        except Interrupted:
            return None
        except (NodeLost, NotOpen, StopAsyncIteration):
            await self._drop_stream()
            await self._pause()
            return None

    async def _pause(self) -> None:
        """Wait until the session is told to be elsewhere, or a moment."""
        with contextlib.suppress(TimeoutError, Interrupted):
            async with asyncio.timeout(RETRY_SECONDS):
                await race(self._session.changed.wait(), self._closed.wait())

    async def _follow(self) -> AsyncGenerator[LiveFrame] | None:
        """Return the frames of the node that the session is on now."""
        node = self._session.live_node
        if node != self._node or self._frames is None:
            await self._drop_stream()
            if node is not None:
                self._node, self._view, self._first = node, os.urandom(8).hex(), self._last
                self._frames = self._open_stream(node, self._view)
        return self._frames

    async def _drop_stream(self) -> None:
        frames, self._frames, self._node = self._frames, None, None
        if frames is not None:
            with contextlib.suppress(NodeLost, NotOpen):
                await frames.aclose()
