"""Videos of what a session shows."""

from __future__ import annotations

from rove.action import Effect, SessionDirectory, SessionsAction, action, arg
from rove.outcome import Own, Result
from rove.validation.record import dataclass
from rove.video.desk import VideoFacts

# Seconds that the end of a video may take to be written, in addition to the time of every call.
LONGEST_ENDING = 20.0


@dataclass(frozen=True)
class VideoStarted(Result):
    path: Own

    def __str__(self) -> str:
        return f"Recording to {self.path}"


@action(Effect.READ, group="capture")
class StartVideo(SessionsAction[VideoStarted]):
    """Record a video of what the session shows, as a WebM file, until stop_video or the end of the session."""

    name: str | None = arg("Name of the file.", default=None, min_length=1, max_length=100)
    tab: str | None = arg("Tab to record; by default whichever is current.", default=None)

    async def perform(self, directory: SessionDirectory) -> VideoStarted:
        return VideoStarted(await directory.captures.start_video(self.name, self.tab))


@dataclass(frozen=True)
class VideosStopped(Result):
    videos: tuple[VideoFacts, ...]

    def __str__(self) -> str:
        return "\n".join(f"Recorded {video}" for video in self.videos)


@action(Effect.READ, group="capture")
class StopVideo(SessionsAction[VideosStopped]):
    """End the videos of the session, and tell where the files are."""

    @property
    def takes(self) -> float:
        return LONGEST_ENDING

    async def perform(self, directory: SessionDirectory) -> VideosStopped:
        return VideosStopped(await directory.captures.stop_videos())
