"""Writing WebM files."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image
from tests.videos import GREEN, RED, pictures

from rove.engine.videos.__main__ import WebmFile
from rove.engine.videos.frame_stream import Encoded, Limits, packed, read_picture

NO_LIMITS = Limits(seconds=600, size=100_000_000, width=1280)


def jpeg(colour: str, size: tuple[int, int] = (321, 201)) -> bytes:
    data = io.BytesIO()
    Image.new("RGB", size, colour).save(data, "JPEG")
    return data.getvalue()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "video.webm"


def test_pictures_are_shown_from_their_moments_on_in_the_size_of_the_first(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        video = WebmFile(file, NO_LIMITS)
        video.add(-0.2, jpeg("green"))
        video.add(2.5, jpeg("red", (200, 400)))
        video.add(2.5, jpeg("red", (200, 400)))
        video.add(7.25, b"")
        encoded = video.close()
    assert encoded == Encoded(7.25, 3, 320, 200)
    shown = pictures(path)
    assert [round(each.at, 3) for each in shown] == [0, 2.5, 2.501, 7.25]
    assert shown[0].is_(GREEN) and not shown[0].has_border()
    assert shown[1].is_(RED) and shown[1].has_border() and shown[1].size == (320, 200)


def test_a_wide_picture_is_scaled_down(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        video = WebmFile(file, Limits(600, 100_000_000, 640))
        video.add(0, jpeg("green", (1920, 1080)))
        encoded = video.close()
    assert (encoded.width, encoded.height) == (640, 360)


@pytest.mark.parametrize("limits", [Limits(3, 100_000_000, 1280), Limits(600, 220_000, 1280)])
def test_a_video_ends_at_its_longest_and_its_largest(path: Path, limits: Limits) -> None:
    with path.open("wb", buffering=0) as file:
        video = WebmFile(file, limits)
        for second in range(400):
            noise = io.BytesIO()
            Image.effect_noise((320, 200), 90 + second % 7).convert("RGB").save(noise, "JPEG")
            video.add(float(second), noise.getvalue())
            if video.is_full:
                break
        encoded = video.close()
    assert encoded.is_full and encoded.seconds < limits.seconds and path.stat().st_size <= limits.size
    assert pictures(path)[-1].at == encoded.seconds


def test_a_video_without_pictures_is_an_empty_file(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        video = WebmFile(file, NO_LIMITS)
        video.add(1, b"")
        assert video.close() == Encoded()


def test_a_picture_that_was_sent_in_part_ends_the_stream() -> None:
    whole = packed(1.5, b"abc") + packed(2.5, b"")
    assert read_picture(io.BytesIO(whole)) == (1.5, b"abc")
    stream = io.BytesIO(whole + packed(3.5, b"defg")[:-1])
    assert [read_picture(stream) for _ in range(3)] == [(1.5, b"abc"), (2.5, b""), None]
