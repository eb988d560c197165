"""Videos of a session."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest
from tests.site import Site
from tests.videos import BLUE, GREEN, RED, encoders_of, pictures, recorded

from rove import Session
from rove.errors import InvalidArguments, NotOpen, Unsupported
from rove.settings.tree import Settings

pytestmark = pytest.mark.one_session


def coloured(site: Site, colour: str) -> str:
    return site.page(f"/{colour}", f"<title>{colour}</title><body style='background: {colour}'>")


async def test_a_video_shows_each_page_and_tab_at_its_moment_and_survives_a_new_size(
    session: Session, site: Site, settings: Settings
) -> None:
    await session.navigate(coloured(site, "red"))
    earliest = time.monotonic()
    path = (await session.start_video(name="../tour")).result.path
    began = time.monotonic()
    assert Path(path).parent == settings.workspace_folder / "videos" and path.endswith("tour.webm")
    red = await recorded(path, lambda shown: shown.is_(RED))
    assert "recording to" in str((await session.status()).result)
    await session.navigate(coloured(site, "green"))
    green = await recorded(path, lambda shown: shown.is_(GREEN))
    await session.tabs("new", url=coloured(site, "blue"))
    await session.resize(600, 800)
    blue = await recorded(path, lambda shown: shown.is_(BLUE) and shown.has_border())
    ended = time.monotonic()
    (video,) = (await session.stop_video()).result.videos
    assert red.at < green.at < blue.at and red.size == blue.size == (video.width, video.height) == (1280, 720)
    # What the page at rest showed last is shown until the end.
    assert ended - began - 0.1 <= video.seconds <= time.monotonic() - earliest
    shown = pictures(path)
    assert shown[-1].at == pytest.approx(video.seconds, abs=0.1) and shown[0].is_(RED)
    assert video.problem == "" and video.withheld == 0 and video.size == Path(path).stat().st_size


async def test_what_was_recorded_until_the_encoder_died_is_playable(session: Session, site: Site) -> None:
    await session.navigate(coloured(site, "green"))
    path = (await session.start_video()).result.path
    await recorded(path, lambda shown: shown.is_(GREEN))
    (encoder,) = encoders_of(path)
    os.kill(encoder, signal.SIGKILL)
    (video,) = (await session.stop_video()).result.videos
    assert "too early" in video.problem
    assert pictures(path)[-1].is_(GREEN)


async def test_a_video_of_a_tab_that_is_not_there_and_the_end_of_none_are_refused(session: Session) -> None:
    with pytest.raises(NotOpen):
        await session.start_video(tab="t99")
    with pytest.raises(InvalidArguments):
        await session.stop_video()


async def test_without_the_encoder_the_error_says_what_to_install(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(Unsupported) as refused:
        await session.start_video()
    assert "rove[video]" in refused.value.hint
