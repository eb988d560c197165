"""What was seen while a recording was made: pictures of its steps, and requests."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rove.states.private_files import make_private_folder

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

    def write_requests(self, entries: Sequence[str]) -> None:
        """Keep requests, each an entry of an HTTP archive as JSON."""
        (self.path / REQUESTS).write_text(f"[{','.join(entries)}]", "utf-8", "replace")

    def steps(self) -> list[dict[str, Any]]:
        """Return the facts of each step, in their order; none if nothing was kept."""
        return [json.loads(line) for line in self._read(STEPS).splitlines()]

    def requests(self) -> list[dict[str, Any]]:
        """Return the requests as entries of an HTTP archive."""
        return json.loads(self._read(REQUESTS) or "[]")  # type: ignore[no-any-return]

    def picture(self, name: str) -> bytes:
        return (self.path / Path(name).name).read_bytes()

    def _read(self, name: str) -> str:
        try:
            return (self.path / name).read_text("utf-8")
        except FileNotFoundError:
            return ""
