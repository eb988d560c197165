"""Videos and HAR files of one session: those that the settings ask for, and videos that an agent or a user starts."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rove.engine.live_view import LiveView, ViewedSession
from rove.engine.people import Driver
from rove.errors import InvalidArguments, LimitReached, NotOpen, RoveError, unwritable
from rove.page_text import Own
from rove.settings.tree import Settings
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.browser.sessions import VideoFacts
    from rove.browser.shared.context import Context
    from rove.browser.shared.tab import Tab
    from rove.engine.har_recorder import HarRecorder
    from rove.engine.videos.recorder import VideoRecorder

log = logging.getLogger(__name__)
VIDEO_FOLDER = "videos"
HAR_FOLDER = "har"
MAX_VIDEOS = 4
# JPEG, before the encoder: higher quality costs the browser more than it adds to a video.
QUALITY = 80


class RecordedSession(ViewedSession, Protocol):
    """A session that can be recorded."""

    name: str
    settings: Settings
    driver: Driver

    def may_read(self, url: str, /) -> bool:
        """Whether the agent may be shown a page at this address."""
        ...


class Captures:
    """Starts videos and HAR files, and ends all of them with the session."""

    def __init__(self, session: RecordedSession, context: Callable[[], Context | None]) -> None:
        self._session = session
        self._context = context
        self._videos: list[VideoRecorder] = []
        self._har: HarRecorder | None = None
        self._has_begun = False

    async def begin(self) -> None:
        """Start what the settings ask for, once, when the session has its first page."""
        if self._has_begun:
            return
        self._has_begun = True
        if self._session.settings.capture.har:
            await self._start_har()
        if self._session.settings.capture.video:
            await self.start_video(None, None)

    async def start_video(self, name: str | None, tab: str | None) -> Own:
        """Record a tab, or whichever is current; return the path of the file."""
        if len(self._videos) >= MAX_VIDEOS:
            raise LimitReached(
                f"{MAX_VIDEOS} videos of this session are being recorded.", hint="End them with {stop_video}."
            )
        if tab is not None and self._find_tab(tab) is None:
            raise NotOpen(f"There is no tab {tab}.", hint="List {tabs}, or leave `tab` out to record the current one.")
        from rove.engine.videos.encoder import Encoder, require_encoder
        from rove.engine.videos.frame_stream import Limits
        from rove.engine.videos.recorder import VideoRecorder  # few sessions are recorded

        require_encoder()
        settings = self._session.settings.capture
        limits = Limits(settings.video_minutes * 60, settings.video_megabytes * 1_000_000, settings.video_width)
        encoder = Encoder(*await self._new_file(VIDEO_FOLDER, name, ".webm"), limits)
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
    def files(self) -> tuple[Own, ...]:
        """The files that are being written."""
        videos = (video.path for video in self._videos if not video.is_over)
        return (*videos, *([self._har.path] if self._har else []))

    async def close(self) -> None:
        """End each of them, while the browser is still there. What cannot be ended is logged."""
        har, self._har = self._har, None
        try:
            await self.stop_videos() if self._videos else ()
            await har.stop() if har is not None else None
        except (RoveError, OSError):
            log.exception("a video or HAR file of the session %s could not be ended", self._session.name)

    async def _start_har(self) -> None:
        from rove.engine.har_recorder import HarRecorder  # few sessions are recorded
        from rove.recordings.har import HarArchive

        path, descriptor = await self._new_file(HAR_FOLDER, None, ".har")
        settings = self._session.settings.capture
        archive = HarArchive(descriptor, settings.har_megabytes * 1_000_000)
        max_body = settings.har_body_kilobytes * 1024 if settings.har_bodies else 0
        self._har = HarRecorder(path, archive, self._tabs, self._session.changed, max_body)
        self._har.start()

    def _tabs(self) -> Sequence[Tab]:
        context = self._context()
        return context.tabs if context is not None else ()

    def _find_tab(self, name: str | None) -> Tab | None:
        """Return a tab, or the current one; None if it is not open."""
        context = self._context()
        if context is None or name is None:
            return context.current if context is not None else None
        return next((tab for tab in context.tabs if tab.id == name), None)

    async def _new_file(self, folder: str, name: str | None, ending: str) -> tuple[Path, int]:
        workspace = Workspace(self._session.settings.workspace_folder)
        wanted = (name or self._session.name).removesuffix(ending) + ending
        try:
            return await asyncio.to_thread(workspace.create, folder, wanted)
        except OSError as error:
            raise unwritable(workspace.root, error) from error


def with_captures(settings: Settings, video: bool = False, har: bool = False) -> Settings:
    """Return settings that record this too. Raises Unsupported if a video is to be recorded and cannot be encoded."""
    capture = settings.capture
    if video or capture.video:
        from rove.engine.videos.encoder import require_encoder

        require_encoder()
    return replace(settings, capture=replace(capture, video=video or capture.video, har=har or capture.har))
