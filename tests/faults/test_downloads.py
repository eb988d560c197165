"""G7: Downloads that never end and uploads that change: the workspace gets complete files, or none."""

from __future__ import annotations

import errno
import io
import threading
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.faults.recovery_checks import answered_within, assert_next_page_loads, event_kinds, event_text, eventually
from tests.faults.servers import sending, sending_slowly, serving
from tests.site import OWN_SITES, Site

from rove import Session
from rove.actions.files import Upload
from rove.actions.input import Click
from rove.actions.navigation import Navigate
from rove.engine.sessions import Sessions
from rove.errors import InvalidArguments, RoveError
from rove.settings.tree import Deadlines, Limits, Settings

# The whole run must stay short; `make test-all` runs these too.
pytestmark = pytest.mark.slow

MAX_DOWNLOADS = 4
FILE = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
    b"Content-Disposition: attachment; filename=big.bin\r\n"
)
INPUT = """<input type=file id=f onchange="o.textContent = 'has ' + f.files[0].size"><p id=o></p>"""


class FileSession:
    """A session with low limits on files, and the folders that it writes to."""

    def __init__(self, session: Session, home: Path) -> None:
        self.session = session
        self.workspace = home / "workspace"
        self._run = home / "run"

    def downloads(self) -> list[Path]:
        return sorted((self.workspace / "downloads").glob("*"))

    def temporary_files(self) -> list[Path]:
        """Return unfinished downloads and copies of uploads that were not deleted."""
        folders = (*self._run.glob("*/downloads-*"), *self._run.glob("*/uploads-*"))
        return [file for folder in folders for file in folder.rglob("*") if file.is_file()]


@pytest.fixture
async def files(home: Path, tmp_path: Path) -> AsyncGenerator[FileSession]:
    folder = home / f"files-{tmp_path.name[-20:]}"
    limits = Limits(download_megabytes=1, downloads=MAX_DOWNLOADS, upload_megabytes=1)
    async with Sessions(
        Settings(allow_host=OWN_SITES, home=folder, deadlines=Deadlines(launch=60), limits=limits)
    ) as sessions:
        (folder / "workspace").mkdir(parents=True, exist_ok=True)
        yield FileSession(Session(sessions, None), folder)


async def test_41_an_endless_download_and_one_of_ten_gigabytes_are_cancelled(files: FileSession, site: Site) -> None:
    await files.session.navigate(site.page("/", "<h1>Here</h1>"))
    huge = FILE + b"Content-Length: 10000000000\r\n"
    for head in (FILE, huge):
        async with serving(sending_slowly(b"", b"x" * 65536, head)) as place:
            with answered_within(10):
                outcome = await files.session.run(Navigate(f"http://{place}/"), timeout=10)
        assert event_text(outcome, "download broken off") == "big.bin: larger than 1 MB"
        assert outcome.url == site.url("/")
    assert files.downloads() == []
    await eventually(lambda: files.temporary_files() == [])
    await assert_next_page_loads(files.session, site)


async def test_41_a_flood_of_downloads_is_limited_and_reported_once(files: FileSession, site: Site) -> None:
    headers = {"Content-Disposition": "attachment; filename=f.txt"}
    site.page("/f", "content", kind="text/plain", headers=headers)
    frames = "".join(f"<iframe src=/f?{number}></iframe>" for number in range(40))
    with answered_within(10):
        outcome = await files.session.run(Navigate(site.page("/", f"<h1>Flood</h1>{frames}")), timeout=10)
    await assert_next_page_loads(files.session, site)
    await eventually(lambda: len(files.downloads()) == MAX_DOWNLOADS)
    assert event_kinds(outcome).count("download") <= MAX_DOWNLOADS
    assert event_kinds(outcome).count("download refused") <= 1
    # The limit counts for the whole session, so another page gets no more downloads.
    again = await files.session.run(Navigate(site.url("/f")), timeout=5)
    assert "download" not in event_kinds(again)
    assert len(files.downloads()) == MAX_DOWNLOADS
    await assert_next_page_loads(files.session, site)


async def test_43_downloads_by_header_data_url_and_blob_are_each_saved_once_under_their_own_name(
    files: FileSession, site: Site
) -> None:
    headers = {"Content-Disposition": "attachment; filename=same.txt"}
    site.page("/f", "content", kind="text/plain", headers=headers)
    page = """<a href=/f>Header</a> <a download=same.txt href="data:text/plain,content">Data</a>
      <a id=b download=same.txt>Blob</a><script>
      b.href = window.URL.createObjectURL(new Blob(['content']))</script>"""
    await files.session.navigate(site.page("/", page))
    names: list[str] = []
    for link in ("Header", "Data", "Blob"):
        names.append(event_text(await files.session.run(Click(f'link "{link}"'), timeout=10), "download"))
    names.append(event_text(await files.session.run(Navigate(site.url("/f")), timeout=10), "download"))
    assert len(set(names)) == 4 == len(files.downloads())
    assert {file.read_text() for file in files.downloads()} == {"content"}
    assert files.temporary_files() == []


