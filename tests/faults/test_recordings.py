"""Recordings of a rove, or of a browser, that is killed."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import av
import pytest
from tests.processes import browser_of, eventually
from tests.rove_process import LONG_TIMEOUT, call, start_with_page, temporary_rove_home
from tests.site import Site
from tests.videos import encoders_of, pictures


def is_recorded(folder: Path) -> bool:
    files = [*folder.glob("videos/*.webm")]
    return bool(files) and bool(pictures(files[0]))


@pytest.mark.slow
def test_a_video_is_complete_and_its_encoder_gone_after_rove_was_killed(site: Site) -> None:
    with temporary_rove_home() as home:
        workspace = home.home / "workspace"
        server = start_with_page(home, site, CAPTURE_VIDEO="true", CAPTURE_HAR="true")
        assert eventually(lambda: is_recorded(workspace), LONG_TIMEOUT)
        (path,) = workspace.glob("videos/*.webm")
        assert encoders_of(str(path))
        server.kill()
        server.wait()
        assert eventually(lambda: not encoders_of(str(path)), LONG_TIMEOUT)
        with av.open(str(path)) as video:
            assert video.duration  # which is written last
        (har,) = workspace.glob("har/*.har")
        assert json.loads(har.read_text("utf-8"))["log"]["entries"]
        home.assert_clean()


@pytest.mark.slow
def test_a_video_goes_on_after_the_browser_was_killed(site: Site) -> None:
    with temporary_rove_home() as home:
        workspace = home.home / "workspace"
        server = start_with_page(home, site, CAPTURE_VIDEO="true")
        assert eventually(lambda: is_recorded(workspace), LONG_TIMEOUT)
        (path,) = workspace.glob("videos/*.webm")
        os.kill(browser_of(home.home), signal.SIGKILL)
        call(server, "browser_navigate", url=site.page("/after", "<body style='background: green'>"))
        call(server, "browser_navigate", url=site.url("/after"))
        before = pictures(path)[-1].at
        assert eventually(lambda: pictures(path)[-1].middle[1] > 100 > pictures(path)[-1].middle[0], LONG_TIMEOUT)
        assert pictures(path)[-1].at > before
        began = time.monotonic()
        server.terminate()
        server.wait(LONG_TIMEOUT)
        assert time.monotonic() - began < LONG_TIMEOUT
        assert len([*workspace.glob("videos/*.webm")]) == 1 and not encoders_of(str(path))
