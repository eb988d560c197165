"""The recordings of a home: one file for each, by name, and beside it what was seen of its run."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rove.errors import InvalidArguments
from rove.owned_names import SIGN
from rove.recorded_steps import NAME_PATTERN, Recording, read_recording
from rove.storage.private_files import make_private_folder, write_private

STEPS = "steps.jsonl"
REQUESTS = "requests.json"
FOLDER = "recordings"
ENDING = ".json"
RUN_ENDING = ".run"
# In that folder, one for each client of a server.
TOKENS = "tokens"


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


class RecordingStore:
    """Saves, reads, lists and deletes recordings."""

    def __init__(self, home: Path, mark: str = "") -> None:
        """`mark`: what ends the names of sessions of one client of a server, which has recordings of its own."""
        self.folder = home / FOLDER / TOKENS / mark.removeprefix(SIGN) if mark else home / FOLDER

    def write(self, recording: Recording) -> Path:
        """Save a recording; one of that name is replaced. Raises StateUnusable."""
        path = self.path(recording.name)
        write_private(path, recording.to_text().encode())
        return path

    def read(self, name: str) -> Recording:
        """Return a recording. Raises InvalidArguments if there is none, or its file is not valid."""
        try:
            return read_recording(self.path(name).read_text("utf-8"), name)
        except FileNotFoundError:
            known = ", ".join(self.names())
            hint = f"There are: {known}." if known else "There is none yet: `rove record NAME` makes one."
            raise InvalidArguments(f"There is no recording {name}.", hint=hint) from None
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidArguments(f"The recording {name} cannot be read: {error}.") from error

    def names(self) -> list[str]:
        return sorted(path.name.removesuffix(ENDING) for path in self.folder.glob(f"*{ENDING}"))

    def delete(self, name: str) -> None:
        """Delete a recording, and what was seen of its run. Raises InvalidArguments if there is none."""
        self.read(name)
        self.path(name).unlink(missing_ok=True)
        shutil.rmtree(self.run_folder(name), ignore_errors=True)

    def path(self, name: str) -> Path:
        """Return the file of a recording. Raises InvalidArguments if it cannot be called that."""
        if not re.fullmatch(NAME_PATTERN, name):
            raise InvalidArguments(f"{name!r} is no name for a recording: use letters, digits, - and _.")
        return self.folder / f"{name}{ENDING}"

    def run_folder(self, name: str) -> Path:
        """Return the folder of the pictures and requests that were seen while it was recorded."""
        return self.folder / f"{self.path(name).name.removesuffix(ENDING)}{RUN_ENDING}"
