"""Unpacking an archive whose content is not trusted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.release_server import archive

from rove.browser.chromium import chrome_for_testing as unpacking
from rove.browser.chromium.chrome_for_testing import unpack
from rove.errors import BrowserUnavailable

TOP = "chrome-linux64"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where it is unpacked: beside it lies what must not be touched."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def unpacked(folder: Path, content: bytes) -> Path:
    packed = folder.parent / "a.zip"
    packed.write_bytes(content)
    unpack(packed, folder, TOP)
    return folder / TOP


def refused(folder: Path, content: bytes) -> None:
    with pytest.raises(BrowserUnavailable):
        unpacked(folder, content)
    assert names(folder.parent) == ["a.zip", "folder", "outside"]
    assert names(folder.parent / "outside") == []


def test_what_is_executable_stays_so_and_nothing_else_becomes_so(folder: Path) -> None:
    assert os.access(unpacked(folder, archive({f"{TOP}/chrome": b"x"})) / "chrome", os.X_OK)
    (folder / TOP / "chrome").unlink()
    plain = unpacked(folder, archive({f"{TOP}/chrome": b"x"}, executable=False)) / "chrome"
    assert plain.stat().st_mode & 0o777 == 0o644


def test_links_within_the_folder_are_kept_as_frameworks_of_macs_need_them(folder: Path) -> None:
    links = {f"{TOP}/F/Versions/Current": "1.2", f"{TOP}/F/Resources": "Versions/Current/Resources"}
    top = unpacked(folder, archive({f"{TOP}/F/Versions/1.2/Resources/a": b"inside"}, links))
    assert (top / "F" / "Resources" / "a").read_bytes() == b"inside"
    assert (top / "F" / "Versions" / "Current").is_symlink()


@pytest.mark.parametrize(
    "name",
    [
        "../outside/a",
        f"{TOP}/../../outside/a",
        "/tmp/outside-of-everything",
        "elsewhere/a",
        f"{TOP}\\..\\..\\outside\\a",
        f"{TOP}/..",
    ],
)
def test_a_path_that_leaves_the_folder_is_refused_before_anything_is_written(folder: Path, name: str) -> None:
    refused(folder, archive({f"{TOP}/good": b"x", name: b"bad"}))
    assert names(folder) == []


@pytest.mark.parametrize("target", ["/etc/passwd", "../../outside", "../../outside/a", "..", "deep/../../../outside"])
def test_a_link_that_leads_out_is_refused(folder: Path, target: str) -> None:
    refused(folder, archive({f"{TOP}/good": b"x"}, {f"{TOP}/link": target}))


def test_a_link_that_leads_out_over_another_link_is_refused(folder: Path) -> None:
    links = {f"{TOP}/a/b/up": "../..", f"{TOP}/a/b/out": "up/../../outside"}
    refused(folder, archive({f"{TOP}/good": b"x"}, links))


def test_a_link_that_a_later_link_turns_to_lead_out_is_refused(folder: Path) -> None:
    refused(folder, archive({f"{TOP}/good": b"x"}, {f"{TOP}/a": "x/..", f"{TOP}/x": "."}))


def test_no_folder_is_made_through_a_link_that_a_later_link_turned(folder: Path) -> None:
    links = {f"{TOP}/a": "x/..", f"{TOP}/x": ".", f"{TOP}/a/made/link": "good"}
    refused(folder, archive({f"{TOP}/good": b"x"}, links))
    assert names(folder) == [TOP]


def test_nothing_is_written_through_a_link(folder: Path) -> None:
    refused(folder, archive({f"{TOP}/link/a": b"bad"}, {f"{TOP}/link": "../../outside"}))
    refused_again = archive({}, {f"{TOP}/here": ".", f"{TOP}/here/again": "good"})
    (folder / TOP / "link" / "a").unlink()
    refused(folder, refused_again)


def test_a_name_that_is_in_it_twice_is_refused(folder: Path) -> None:
    refused(folder, archive({f"{TOP}/a": b"1", f"{TOP}/a/": b"", f"{TOP}/a/b": b"2"}))


def test_one_that_would_fill_the_disk_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MAX_UNPACKED_BYTES", 10**6)
    refused(folder, archive({f"{TOP}/bomb": bytes(10**6 + 1)}))
    assert names(folder) == []
