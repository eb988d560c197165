"""The requests of a recorded run as an HTTP archive (HAR 1.2).

Recordings keep no headers and no bodies, which may hold logins, so the archive has none either.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from rove.conversion.exported import Exported
from rove.errors import InvalidArguments
from rove.outcome import moment
from rove.recordings.recording import Recording
from rove.recordings.run_folder import RunFolder
from rove.version import VERSION

NOT_KEPT = "Headers and bodies are not in it: recordings keep none."
UNKNOWN = "unknown"
NO_TYPE = "x-unknown"
Facts = dict[str, Any]


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
        "entries": [har_entry(facts) for facts in requests],
        "comment": NOT_KEPT,
    }
    content = json.dumps({"log": log}, ensure_ascii=False, indent=1) + "\n"
    return Exported(content.encode(), f"{recording.name}.har", (NOT_KEPT,))


def har_entry(facts: Facts) -> Facts:
    """Return a request as an entry of an archive."""
    milliseconds = round((facts["seconds"] or 0) * 1000, 3)
    size = facts["size"] or 0
    query = parse_qsl(urlsplit(facts["url"]).query, keep_blank_values=True)
    return {
        "startedDateTime": moment(facts["at"]),
        "time": milliseconds,
        "request": {
            "method": facts["method"],
            "url": facts["url"],
            "httpVersion": UNKNOWN,
            "cookies": [],
            "headers": [],
            "queryString": [{"name": name, "value": value} for name, value in query],
            "headersSize": -1,
            "bodySize": -1,
        },
        "response": {
            "status": facts["status"] or 0,
            "statusText": "",
            "httpVersion": UNKNOWN,
            "cookies": [],
            "headers": [],
            "content": {"size": size, "mimeType": facts["mime"] or NO_TYPE},
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": size or -1,
            **({"_error": facts["failure"]} if facts["failure"] else {}),
        },
        "cache": {},
        "timings": {"send": 0, "wait": milliseconds, "receive": 0},
        "_resourceType": facts["kind"],
    }
