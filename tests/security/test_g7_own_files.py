"""G5, G7: rove's own files are never in the workspace, and nothing is written through a link that leaves it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.site import OWN_SITES, Site

import rove
from rove import Settings
from rove.engine.sessions import Sessions
from rove.errors import InvalidSettings
from rove.toolsets.outcome_text import as_text


@pytest.mark.parametrize("workspace", ["", "..", "sessions", "sessions/deeper", "run"])
def test_g7_a_workspace_with_the_journal_or_the_settings_in_it_stops_the_start(tmp_path: Path, workspace: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with pytest.raises(InvalidSettings):
        Sessions(Settings(home=home, workspace=home / workspace))


def test_g7_a_workspace_that_is_a_link_to_home_stops_the_start(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "linked").symlink_to(home)
    with pytest.raises(InvalidSettings):
        Sessions(Settings(home=home, workspace=tmp_path / "linked"))


async def test_g7_a_download_into_a_folder_that_links_out_of_the_workspace_fails(
    tmp_path: Path, home: Path, site: Site
) -> None:
    workspace, outside = tmp_path / "workspace", tmp_path / "outside"
    workspace.mkdir()
    outside.mkdir()
    (workspace / "downloads").symlink_to(outside)
    site.page("/file", "x", kind="application/octet-stream", headers={"Content-Disposition": "attachment"})
    page = site.page("/", "<a href='/file'>Get</a>")
    async with rove.open(home=str(home), workspace=str(workspace), allow_host=",".join(OWN_SITES)) as session:
        await session.navigate(page)
        text = as_text(await session.click('link "Get"'))
    assert "download failed" in text
    assert list(outside.iterdir()) == []
