"""Limits that this process sets for itself before it touches a file."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import threading
from typing import BinaryIO

# The process is killed after so many seconds, even if PDFium hangs and its parent is gone.
HARD_SECONDS = 15
MEMORY_BYTES = 1536 * 2**20
_LIMITS = {
    resource.RLIMIT_CPU: HARD_SECONDS,
    resource.RLIMIT_AS: MEMORY_BYTES,
    resource.RLIMIT_FSIZE: 0,
    resource.RLIMIT_CORE: 0,
}


def limit_process() -> None:
    """Limit time, memory and files; the signal's default action ends the process without Python's help."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(HARD_SECONDS)
    for kind, most in _LIMITS.items():
        with contextlib.suppress(OSError, ValueError):  # not every system has each of them
            resource.setrlimit(kind, (most, most))


def end_with_parent(stream: BinaryIO) -> None:
    """End the process when its input is closed, which happens even if the parent is killed."""

    def watch() -> None:
        stream.read(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def leave() -> None:
    """Flush the answer and end at once: PDFium could still crash while it frees its memory."""
    sys.stdout.flush()
    os._exit(0)
