"""The recordings of one session: those that the settings ask for, and videos that an agent or a user starts."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rove.engine.people.live_view import LiveView, ViewedSession
from rove.engine.recording.video_recorder import RecordedSession, VideoRecorder
from rove.errors import InvalidArguments, LimitReached, NotOpen, RoveError, unwritable
from rove.page_text import Own
from rove.settings.tree import Settings
from rove.tasks import BackgroundTasks
from rove.video.encoder import Encoder, require_encoder
from rove.video.frame_stream import Limits
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.browser.tab import Tab
    from rove.video.desk import VideoFacts

log = logging.getLogger(__name__)
FOLDER = "videos"
MAX_VIDEOS = 4
# JPEG, before the encoder: higher quality costs the browser more than it adds to a video.
QUALITY = 80


class Recorded(ViewedSession, RecordedSession, Protocol):
    """A session that can be recorded."""

    name: str
    settings: Settings


class Recordings:
    """Starts recordings, and ends all of them with the session."""

    def __init__(self, session: Recorded, find_tab: Callable[[str | None], Tab | None]) -> None:
        self._session = session
        self._find_tab = find_tab
        self._videos: list[VideoRecorder] = []
        self._has_begun = False
        self._tasks = BackgroundTasks(f"the recordings of {session.name}")

    async def begin(self) -> None:
        """Start what the settings ask for, once, when the session has its first page."""
        if self._has_begun:
            return
        self._has_begun = True
        if self._session.settings.recording.video:
            await self.start_video(None, None)

    async def start_video(self, name: str | None, tab: str | None) -> Own:
        """Record a tab, or whichever is current; return the path of the file."""
        if len(self._videos) >= MAX_VIDEOS:
            raise LimitReached(
                f"{MAX_VIDEOS} videos of this session are being recorded.", hint="End them with {stop_video}."
            )
        if tab is not None and self._find_tab(tab) is None:
            raise NotOpen(f"There is no tab {tab}.", hint="List {tabs}, or leave `tab` out to record the current one.")
        require_encoder()
        settings = self._session.settings.recording
        limits = Limits(settings.video_minutes * 60, settings.video_megabytes * 1_000_000, settings.video_width)
        encoder = Encoder(*await self._new_file(name), limits)
        find_tab = lambda: self._find_tab(tab)  # noqa: E731
        view = LiveView(self._session, find_tab, settings.video_width, QUALITY)
        video = VideoRecorder(self._session, find_tab, view, encoder, settings.frames_per_second)
        await video.start()
        self._videos.append(video)
        return video.path

    async def stop_videos(self) -> tuple[VideoFacts, ...]:
        """End the videos that are being recorded, and return those that ended by themselves too."""
        if not self._videos:
            raise InvalidArguments("No video is being recorded.", hint="Begin one with {start_video}.")
        videos, self._videos = self._videos, []
        return tuple(await asyncio.gather(*(video.stop() for video in videos)))

    @property
    def files(self) -> tuple[str, ...]:
        """The files that are being written."""
        return tuple(video.path for video in self._videos if not video.is_over)

    async def close(self) -> None:
        """End every recording, while the browser is still there. What cannot be ended is logged."""
        await self._tasks.close()
        try:
            await self.stop_videos() if self._videos else ()
        except (RoveError, OSError):
            log.exception("a video of the session %s could not be ended", self._session.name)

    async def _new_file(self, name: str | None) -> tuple[Path, int]:
        workspace = Workspace(self._session.settings.workspace_folder)
        wanted = name or self._session.name
        try:
            return await asyncio.to_thread(workspace.create, FOLDER, wanted.removesuffix(".webm") + ".webm")
        except OSError as error:
            raise unwritable(workspace.root, error) from error


def with_recordings(settings: Settings, video: bool = False, har: bool = False) -> Settings:
    """Return settings that record this too. Raises Unsupported if a video is to be recorded and cannot be encoded."""
    recording = settings.recording
    if video or recording.video:
        require_encoder()
    return replace(settings, recording=replace(recording, video=video or recording.video, har=har or recording.har))
