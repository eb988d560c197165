"""Answers one request about one file: `python -m rove.documents.pdfium`, with both on its standard input."""

from __future__ import annotations

import json
import struct
import sys

from rove.documents.pdfium.limits import end_with_parent, leave, limit_process

LENGTH = struct.Struct(">I")


def main() -> None:
    """Read the request and the file, and write the answer: JSON, then the bytes of a picture if one was asked for."""
    limit_process()
    request, data = json.loads(_read_part()), _read_part()
    end_with_parent(sys.stdin.buffer)
    from rove.documents.pdfium.answers import answer  # loads PDFium, within the limits

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