async def test_44_an_unfinished_download_leaves_no_file_when_the_session_closes(files: FileSession, site: Site) -> None:
    async with serving(sending_slowly(b"", b"x", FILE)) as place:
        await files.session.navigate(site.page("/", f"<h1>Here</h1><a href=http://{place}/>Get</a>"))
        with answered_within(2):
            outcome = await files.session.run(Click("a"), timeout=2)
        assert outcome.pending == ("a download",)
        # A download in the background does not delay other calls.
        with answered_within(2):
            assert (await assert_next_page_loads(files.session, site)).pending == ()
        assert files.temporary_files() != []
        with answered_within(5):
            await files.session.close_session()
        await eventually(lambda: files.temporary_files() == [])
    assert files.downloads() == []
    await assert_next_page_loads(files.session, site)


@pytest.mark.parametrize(
    "head", [FILE + b"Content-Length: 200000\r\n", FILE + b"Transfer-Encoding: chunked\r\n"], ids=["length", "chunked"]
)
async def test_44_a_download_that_breaks_off_leaves_no_file(files: FileSession, site: Site, head: bytes) -> None:
    body = b"x" * 1000 if b"Length" in head else b"3e8\r\n" + b"x" * 1000 + b"\r\n"
    async with serving(sending(body, head)) as place:
        await files.session.navigate(site.page("/", f"<h1>Here</h1><a href=http://{place}/>Get</a>"))
        outcome = await files.session.run(Click("a"), timeout=10)
        assert "download" not in event_kinds(outcome)
    assert files.downloads() == []


async def test_44_a_download_that_cannot_be_copied_leaves_no_file(
    files: FileSession, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full after the first chunk: the file must not be there, cut, under its name."""

    def full_disk(self: Path, mode: str = "r") -> FullDisk:
        return FullDisk()

    headers = {"Content-Disposition": "attachment; filename=f.txt"}
    site.page("/f", "content", kind="text/plain", headers=headers)
    await files.session.navigate(site.page("/", "<a href=/f>Get</a>"))
    monkeypatch.setattr(Path, "open", full_disk)
    outcome = await files.session.run(Click("a"), timeout=10)
    assert "No space left" in event_text(outcome, "download failed")
    assert files.downloads() == []


class FullDisk(io.BytesIO):
    """A file that can be read for one chunk."""

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell():
            raise OSError(errno.ENOSPC, "No space left on device")
        self.seek(1)
        return b"x" * 1000


async def test_44_navigating_to_a_slow_download_reports_it_as_pending(files: FileSession, site: Site) -> None:
    async with serving(sending_slowly(b"", b"x", FILE)) as place:
        await files.session.navigate(site.page("/", "<h1>Here</h1>"))
        with answered_within(2):
            outcome = await files.session.run(Navigate(f"http://{place}/"), timeout=2)
        assert "a download" in outcome.pending


async def test_45_a_file_chooser_that_a_page_opens_is_reported_and_blocks_nothing(
    files: FileSession, site: Site
) -> None:
    (files.workspace / "in.txt").write_text("hello")
    await files.session.navigate(site.page("/", f'{INPUT}<button onclick="f.click()">Choose</button>'))
    with answered_within(5):
        outcome = await files.session.run(Click("button"), timeout=5)
    assert event_kinds(outcome) == ["file chooser"]
    await assert_next_page_loads(files.session, site)


async def test_46_uploading_a_missing_or_too_large_file_is_refused(files: FileSession, site: Site) -> None:
    with (files.workspace / "large.bin").open("wb") as large:
        large.truncate(2**20 + 1)
    await files.session.navigate(site.page("/", INPUT))
    with answered_within(5), pytest.raises(InvalidArguments):
        await files.session.run(Upload("#f", ("missing.txt",)), timeout=5)
    with answered_within(5), pytest.raises(InvalidArguments) as caught:
        await files.session.run(Upload("#f", ("large.bin",)), timeout=5)
    assert "larger than the 1 MB" in caught.value.message
    assert files.temporary_files() == []


async def test_46_a_file_that_changes_while_it_is_read_is_refused_or_uploaded_complete(
    files: FileSession, site: Site
) -> None:
    await files.session.navigate(site.page("/", INPUT))
    file = files.workspace / "log.txt"
    file.write_bytes(b"x" * 2**19)
    done = threading.Event()

    def write() -> None:
        while not done.is_set():
            with file.open("r+b") as changing:
                changing.write(b"y")

    writing = threading.Thread(target=write)
    writing.start()
    refused = 0
    try:
        for _ in range(100):
            if refused:
                break  # each attempt reads the file between two writes, or not, as the machine has time
            try:
                await files.session.run(Upload("#f", ("log.txt",)), timeout=5)
            except RoveError as error:
                assert isinstance(error, InvalidArguments) and "changed while it was read" in error.message
                refused += 1
    finally:
        done.set()
        writing.join()
    assert refused > 0
    await files.session.run(Upload("#f", ("log.txt",)), timeout=5)
    assert (await files.session.extract("#o")).result.content == (f"has {2**19}",)


async def test_46_copies_of_uploaded_files_are_deleted_with_the_session(files: FileSession, site: Site) -> None:
    (files.workspace / "in.txt").write_text("hello")
    await files.session.navigate(site.page("/", INPUT))
    await files.session.upload("#f", ("in.txt",))
    assert files.temporary_files() != []
    await files.session.close_session()
    assert files.temporary_files() == []
