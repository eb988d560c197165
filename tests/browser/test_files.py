"""G7: Downloads land in the workspace; uploads come from it and from nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.site import Site

from rove import Session
from rove.errors import Denied, ElementNotReady, InvalidArguments
from rove.settings.tree import Settings

pytestmark = pytest.mark.one_session

INPUT = (
    "<input type=file id=f multiple onchange=\"o.textContent = [...f.files].map(f => f.name + ':' + f.size)\">"
    "<p id=o></p>"
)


@pytest.fixture
def workspace(settings: Settings) -> Path:
    folder = settings.workspace_folder
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def serve_attachment(site: Site, name: str) -> str:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return site.page("/file", "content", kind="application/octet-stream", headers=headers)


async def test_a_download_is_reported_by_the_action_that_started_it(
    session: Session, site: Site, workspace: Path
) -> None:
    serve_attachment(site, "report.csv")
    await session.navigate(site.page("/", '<a href="/file">Get</a>'))
    outcome = await session.click('link "Get"')
    (event,) = [event for event in outcome.events if event.kind == "download"]
    path = Path(event.text.rpartition(" (")[0])
    assert path.parent == workspace / "downloads"
    assert path.read_text() == "content"
    assert outcome.url == site.url("/")


async def test_navigating_to_a_download_keeps_the_page(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<h1>Here</h1>"))
    outcome = await session.navigate(serve_attachment(site, "a.bin"))
    assert [event.kind for event in outcome.events] == ["download"]
    assert outcome.url == site.url("/")
    download = outcome.result.download
    assert download is not None and download.path is not None
    assert (download.name, Path(download.path).read_text(), download.size) == (
        Path(download.path).name,
        "content",
        7,
    )
    assert (await session.navigate(site.url("/"))).result.download is None


async def test_the_same_download_twice_gets_two_names(session: Session, site: Site) -> None:
    serve_attachment(site, "twice.txt")
    await session.navigate(site.page("/", '<a href="/file">Get</a>'))
    names = {(await session.click('link "Get"')).events[0].text for _ in range(2)}
    assert len(names) == 2


@pytest.mark.parametrize("name", ["../../evil.sh", "/etc/passwd", "..", "a\\..\\b.txt", ".bashrc", "-rf", "x" * 400])
async def test_a_download_whose_name_is_a_path_is_saved_inside_the_folder(
    session: Session, site: Site, workspace: Path, name: str
) -> None:
    page = "<a id=a>Get</a><script>a.href = URL.createObjectURL(new Blob(['x'])); a.download = NAME</script>"
    await session.navigate(site.page("/", page.replace("NAME", repr(name))))
    outcome = await session.click("#a")
    (event,) = [event for event in outcome.events if event.kind == "download"]
    path = Path(event.text.rpartition(" (")[0])
    assert path.resolve().parent == (workspace / "downloads").resolve()
    assert not path.name.startswith((".", "-"))


async def test_a_file_goes_from_the_workspace_into_an_input(session: Session, site: Site, workspace: Path) -> None:
    (workspace / "in.txt").write_text("hello")
    await session.navigate(site.page("/", INPUT))
    outcome = await session.upload("#f", ("in.txt",))
    assert '"in.txt:5"' in outcome.changes.text


@pytest.mark.parametrize("target", ["#f", "#b"])
async def test_an_upload_fires_input_and_change_once(
    session: Session, site: Site, workspace: Path, target: str
) -> None:
    (workspace / "in.txt").write_text("hello")
    page = (
        "<input type=file id=f><button id=b onclick='f.click()'>Choose</button><p id=heard></p><script>"
        "for (const kind of ['input', 'change']) f.addEventListener(kind, () => heard.append(kind + ' '))</script>"
    )
    await session.navigate(site.page("/", page))
    await session.upload(target, ("in.txt",))
    assert (await session.extract("#heard")).result.content == ("input change",)


async def test_an_upload_without_files_clears_the_input(session: Session, site: Site, workspace: Path) -> None:
    (workspace / "in.txt").write_text("hello")
    await session.navigate(site.page("/", INPUT))
    await session.upload("#f", ("in.txt",))
    await session.upload("#f", ())
    assert (await session.evaluate("[f.files.length, o.textContent]")).result.value == [0, ""]


async def test_uploading_a_missing_file_says_that_it_is_missing(session: Session, site: Site, workspace: Path) -> None:
    await session.navigate(site.page("/", INPUT))
    with pytest.raises(InvalidArguments):
        await session.upload("#f", ("missing.txt",))


async def test_a_button_that_opens_a_chooser_takes_files(session: Session, site: Site, workspace: Path) -> None:
    (workspace / "in.txt").write_text("hello")
    await session.navigate(site.page("/", f'{INPUT}<button onclick="f.click()">Choose</button>'))
    outcome = await session.upload('button "Choose"', (str(workspace / "in.txt"),))
    assert '"in.txt:5"' in outcome.changes.text


async def test_files_can_be_dropped(session: Session, site: Site, workspace: Path) -> None:
    (workspace / "in.txt").write_text("hello")
    zone = (
        "<div id=z style='height:99px' ondragover='event.preventDefault()' "
        'ondrop="event.preventDefault(); event.dataTransfer.files[0].text().then(t => z.textContent = t)">Here</div>'
    )
    await session.navigate(site.page("/", zone))
    outcome = await session.upload("#z", ("in.txt",), drop=True)
    assert '"hello"' in outcome.changes.text


@pytest.mark.parametrize("path", ["../outside.txt", "/etc/passwd", "link.txt", "folder/../../x", "pipe", "folder", ""])
async def test_files_outside_the_workspace_are_not_uploaded(
    session: Session, site: Site, workspace: Path, path: str
) -> None:
    import os

    (workspace / "folder").mkdir(exist_ok=True)
    if not (workspace / "link.txt").is_symlink():
        (workspace / "link.txt").symlink_to("/etc/passwd")
        os.mkfifo(workspace / "pipe")
    await session.navigate(site.page("/", INPUT))
    with pytest.raises(Denied):
        await session.upload("#f", (path,))


async def test_uploading_to_an_element_that_takes_no_files_is_an_error(
    session: Session, site: Site, workspace: Path
) -> None:
    (workspace / "in.txt").write_text("hello")
    await session.navigate(site.page("/", "<p>Just text</p>"))
    with pytest.raises(ElementNotReady):
        await session.upload("p", ("in.txt",))
