"""What was seen while a recording was made, as files of other tools: a trace of Playwright, a HAR file.

A trace is a zip of lines of JSON: `trace.trace` has the actions, `trace.network` the requests, `resources/` the
pictures. rove keeps pictures and no copies of the page's DOM, so the viewer shows those where it would show a DOM.

Recordings keep no bodies, and no cookies and credentials of headers.
"""

from __future__ import annotations

import io
import json
import zipfile
from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha1
from typing import Any

from rove.errors import InvalidArguments
from rove.recorded_steps import Recording
from rove.recordings.export import Exported
from rove.recordings.files import RunFolder
from rove.version import VERSION

# An older version, which viewers bring up to their own: newer ones change from month to month.
TRACE_VERSION = 7
PAGE = "page@rove"
FRAME = "frame@rove"
Line = dict[str, Any]
NOT_KEPT = "Bodies are not in it: recordings keep none."


def to_trace(recording: Recording, folder: RunFolder) -> Exported:
    """Return the trace of the run that was recorded. Raises InvalidArguments if nothing was kept of it."""
    steps = folder.steps()
    if not steps:
        raise InvalidArguments(
            f"Nothing was kept of the run of {recording.name}, as it was not recorded live.",
            hint="Record it anew with `rove record`, or replay it with --trace.",
        )
    pictures = [folder.picture(step["picture"]) for step in steps]
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("trace.trace", _text(_events(recording, steps, pictures)))
        archive.writestr("trace.network", _text(map(_request, folder.requests())))
        for picture in dict.fromkeys(pictures):
            archive.writestr(f"resources/{_resource(picture)}", picture)
    return Exported(content.getvalue(), f"{recording.name}-trace.zip")


def _text(lines: Iterator[Line]) -> str:
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _resource(picture: bytes) -> str:
    return f"{sha1(picture, usedforsecurity=False).hexdigest()}.jpeg"


def _events(recording: Recording, steps: Sequence[Line], pictures: Sequence[bytes]) -> Iterator[Line]:
    first = float(steps[0]["began"])
    size = {"width": steps[0]["width"], "height": steps[0]["height"]}
    yield {
        "version": TRACE_VERSION, "type": "context-options", "origin": "library", "platform": "",
        "browserName": steps[0].get("engine", "chromium"), "wallTime": first * 1000, "monotonicTime": 0,
        "title": recording.name, "options": {"viewport": size}, "sdkLanguage": "python",
    }  # fmt: skip
    before = b""
    for number, (step, picture) in enumerate(zip(steps, pictures, strict=True), 1):
        began, ended = ((float(step[name]) - first) * 1000 for name in ("began", "ended"))
        call = f"call@{number}"
        yield {
            "type": "before", "callId": call, "startTime": began, "apiName": step["label"], "class": "Page",
            "method": step["action"], "params": step["arguments"], "pageId": PAGE, "beforeSnapshot": f"before@{call}",
        }  # fmt: skip
        if before:
            yield _snapshot(f"before@{call}", call, began, step, before)
        yield _snapshot(f"after@{call}", call, ended, step, picture)
        yield {"type": "after", "callId": call, "endTime": ended, "afterSnapshot": f"after@{call}"}
        frame = {"sha1": _resource(picture), "width": step["width"], "height": step["height"], "timestamp": ended}
        yield {"type": "screencast-frame", "pageId": PAGE, **frame}
        before = picture


def _snapshot(name: str, call: str, at: float, step: Line, picture: bytes) -> Line:
    """Return a page that shows nothing but a picture, in the viewer's form of a DOM."""
    image = {"src": f"data:image/jpeg;base64,{b64encode(picture).decode()}", "style": "width: 100%; display: block"}
    body = ["BODY", {"style": "margin: 0"}, ["IMG", image]]
    snapshot = {
        "callId": call, "snapshotName": name, "pageId": PAGE, "frameId": FRAME, "frameUrl": step["url"],
        "doctype": "html", "html": ["HTML", {}, ["HEAD", {}], body], "resourceOverrides": [], "timestamp": at,
        "viewport": {"width": step["width"], "height": step["height"]}, "collectionTime": 0, "isMainFrame": True,
    }  # fmt: skip
    return {"type": "frame-snapshot", "snapshot": snapshot}


def _request(entry: Line) -> Line:
    return {"type": "resource-snapshot", "snapshot": {**entry, "pageref": PAGE, "_frameref": FRAME}}


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
