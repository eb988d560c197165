"""Ask the person at the terminal that rove was started from.

Standard input and output may belong to an MCP client. This uses the terminal itself, `/dev/tty`, which neither a page
nor an agent can write to.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import termios
from collections.abc import Callable, Generator

from rove.errors import InvalidSettings
from rove.guard.policy import ApprovalAnswer, ApprovalRequest
from rove.toolsets.approval_text import card

TERMINAL = "/dev/tty"
ANSWERS = {
    "y": ApprovalAnswer.ONCE,
    "yes": ApprovalAnswer.ONCE,
    "s": ApprovalAnswer.FOR_SESSION,
    "session": ApprovalAnswer.FOR_SESSION,
}
LONGEST_ANSWER = 1024


class Terminal:
    """Asks one question at a time. An answer counts only for the question that is on the screen."""

    def __init__(self, path: str = TERMINAL) -> None:
        self._path = path
        self._turn = asyncio.Lock()
        with _opened(path):
            pass  # a missing terminal is an error now rather than at the first question

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        async with self._turn:
            with _opened(self._path) as terminal:
                return await self._ask(terminal, request)

    async def _ask(self, terminal: int, request: ApprovalRequest) -> ApprovalAnswer:
        # Text typed before the question was shown is not an answer to it.
        termios.tcflush(terminal, termios.TCIFLUSH)
        try:
            await _write(terminal, f"\nrove asks:\n{card(request)}\n{choice_of(request)}")
            said = await _read(terminal)
        except asyncio.CancelledError:
            with contextlib.suppress(OSError):
                os.write(terminal, b"\nrove: too late, the answer is no\n")
            raise
        answer = answer_of(said, request)
        await _write(terminal, f"rove: {'denied' if answer is ApprovalAnswer.NO else 'allowed'}\n")
        return answer


def choice_of(request: ApprovalRequest) -> str:
    """Return what a person can type to answer a request."""
    remember = ", s for the same action there in this session" if request.can_be_remembered else ""
    return f"y to allow it once{remember}, anything else is no: "


def answer_of(said: str, request: ApprovalRequest) -> ApprovalAnswer:
    """Return the answer that a person has typed; all that is not clearly a yes is a no."""
    answer = ANSWERS.get(said.strip().lower(), ApprovalAnswer.NO)
    if answer is ApprovalAnswer.FOR_SESSION and not request.can_be_remembered:
        return ApprovalAnswer.NO
    return answer


@contextlib.contextmanager
def _opened(path: str) -> Generator[int]:
    try:
        terminal = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError as error:
        raise InvalidSettings(
            f"There is no terminal to ask at: {path}: {error.strerror}.",
            hint="Start rove from a terminal, or choose another `--approve`.",
        ) from error
    try:
        yield terminal
    finally:
        os.close(terminal)


async def _write(terminal: int, text: str) -> None:
    loop = asyncio.get_running_loop()
    left = text.encode()
    while left:
        try:
            left = left[os.write(terminal, left) :]
        except BlockingIOError:  # the person has stopped the output, and cannot answer what is not shown
            await _ready(loop.add_writer, loop.remove_writer, terminal)


async def _read(terminal: int) -> str:
    """Return what the person types up to the end of the line.

    Not in a thread: one that is still waiting after a cancellation would take the answer to a later question.
    """
    loop = asyncio.get_running_loop()
    await _ready(loop.add_reader, loop.remove_reader, terminal)
    if os.tcgetpgrp(terminal) != os.getpgrp():
        return ""  # in the background a read would stop the whole process
    try:
        return os.read(terminal, LONGEST_ANSWER).decode("utf-8", "replace")
    except OSError:
        return ""


async def _ready(watch: Callable[..., None], unwatch: Callable[[int], bool], terminal: int) -> None:
    ready = asyncio.Event()
    watch(terminal, ready.set)
    try:
        await ready.wait()
    finally:
        unwatch(terminal)
