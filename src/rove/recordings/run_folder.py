"""What was seen while a recording was made: pictures of its steps, and requests."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rove.states.private_files import make_private_folder

if TYPE_CHECKING:
    from rove.browser.logs import LoggedRequest

STEPS = "steps.jsonl"
REQUESTS = "requests.json"


class RunFolder:
    """The folder of one run, which its owner alone can read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def clear(self) -> None:
        """Delete what an earlier run has left."""
        shutil.rmtree(self.path, ignore_errors=True)
        make_private_folder(self.path)

    def add_step(self, facts: dict[str, Any], picture: bytes) -> None:
        """Keep what a step led to: a line of facts, and a JPEG."""
        name = f"{facts['step']}.jpg"
        (self.path / name).write_bytes(picture)
        with (self.path / STEPS).open("a", encoding="utf-8") as file:
            file.write(json.dumps({**facts, "picture": name}) + "\n")

    def write_requests(self, requests: list[dict[str, Any]]) -> None:
        (self.path / REQUESTS).write_text(json.dumps(requests), "utf-8")

    def steps(self) -> list[dict[str, Any]]:
        """Return the facts of each step, in their order; none if nothing was kept."""
        return [json.loads(line) for line in self._read(STEPS).splitlines()]

    def requests(self) -> list[dict[str, Any]]:
        return json.loads(self._read(REQUESTS) or "[]")  # type: ignore[no-any-return]

    def picture(self, name: str) -> bytes:
        return (self.path / Path(name).name).read_bytes()

    def _read(self, name: str) -> str:
        try:
            return (self.path / name).read_text("utf-8")
        except FileNotFoundError:
            return ""


def request_facts(request: LoggedRequest) -> dict[str, Any]:
    """Return the facts of a request that a trace tells, without its headers, which may hold logins."""
    return {
        "method": request.method, "url": request.url, "kind": request.kind, "at": request.at,
        "status": request.status, "size": request.size, "seconds": request.seconds, "failure": request.failure,
        "mime": next((value for name, value in request.response_headers.items() if name.lower() == "content-type"), ""),
    }  # fmt: skip
