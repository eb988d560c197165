"""Extensions of profiles: what the settings name, and what a manifest must and must not have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rove.browser.extensions import (
    REFUSED_PERMISSIONS,
    Extension,
    check_extensions,
    described,
    extensions_for,
    read_extension,
)
from rove.errors import InvalidSettings
from rove.settings.tree import Settings

GOOD = {"manifest_version": 3, "name": "Notes", "version": "1.2"}


def extension(folder: Path, **changes: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "manifest.json").write_text(json.dumps(GOOD | changes), encoding="utf-8")
    return folder


def test_an_extension_belongs_to_the_profile_it_is_named_with_or_to_that_of_the_default_session(tmp_path: Path) -> None:
    one, two = extension(tmp_path / "one"), extension(tmp_path / "two", name="Other")
    settings = Settings(profile="work", extension=(str(one), f"home={two}"))
    assert extensions_for(settings, "work") == (Extension(str(one), "Notes", "1.2"),)
    assert [str(each) for each in extensions_for(settings, "home")] == ["Other 1.2"]
    assert extensions_for(settings, "third") == ()
    check_extensions(settings)
    assert not settings.uses_headless_shell and Settings().uses_headless_shell


def test_an_extension_without_a_profile_or_for_an_attached_browser_is_refused(tmp_path: Path) -> None:
    folder = extension(tmp_path / "one")
    with pytest.raises(InvalidSettings, match="no profile"):
        check_extensions(Settings(extension=(str(folder),)))
    with pytest.raises(InvalidSettings, match="attached"):
        check_extensions(Settings(extension=(f"a={folder}",), attach="http://127.0.0.1:9222"))


@pytest.mark.parametrize("field", ["permissions", "optional_permissions"])
@pytest.mark.parametrize("permission", REFUSED_PERMISSIONS)
def test_a_permission_that_leads_around_the_guard_is_refused(tmp_path: Path, permission: str, field: str) -> None:
    folder = extension(tmp_path / "one", **{field: ["storage", {"fileSystem": ["write"]}, permission]})
    with pytest.raises(InvalidSettings, match=f"`{permission}`"):
        read_extension(folder)


@pytest.mark.parametrize(
    ("manifest", "why"),
    [
        ("", "cannot be read"),
        ("[]", "no object"),
        ("{", "cannot be read"),
        ('{"name": "x"}', "`version`"),
        ('{"name": "x", "version": "1"}', "`manifest_version`"),
        ('{"name": 3, "version": "1", "manifest_version": 3}', "`name`"),
    ],
)
def test_a_broken_manifest_is_told(tmp_path: Path, manifest: str, why: str) -> None:
    (tmp_path / "manifest.json").write_text(manifest, encoding="utf-8")
    with pytest.raises(InvalidSettings, match=why):
        read_extension(tmp_path)


def test_a_folder_that_is_none_or_has_no_manifest_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="no manifest"):
        read_extension(tmp_path)
    with pytest.raises(InvalidSettings, match="no folder"):
        read_extension(tmp_path / "missing")


def test_a_name_in_several_languages_is_that_of_the_default_language(tmp_path: Path) -> None:
    folder = extension(tmp_path / "one", name="__MSG_appName__", default_locale="en")
    assert read_extension(folder).name == "one"
    (folder / "_locales" / "en").mkdir(parents=True)
    (folder / "_locales" / "en" / "messages.json").write_text('{"appname": {"message": "Notes"}}', encoding="utf-8")
    assert read_extension(folder).name == "Notes"


def test_doctor_is_told_of_each_extension(tmp_path: Path) -> None:
    settings = Settings(profile="work", extension=(str(extension(tmp_path / "one")), str(tmp_path / "missing")))
    good, broken = described(settings)
    assert good[1].startswith("Notes 1.2 for the profile work") and good[2] == ""
    assert "no folder" in broken[1] and broken[2]
