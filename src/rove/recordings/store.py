"""The recordings of a home: one file for each, by name, and beside it what was seen of its run."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from rove.errors import InvalidArguments
from rove.owned_names import SIGN
from rove.recordings.recording import NAME_PATTERN, Recording, read_recording
from rove.states.private_files import write_private

FOLDER = "recordings"
ENDING = ".json"
RUN_ENDING = ".run"
# In that folder, one for each client of a server.
TOKENS = "tokens"


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
