"""A profile has private folders, and one user at a time."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from rove.errors import InvalidArguments, ProfileInUse
from rove.storage.profiles import lock_profile, profile_holder, profile_names


def test_a_second_user_is_refused_with_the_name_of_the_first_until_that_releases_it(tmp_path: Path) -> None:
    first = lock_profile(tmp_path, "work", "shopping")
    with pytest.raises(ProfileInUse) as refused:
        lock_profile(tmp_path, "work", "other")
    assert "session shopping" in refused.value.message
    assert f"process {os.getpid()}" in refused.value.message
    assert "shopping" in (profile_holder(tmp_path, "work") or "")
    lock_profile(tmp_path, "home", "other").release()
    first.release()
    assert profile_holder(tmp_path, "work") is None
    lock_profile(tmp_path, "work", "other").release()
    assert profile_names(tmp_path) == ["home", "work"]


def test_folders_are_private_also_if_they_were_not(tmp_path: Path) -> None:
    (tmp_path / "profiles" / "work").mkdir(parents=True, mode=0o755)
    profile = lock_profile(tmp_path, "work", "s")
    for folder in (tmp_path / "profiles", profile.folder, profile.data):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    profile.release()


@pytest.mark.parametrize("name", ["", "..", "a/b", ".hidden"])
def test_a_name_cannot_lead_out_of_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidArguments):
        lock_profile(tmp_path, name, "s")
    assert list(tmp_path.iterdir()) == []
