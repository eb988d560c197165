"""G7: Files that never end, never come or are not what they were: into the workspace whole, or not at all."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.faults.servers import dribbling, serving
from tests.faults.survival import answered_within, eventually, goes_on, kinds, told
from tests.site import OWN_SITES, Site

from rove import Session
from rove.actions.files import Upload
from rove.actions.navigation import Navigate
from rove.actions.pointer import Click
from rove.engine.sessions.sessions import Sessions
from rove.errors import InvalidArguments, RoveError
from rove.settings import Deadlines, Limits, Settings

MOST = 4
FILE = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
    b"Content-Disposition: attachment; filename=big.bin\r\n"
)
INPUT = """<input type=file id=f onchange="o.textContent = 'has ' + f.files[0].size"><p id=o></p>"""


class House:
    """A session of its own with little room for files, and where it keeps them."""

    def __init__(self, session: Session, home: Path) -> None:
        self.session = session
        self.workspace = home / "workspace"
        self._run = home / "run"

    def kept(self) -> list[Path]:
        return sorted((self.workspace / "downloads").glob("*"))

    def scraps(self) -> list[Path]:
        """What is still lying about of files that were not kept, or of copies that were made."""
        folders = (*self._run.glob("*/downloads-*"), *self._run.glob("*/uploads-*"))
        return [file for folder in folders for file in folder.rglob("*") if file.is_file()]


@pytest.fixture
async def house(home: Path, tmp_path: Path) -> AsyncGenerator[House]:
    folder = home / f"files-{tmp_path.name[-20:]}"
    limits = Limits(download_megabytes=1, downloads=MOST, upload_megabytes=1)
    async with Sessions(
        Settings(allow_host=OWN_SITES, home=folder, deadlines=Deadlines(launch=60), limits=limits)
    ) as sessions:
        (folder / "workspace").mkdir(parents=True, exist_ok=True)
        yield House(Session(sessions, None), folder)


async def test_41_a_file_without_end_and_one_of_ten_gigabytes_are_broken_off(house: House, site: Site) -> None:
    await house.session.navigate(site.page("/", "<h1>Here</h1>"))
    huge = FILE + b"Content-Length: 10000000000\r\n"
    for head in (FILE, huge):
        async with serving(dribbling(b"", b"x" * 65536, head)) as place:
            with answered_within(10):
                outcome = await house.session.run(Navigate(f"http://{place}/"), timeout=10)
        assert told(outcome, "download broken off") == "big.bin: larger than 1 MB"
        assert outcome.url == site.url("/")
    assert house.kept() == []
    await eventually(lambda: house.scraps() == [])
    await goes_on(house.session, site)


async def test_41_a_flood_of_files_is_cut_off_and_told_once(house: House, site: Site) -> None:
    headers = {"Content-Disposition": "attachment; filename=f.txt"}
    site.page("/f", "content", kind="text/plain", headers=headers)
    frames = "".join(f"<iframe src=/f?{number}></iframe>" for number in range(40))
    with answered_within(10):
        outcome = await house.session.run(Navigate(site.page("/", f"<h1>Flood</h1>{frames}")), timeout=10)
    await goes_on(house.session, site)
    await eventually(lambda: len(house.kept()) == MOST)
    assert kinds(outcome).count("download") <= MOST
    assert kinds(outcome).count("download refused") <= 1
    # The limit is the session's: another page gets no more of them.
    again = await house.session.run(Navigate(site.url("/f")), timeout=5)
    assert "download" not in kinds(again)
    assert len(house.kept()) == MOST
    await goes_on(house.session, site)


async def test_43_however_a_file_comes_it_is_kept_once_under_a_name_of_its_own(house: House, site: Site) -> None:
    headers = {"Content-Disposition": "attachment; filename=same.txt"}
    site.page("/f", "content", kind="text/plain", headers=headers)
    page = """<a href=/f>Header</a> <a download=same.txt href="data:text/plain,content">Data</a>
      <a id=b download=same.txt>Blob</a><script>
      b.href = window.URL.createObjectURL(new Blob(['content']))</script>"""
    await house.session.navigate(site.page("/", page))
    names: list[str] = []
    for link in ("Header", "Data", "Blob"):
        names.append(told(await house.session.run(Click(f'link "{link}"'), timeout=10), "download"))
    names.append(told(await house.session.run(Navigate(site.url("/f")), timeout=10), "download"))
    assert len(set(names)) == 4 == len(house.kept())
    assert {file.read_text() for file in house.kept()} == {"content"}
    assert house.scraps() == []


async def test_44_a_file_still_on_its_way_when_the_session_closes_leaves_nothing(house: House, site: Site) -> None:
    async with serving(dribbling(b"", b"x", FILE)) as place:
        await house.session.navigate(site.page("/", f"<h1>Here</h1><a href=http://{place}/>Get</a>"))
        with answered_within(2):
            outcome = await house.session.run(Click("a"), timeout=2)
        assert outcome.pending == ("a download",)
        # What goes on in the background holds nothing else up.
        with answered_within(2):
            assert (await goes_on(house.session, site)).pending == ()
        assert house.scraps() != []
        with answered_within(5):
            await house.session.close_session()
        await eventually(lambda: house.scraps() == [])
    assert house.kept() == []
    await goes_on(house.session, site)


async def test_44_an_address_that_is_a_slow_file_is_said_to_be_on_its_way(house: House, site: Site) -> None:
    async with serving(dribbling(b"", b"x", FILE)) as place:
        await house.session.navigate(site.page("/", "<h1>Here</h1>"))
        with answered_within(2):
            outcome = await house.session.run(Navigate(f"http://{place}/"), timeout=2)
        assert "a download" in outcome.pending


async def test_45_a_chooser_that_a_page_opens_is_told_and_holds_nothing_up(house: House, site: Site) -> None:
    (house.workspace / "in.txt").write_text("hello")
    await house.session.navigate(site.page("/", f'{INPUT}<button onclick="f.click()">Choose</button>'))
    with answered_within(5):
        outcome = await house.session.run(Click("button"), timeout=5)
    assert kinds(outcome) == ["file chooser"]
    await goes_on(house.session, site)


async def test_46_a_file_that_is_missing_or_too_large_is_refused(house: House, site: Site) -> None:
    with (house.workspace / "large.bin").open("wb") as large:
        large.truncate(2**20 + 1)
    await house.session.navigate(site.page("/", INPUT))
    with answered_within(5), pytest.raises(InvalidArguments):
        await house.session.run(Upload("#f", ("missing.txt",)), timeout=5)
    with answered_within(5), pytest.raises(InvalidArguments) as caught:
        await house.session.run(Upload("#f", ("large.bin",)), timeout=5)
    assert "larger than the 1 MB" in caught.value.message
    assert house.scraps() == []


async def test_46_a_file_that_changes_while_it_is_read_is_refused_or_sent_whole(house: House, site: Site) -> None:
    await house.session.navigate(site.page("/", INPUT))
    file = house.workspace / "log.txt"
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
        for _ in range(5):
            try:
                await house.session.run(Upload("#f", ("log.txt",)), timeout=5)
            except RoveError as error:
                assert isinstance(error, InvalidArguments) and "changed while it was read" in error.message
                refused += 1
    finally:
        done.set()
        writing.join()
    assert refused > 0
    await house.session.run(Upload("#f", ("log.txt",)), timeout=5)
    assert (await house.session.extract("#o")).result.content == (f"has {2**19}",)


async def test_46_copies_of_what_was_uploaded_go_with_the_session(house: House, site: Site) -> None:
    (house.workspace / "in.txt").write_text("hello")
    await house.session.navigate(site.page("/", INPUT))
    await house.session.upload("#f", ("in.txt",))
    assert house.scraps() != []
    await house.session.close_session()
    assert house.scraps() == []
