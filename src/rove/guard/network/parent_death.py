"""Ends the proxy process together with the engine, also when the process is stopped and cannot see the engine end."""

from __future__ import annotations

import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def end_with_parent(engine: int) -> None:
    """Have the kernel end this process when the engine, which started it, ends. Linux alone can.

    The signal is sent when the thread that started this process ends: the one that the engine's event loop runs in.
    """
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != engine:  # it ended before the kernel was asked
        os._exit(0)
