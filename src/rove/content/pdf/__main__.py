"""Answers one request about one file: `python -m rove.documents.pdfium`, with both on its standard input."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import struct
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

LENGTH = struct.Struct(">I")


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


def main() -> None:
    """Read the request and the file, and write the answer: JSON, then the bytes of a picture if one was asked for."""
    limit_process()
    request, data = json.loads(_read_part()), _read_part()
    end_with_parent(sys.stdin.buffer)
    from rove.content.pdf.answers import answer  # loads PDFium, within the limits

    facts, picture = answer(request, data)
    _write_part(json.dumps(facts).encode())
    _write_part(picture)
    leave()


def _read_part() -> bytes:
    (size,) = LENGTH.unpack(_read_exactly(LENGTH.size))
    return _read_exactly(size)


def _read_exactly(size: int) -> bytes:
    data = sys.stdin.buffer.read(size)
    if len(data) < size:
        sys.exit(1)  # the parent is gone
    return data


def _write_part(data: bytes) -> None:
    sys.stdout.buffer.write(LENGTH.pack(len(data)))
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
