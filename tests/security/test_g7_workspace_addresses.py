"""G7: `file:` addresses open files of the workspace if the settings say so, and nothing else by any way."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from tests.browser.test_devices import value
from tests.site import Site

from rove import Session
from rove.browser.network import WorkspaceFiles
from rove.engine.sessions import Sessions
from rove.errors import Denied, RoveError
from rove.settings.sections import EngineName, Guarding
from rove.settings.tree import Settings

SECRET = "top-secret-words"
# Every way that a page of a file has to load another file.
WAYS = """<iframe src='{0}'></iframe><object data='{0}'></object><embed src='{0}'><img src='{0}'>
<script src='{0}'></script><script type=module src='{0}'></script><link rel=stylesheet href='{0}'>
<link rel=prefetch href='{0}'><link rel=icon href='{0}'><video src='{0}'></video>
<script>
const told = (way, text) => document.body.append(`${{way}}: ${{text}}; `);
fetch('{0}').then(r => r.text()).then(text => told('fetch', text), () => told('fetch', 'failed'));
try {{ const x = new XMLHttpRequest(); x.open('GET', '{0}', false); x.send(); told('xhr', x.responseText); }}
catch {{ told('xhr', 'failed'); }}
try {{ new Worker('{0}'); }} catch {{ told('worker', 'failed'); }}
</script><a href='{0}' id=link>Link</a> <a href='{0}' download id=download>Download</a>
<button onclick="window.open('{0}')">Popup</button> <a href='inner/page.html' id=inside>Inside</a>"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with pages, beside a file that is not in it."""
    root = tmp_path_factory.mktemp("files")
    secret, folder = root / "secret.txt", root / "workspace"
    secret.write_text(SECRET)
    (folder / "inner").mkdir(parents=True)
    (folder / "page.html").write_text("<h1>Welcome</h1>" + WAYS.format(secret.as_uri()))
    (folder / "inner" / "page.html").write_text("<h1>Inner</h1><script src=../app.js></script>")
    (folder / "app.js").write_text("document.body.append('script ran')")
    (folder / "linked.txt").symlink_to(secret)
    (folder / "linked").symlink_to(root)
    os.mkfifo(folder / "pipe")
    return folder


@pytest.fixture(scope="module")
async def own(home: Path, settings: Settings, workspace: Path) -> AsyncGenerator[Session]:
    files = Guarding(files="workspace")
    async with Sessions(replace(settings, home=home / "files", workspace=workspace, guard=files)) as sessions:
        yield Session(sessions, None)


@pytest.mark.engines("chromium", reason="rove cannot read the files for the browser, so none is opened")
async def test_a_page_of_the_workspace_opens_with_what_is_beside_it(own: Session, workspace: Path) -> None:
    outcome = await own.navigate((workspace / "inner" / "page.html").as_uri())
    assert outcome.url == (workspace / "inner" / "page.html").as_uri()
    assert "script ran" in outcome.changes.text
    assert await value(own, "location.protocol") == "file:"


async def test_no_address_leads_out_of_the_workspace(own: Session, workspace: Path, site: Site) -> None:
    await own.navigate(site.page("/", "<h1>Before</h1>"))
    top = workspace.as_uri()
    for address in (
        "file:///etc/passwd",
        f"{top}/../secret.txt",
        f"{top}/%2e%2e/secret.txt",
        f"{top}/..%2fsecret.txt",
        f"{top}/inner/..%2f..%2fsecret.txt",
        f"{top}/..%5csecret.txt",
        f"{top}/linked.txt",
        f"{top}/linked/secret.txt",
        f"{top}/",
        f"{top}/inner",
        f"{top}/pipe",
        f"{top}/missing.html",
        f"{top}-other/secret.txt",
        f"file://elsewhere{workspace}/page.html",
        f"view-source:{top}/page.html",
        f"FILE:{workspace}/../secret.txt",
        "file:secret.txt",
    ):
        with pytest.raises(Denied):
            await own.navigate(address)
    assert "Before" in str((await own.extract()).result)
    # A file may be replaced by a link after it was allowed: the one that is read decides.
    (workspace / "page.txt").write_text("Page")
    files = WorkspaceFiles(workspace, 100)
    files.check((workspace / "page.txt").as_uri())
    (workspace / "page.txt").unlink()
    (workspace / "page.txt").symlink_to(workspace.parent / "secret.txt")
    with pytest.raises(Denied):
        files.read((workspace / "page.txt").as_uri())


@pytest.mark.engines("chromium", reason="rove cannot read the files for the browser, so none is opened")
async def test_a_page_of_the_workspace_reads_no_other_file(own: Session, workspace: Path) -> None:
    await own.navigate((workspace / "page.html").as_uri())
    text = str((await own.extract()).result)
    assert "fetch: failed" in text
    assert "xhr: failed" in text
    assert SECRET not in text
    assert SECRET not in str(await own.snapshot())
    for way in ("#link", "#download", "button"):
        await own.navigate((workspace / "page.html").as_uri())
        with suppress(RoveError):
            await own.click(way)
        for tab in (await own.tabs()).result.tabs:
            with suppress(RoveError):
                assert SECRET not in str(await own.using(tab=tab.id).extract()), way
    downloads = workspace / "downloads"
    assert not [path for path in downloads.rglob("*") if SECRET in path.read_text()] if downloads.exists() else True


async def test_a_page_of_the_web_opens_no_file(own: Session, workspace: Path, site: Site) -> None:
    inside = (workspace / "app.js").as_uri()
    site.page("/", WAYS.format(inside))
    await own.navigate(site.url("/"))
    text = str((await own.extract()).result)
    assert "script ran" not in text
    assert "fetch: failed" in text


async def test_without_the_setting_no_file_opens(session: Session, settings: Settings) -> None:
    page = settings.workspace_folder / "page.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("<h1>Page</h1>")
    with pytest.raises(Denied, match="does not open `file:`"):
        await session.navigate(page.as_uri())


@pytest.mark.engines("firefox", reason="the test is about a browser that reads the files itself")
@pytest.mark.parametrize("first", ["firefox", "chromium"])
async def test_no_file_opens_where_the_browser_would_read_it(
    home: Path, settings: Settings, workspace: Path, first: EngineName
) -> None:
    """Also in a session whose engine is not the one of the settings."""
    files = Guarding(files="workspace")
    own = replace(settings, home=home / first, workspace=workspace, guard=files, engine=first)
    async with Sessions(own) as sessions:
        await Session(sessions, None).open_session("other", engine="firefox")
        with pytest.raises(Denied):
            await Session(sessions, "other").navigate((workspace / "page.html").as_uri())
