"""The pipe to a browser, with a browser at its end that does not do its part."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator

import pytest

from rove.chromium.protocol.connection import MOST_UNSENT, CdpConnection, CdpError
from rove.chromium.protocol.pipe import PipeTransport

MEGABYTE = "x" * 2**20


class Other:
    """The browser's end."""

    def __init__(self) -> None:
        self.reading, ours_out = os.pipe()
        ours_in, self.writing = os.pipe()
        self.connection = CdpConnection(PipeTransport(ours_in, ours_out))

    def close(self) -> None:
        for end in (self.reading, self.writing):
            os.close(end)
        self.reading = self.writing = -1


@pytest.fixture
async def other() -> AsyncGenerator[Other]:
    made = Other()
    await made.connection.open()
    yield made
    made.connection.close()
    if made.reading >= 0:
        made.close()


async def test_34_commands_that_nobody_takes_in_are_refused_before_they_fill_our_memory(other: Other) -> None:
    asked = [asyncio.ensure_future(other.connection.root.send("Any.thing", {"text": MEGABYTE})) for _ in range(50)]
    done, waiting = await asyncio.wait(asked, timeout=1)
    assert 0 < len(waiting) <= MOST_UNSENT // 2**20 + 2
    assert all(isinstance(task.exception(), CdpError) for task in done)
    other.connection.close()
    await asyncio.wait(waiting, timeout=10)
    assert all(isinstance(task.exception(), CdpError) for task in waiting)


async def test_34_a_pipe_that_closes_in_the_middle_of_a_message_fails_everyone_who_waits(other: Other) -> None:
    asked = [asyncio.ensure_future(other.connection.root.send("Any.thing")) for _ in range(3)]
    ended: list[bool] = []
    other.connection.on_end(lambda: ended.append(True))
    await asyncio.sleep(0)
    os.write(other.writing, b'{"id":1,"result":{"half')
    other.close()
    await asyncio.wait(asked, timeout=10)
    assert all(isinstance(task.exception(), CdpError) for task in asked)
    assert ended == [True]
    with pytest.raises(CdpError):
        await other.connection.root.send("Any.thing")


async def test_closing_leaves_no_handle_open_whether_or_not_it_was_ever_opened() -> None:
    def handles() -> int:
        return len(os.listdir("/proc/self/fd"))  # noqa: PTH208

    before = handles()
    never, once = Other(), Other()
    await once.connection.open()
    for other in (never, once):
        other.connection.close()
        other.connection.close()
        other.close()
    await asyncio.sleep(0)  # a transport closes its file a moment later
    assert handles() == before
