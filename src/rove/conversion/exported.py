"""What an export results in."""

from __future__ import annotations

from rove.validation.record import dataclass


@dataclass(frozen=True)
class Exported:
    """The content of a file, a name for it, and what of the recording it does not have."""

    content: bytes
    file_name: str
    notes: tuple[str, ...] = ()
