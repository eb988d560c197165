"""The requests of a recorded run as an HTTP archive (HAR 1.2).

Recordings keep no bodies, and no cookies and credentials of headers.
"""

from __future__ import annotations

import json

from rove.conversion.exported import Exported
from rove.errors import InvalidArguments
from rove.recordings.recording import Recording
from rove.recordings.run_folder import RunFolder
from rove.version import VERSION

NOT_KEPT = "Bodies are not in it: recordings keep none."


def to_har(recording: Recording, folder: RunFolder) -> Exported:
    """Return the requests of the run that was recorded. Raises InvalidArguments if nothing was kept of it."""
    requests = folder.requests()
    if not requests:
        raise InvalidArguments(
            f"No request was kept of a run of {recording.name}.",
            hint="Record it anew with `rove record`, or replay it with --trace.",
        )
    log = {
        "version": "1.2",
        "creator": {"name": "rove", "version": VERSION},
        "entries": requests,
        "comment": NOT_KEPT,
    }
    content = json.dumps({"log": log}, ensure_ascii=False, indent=1) + "\n"
    return Exported(content.encode(), f"{recording.name}.har", (NOT_KEPT,))
