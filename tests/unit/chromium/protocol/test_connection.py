"""CDP connections over a pipe to a browser that does not read or answer."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator

import pytest

from rove.browser.chromium.connection import CdpConnection, CdpError, PipeTransport
from rove.browser.shared.connection import MAX_UNSENT_BYTES

MEGABYTE = "x" * 2**20


class BrowserEnd:
    """The browser's end of a pipe, and the connection at the other end."""

    def __init__(self) -> None:
        self.read_fd, our_out = os.pipe()
        our_in, self.write_fd = os.pipe()
        self.connection = CdpConnection(PipeTransport(our_in, our_out))

    def close(self) -> None:
        for descriptor in (self.read_fd, self.write_fd):
            os.close(descriptor)
        self.read_fd = self.write_fd = -1


@pytest.fixture
async def browser_end() -> AsyncGenerator[BrowserEnd]:
    end = BrowserEnd()
    await end.connection.open()
    yield end
    end.connection.close()
    if end.read_fd >= 0:
        end.close()


async def test_34_commands_that_the_browser_does_not_read_are_refused_before_they_fill_memory(
    browser_end: BrowserEnd,
) -> None:
    root = browser_end.connection.root
    commands = [asyncio.ensure_future(root.send("Any.thing", {"text": MEGABYTE})) for _ in range(50)]
    refused, pending = await asyncio.wait(commands, timeout=1)
    assert 0 < len(pending) <= MAX_UNSENT_BYTES // 2**20 + 2
    assert all(isinstance(task.exception(), CdpError) for task in refused)
    browser_end.connection.close()
    await asyncio.wait(pending, timeout=10)
    assert all(isinstance(task.exception(), CdpError) for task in pending)


async def test_34_a_pipe_that_closes_in_the_middle_of_a_message_fails_all_pending_commands(
    browser_end: BrowserEnd,
) -> None:
    commands = [asyncio.ensure_future(browser_end.connection.root.send("Any.thing")) for _ in range(3)]
    ends: list[bool] = []
    browser_end.connection.on_end(lambda: ends.append(True))
    await asyncio.sleep(0)
    os.write(browser_end.write_fd, b'{"id":1,"result":{"half')
    browser_end.close()
    await asyncio.wait(commands, timeout=10)
    assert all(isinstance(task.exception(), CdpError) for task in commands)
    assert ends == [True]
    with pytest.raises(CdpError):
        await browser_end.connection.root.send("Any.thing")


async def test_closing_leaves_no_descriptor_open_whether_or_not_the_connection_was_opened() -> None:
    def open_descriptors() -> int:
        return len(os.listdir("/proc/self/fd"))  # noqa: PTH208

    before = open_descriptors()
    never_opened, opened = BrowserEnd(), BrowserEnd()
    await opened.connection.open()
    for end in (never_opened, opened):
        end.connection.close()
        end.connection.close()
        end.close()
    await asyncio.sleep(0)  # a transport closes its file in the next turn of the event loop
    assert open_descriptors() == before
