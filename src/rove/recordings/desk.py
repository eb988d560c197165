"""What an action may ask of the recorder of its session."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from rove.recordings.recording import Recording


class RecordingDesk(Protocol):
    """Reads and writes recordings, and keeps what is seen while one is run."""

    @property
    def session(self) -> str:
        """The name of the session."""
        ...

    async def read(self, name: str, /) -> Recording:
        """Return a recording. Raises InvalidArguments if there is none, or its file is not valid."""
        ...

    async def write(self, recording: Recording, /) -> None:
        """Save a recording in place of the one of that name."""

    def keeping_run(self, name: str, /) -> AbstractAsyncContextManager[None]:
        """Keep pictures of the steps that are run meanwhile, and their requests, for a trace of the recording."""
        ...
