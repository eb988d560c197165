"""Moving an unpacked build to its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove.browser.chromium.chrome_for_testing import place


def build(folder: Path, content: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "chrome").write_text(content)
    return folder


def test_a_build_replaces_the_one_before(tmp_path: Path) -> None:
    target = build(tmp_path / "1.2.3.4" / "chrome-linux64", "old")
    place(build(tmp_path / "unpacking" / "chrome-linux64", "new"), target)
    assert (target / "chrome").read_text() == "new"


def test_the_build_before_stays_if_the_new_one_cannot_be_moved(tmp_path: Path) -> None:
    target = build(tmp_path / "1.2.3.4" / "chrome-linux64", "old")
    (tmp_path / "unpacking").mkdir()
    with pytest.raises(OSError):
        place(tmp_path / "unpacking" / "missing", target)
    assert (target / "chrome").read_text() == "old"
