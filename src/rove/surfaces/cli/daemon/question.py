"""Asks the person at the terminal of a command. Imported only when there is a question."""

from __future__ import annotations

import os
import select
import termios
from _socket import socket

from rove.surfaces.terminal import LONGEST_ANSWER, TERMINAL

WITHDRAWN = b"\nrove: this is answered elsewhere, or it is too late\n"


def ask(question: str, connection: socket) -> str:
    """Return what the person types. Nothing, which is a no, if there is no terminal or the daemon withdraws it."""
    try:
        terminal = os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return ""
    try:
        # Text typed before the question was shown is not an answer to it.
        termios.tcflush(terminal, termios.TCIFLUSH)
        os.write(terminal, question.encode())
        ready, _, _ = select.select([terminal, connection.fileno()], [], [])
        if connection.fileno() in ready:
            os.write(terminal, WITHDRAWN)
            return ""
        return os.read(terminal, LONGEST_ANSWER).decode("utf-8", "replace")
    finally:
        os.close(terminal)
