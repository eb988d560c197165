"""Pictures of steps, kept as files for the timeline: the newest of each session, within a limit."""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path

from rove.errors import NotOpen

MAX_PER_SESSION = 300
MAX_SESSIONS = 50
SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~-]{0,119}")


class StepPictures:
    """Keeps one JPEG for each step, in a folder that its owner alone can read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def keep(self, session: str, step: str, data: bytes) -> None:
        """Write the picture of a step; remove the oldest beyond the limit."""
        await asyncio.to_thread(self._write, self._path(session, step), data)

    async def read(self, session: str, step: str) -> bytes:
        """Return the picture of a step. Raises NotOpen if it is not kept."""
        try:
            return await asyncio.to_thread(self._path(session, step).read_bytes)
        except OSError:
            raise NotOpen("There is no picture of this step.", hint="Pictures are kept for the newest steps.") from None

    def _path(self, session: str, step: str) -> Path:
        if not SAFE_NAME.fullmatch(session) or not SAFE_NAME.fullmatch(step):
            raise NotOpen("There is no picture of this step.")
        return self._folder / session / f"{step}.jpg"

    def _write(self, path: Path, data: bytes) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(data)
        for old in _oldest(path.parent, MAX_PER_SESSION):
            old.unlink(missing_ok=True)
        for old in _oldest(self._folder, MAX_SESSIONS):
            shutil.rmtree(old, ignore_errors=True)


def _oldest(folder: Path, keep: int) -> list[Path]:
    """Return what is in a folder beyond the newest `keep`."""
    there = list(folder.iterdir())
    if len(there) <= keep:
        return []
    return sorted(there, key=lambda path: path.stat().st_mtime)[:-keep]
