"""The requests of a recorded run as an HTTP archive."""

from __future__ import annotations

from rove.conversion.exported import Exported
from rove.errors import Unsupported
from rove.recordings.recording import Recording
from rove.recordings.run_folder import RunFolder


def to_har(recording: Recording, folder: RunFolder) -> Exported:
    raise Unsupported("not yet", hint="")
