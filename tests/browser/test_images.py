"""Images of the workspace: which formats are read, how large ones are scaled, and which files are refused."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pillow_heif
import pytest
from PIL import Image

from rove import Session, Settings
from rove.engine.sessions import Sessions
from rove.errors import Denied, InvalidArguments
from rove.toolsets.outcome_text import as_text

MIME = {"png": "image/png", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("images") / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
async def reader(workspace: Path) -> AsyncGenerator[Session]:
    """A session without a browser: starting one would fail."""
    home = workspace.parent
    settings = Settings(home=home, workspace=workspace, browser=home / "no-browser", fetch_browser=False)
    async with Sessions(settings) as sessions:
        yield Session(sessions, None)


def picture(path: Path, kind: str, size: tuple[int, int] = (40, 20), mode: str = "RGB") -> str:
    Image.new(mode, size, (255, 0, 0)[: len(mode)]).save(path, kind)
    return path.name


@pytest.mark.parametrize("kind", MIME)
async def test_an_image_is_returned_as_it_is(reader: Session, workspace: Path, kind: str) -> None:
    name = picture(workspace / f"photo.{kind}", kind)
    outcome = await reader.read_image(name)
    (image,) = outcome.attachments
    assert (image.mime, image.data) == (MIME[kind], (workspace / name).read_bytes())
    # On some engines the first answer of a session has a notice too.
    assert as_text(replace(outcome, events=())) == f"Image from {name} (type: {MIME[kind]}), 40 x 20."


async def test_the_format_is_that_of_the_contents_not_of_the_name(reader: Session, workspace: Path) -> None:
    picture(workspace / "photo.png", "jpeg")
    assert (await reader.read_image(str(workspace / "photo.png"))).result.type == "image/jpeg"


@pytest.mark.parametrize(("mode", "mime"), [("RGB", "image/jpeg"), ("RGBA", "image/png")])
async def test_heic_is_converted(reader: Session, workspace: Path, mode: str, mime: str) -> None:
    pillow_heif.from_pillow(Image.new(mode, (64, 64), (0, 255, 0, 100)[: len(mode)])).save(workspace / "phone.heic")
    (image,) = (await reader.read_image("phone.heic")).attachments
    assert image.mime == mime
    assert Image.open(io.BytesIO(image.data)).size == (64, 64)


@pytest.mark.parametrize("kind", MIME)
async def test_a_large_image_is_scaled_down(reader: Session, workspace: Path, kind: str) -> None:
    name = picture(workspace / f"wide.{kind}", kind, (2000, 500))
    outcome = await reader.read_image(name)
    assert (outcome.result.width, outcome.result.height) == (1568, 392)
    small = (await reader.read_image(name, max_side=100)).attachments[0]
    assert (Image.open(io.BytesIO(small.data)).size, small.mime) == ((100, 25), MIME[kind])


async def test_a_file_that_is_missing_or_outside_is_not_found(reader: Session, workspace: Path) -> None:
    picture(workspace.parent / "outside.png", "png")
    (workspace / "link.png").symlink_to(workspace.parent / "outside.png")
    with pytest.raises(InvalidArguments) as missing:
        await reader.read_image("no.png")
    assert missing.value.message == "Image file not found: no.png"
    for path in (str(workspace.parent / "outside.png"), "/no/such.png", "../outside.png"):
        with pytest.raises(Denied) as outside:
            await reader.read_image(path)
        assert outside.value.message == f"Image file not found: {path}"
        assert "Only images in the workspace" in outside.value.hint
    with pytest.raises(Denied):
        await reader.read_image("link.png")


@pytest.mark.parametrize(
    "data", [b"", b"no picture", b"\x89PNG\r\n\x1a\nbroken", b"<svg xmlns='http://www.w3.org/2000/svg'/>"]
)
async def test_what_is_no_image_is_refused(reader: Session, workspace: Path, data: bytes) -> None:
    (workspace / "file.png").write_bytes(data)
    with pytest.raises(InvalidArguments) as caught:
        await reader.read_image("file.png")
    assert caught.value.message == "file.png is not an image that can be read."


async def test_an_image_with_too_many_pixels_is_refused(reader: Session, workspace: Path) -> None:
    header = b"IHDR" + struct.pack(">IIBBBBB", 20_000, 20_000, 1, 0, 0, 0, 0)
    chunks = b"".join(
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) for chunk in (header, b"IDAT")
    )
    (workspace / "bomb.png").write_bytes(b"\x89PNG\r\n\x1a\n" + chunks)
    with pytest.raises(InvalidArguments) as caught:
        await reader.read_image("bomb.png")
    assert caught.value.message == "bomb.png has too many pixels."
