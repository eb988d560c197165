"""Lines that cannot be changed unnoticed: each has its number, the hash of the line before it and its own hash.

    {"seq": 2, "prev": "<hash of line 1>", ..., "hash": "<SHA-256 of this line up to here, closed with a brace>"}

The hash covers the bytes of the line, so that it does not depend on how a program writes JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from rove.validation.pattern import pattern
from rove.validation.record import dataclass

# ASCII only: text of a page cannot control a terminal, and no reader takes U+2028 for the end of a line.
_encoder = json.JSONEncoder(ensure_ascii=True, default=str)
_SEAL = pattern(rb', "hash": "([0-9a-f]{64})"\}')
_SEAL_LENGTH = len(', "hash": "') + 64 + len('"}')
_HEAD = pattern(rb"(\d{20}) ([0-9a-f]{64})\n")


@dataclass(frozen=True)
class ChainedLine:
    """One line of a chain."""

    seq: int
    hash: str
    facts: Mapping[str, Any]

    @property
    def beginning(self) -> bytes:
        """Return the first bytes of the line that follows this one."""
        return f'{{"seq": {self.seq + 1}, "prev": "{self.hash}"'.encode()

    @property
    def head(self) -> bytes:
        """Return the content of the head file while this is the last link. Its length is always the same."""
        return f"{self.seq:020d} {self.hash}\n".encode()


# The link that the first line is chained to.
BEGINNING = ChainedLine(0, "0" * 64, {})


def seal(before: ChainedLine, facts: Mapping[str, Any]) -> tuple[ChainedLine, bytes]:
    """Chain facts to a link; return the new link and its line."""
    fields = {"seq": before.seq + 1, "prev": before.hash, **facts}
    body = _encoder.encode(fields).encode("ascii")
    digest = sha256(body).hexdigest()
    return ChainedLine(before.seq + 1, digest, fields), b'%b, "hash": "%b"}\n' % (body[:-1], digest.encode())


def unseal(line: bytes) -> ChainedLine | None:
    """Read a line, without its line end, as a link; None if it is not one or does not match its own hash."""
    found = _SEAL.fullmatch(line, max(len(line) - _SEAL_LENGTH, 0))
    if found is None:
        return None
    digest = found[1].decode()
    body = line[:-_SEAL_LENGTH] + b"}"
    fields = parsed(body) if sha256(body).hexdigest() == digest else None
    if fields is None or type(fields.get("seq")) is not int or not isinstance(fields.get("prev"), str):
        return None
    return ChainedLine(fields["seq"], digest, fields)


def parsed(line: bytes) -> dict[str, Any] | None:
    """Read a line as a JSON object, with or without a valid hash; None if it is not one."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


def head_in(text: bytes) -> ChainedLine | None:
    """Read the last link from the head file; None if the file is empty or not valid."""
    found = _HEAD.fullmatch(text)
    return ChainedLine(int(found[1]), found[2].decode(), {}) if found else None


def digest_of(torn: bytes) -> dict[str, Any]:
    """Describe a broken-off write for the line after it, so that it can be told from tampering."""
    return {"bytes": len(torn), "sha256": sha256(torn).hexdigest()}
