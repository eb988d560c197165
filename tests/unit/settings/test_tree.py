"""Settings from the file, the environment and flags."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

from rove.errors import InvalidSettings
from rove.settings.tree import Settings, load, options, resolve


def environment(home: Path, **variables: str) -> dict[str, str]:
    return {"ROVE_HOME": str(home), **variables}


def write(home: Path, text: str) -> None:
    (home / "config.toml").write_text(text, encoding="utf-8")


def test_without_file_environment_and_flags_every_value_is_a_default(tmp_path: Path) -> None:
    resolved = resolve(environment=environment(tmp_path))
    assert resolved.settings == Settings(home=tmp_path)
    assert {source for key, source in resolved.sources.items() if key != "home"} == {"default"}


def test_the_environment_overrides_the_file_and_a_flag_overrides_both(tmp_path: Path) -> None:
    write(tmp_path, "[limits]\ntabs = 1\nsessions = 1\nidle = 1\n")
    variables = environment(tmp_path, ROVE_LIMITS_TABS="2", ROVE_LIMITS_SESSIONS="2")
    resolved = resolve({"limits.tabs": 3}, variables)
    assert (resolved.settings.limits.idle, resolved.settings.limits.sessions, resolved.settings.limits.tabs) == (
        1,
        2,
        3,
    )
    assert resolved.sources["limits.idle"] == str(tmp_path / "config.toml")
    assert resolved.sources["limits.sessions"] == "ROVE_LIMITS_SESSIONS"
    assert resolved.sources["limits.tabs"] == "--limits-tabs"
    assert resolved.sources["headless"] == "default"


def test_a_flag_that_is_none_is_ignored(tmp_path: Path) -> None:
    resolved = resolve({"limits.tabs": None}, environment(tmp_path, ROVE_LIMITS_TABS="2"))
    assert (resolved.settings.limits.tabs, resolved.sources["limits.tabs"]) == (2, "ROVE_LIMITS_TABS")


def test_the_file_is_read_from_the_home_that_the_flag_names(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    write(other, "headless = false")
    assert resolve({"home": str(other)}, environment(tmp_path)).settings.headless is False


def test_a_keyword_of_load_is_a_flag(tmp_path: Path) -> None:
    assert load(home=tmp_path, limits__tabs=3).limits.tabs == 3


@pytest.mark.parametrize(
    ("word", "value"), [("1", True), ("true", True), ("0", False), ("false", False), ("no", False)]
)
def test_a_switch_accepts_1_true_0_false_and_no(tmp_path: Path, word: str, value: bool) -> None:
    assert resolve(environment=environment(tmp_path, ROVE_HEADLESS=word)).settings.headless is value


@pytest.mark.parametrize(
    ("text", "wrong", "nearest"),
    [
        ("headles = true", "headles", "headless"),
        ("[limits]\ntab = 3", "limits.tab", "limits.tabs"),
        ("[limit]\ntabs = 3", "limit.tabs", "limits.tabs"),
        ("viewport = 3", "viewport", "viewport.width"),
    ],
)
def test_an_unknown_key_of_the_file_names_the_nearest(tmp_path: Path, text: str, wrong: str, nearest: str) -> None:
    write(tmp_path, text)
    with pytest.raises(InvalidSettings) as caught:
        resolve(environment=environment(tmp_path))
    assert f"`{wrong}`" in caught.value.message
    assert f"`{nearest}`" in caught.value.hint


def test_an_unknown_variable_is_a_warning_that_names_the_nearest(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    variables = environment(tmp_path, ROVE_LIMIT_TABS="3", ROVE_LIMITS_SESSIONS="2", ROVE_RUN_FOLDER="set by rove")
    resolved = resolve(environment=variables)
    assert (resolved.settings.limits.tabs, resolved.settings.limits.sessions) == (20, 2)
    (warning,) = caplog.records
    assert warning.args == ("ROVE_LIMIT_TABS", "ROVE_LIMITS_TABS")


def test_an_unknown_flag_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings) as caught:
        resolve({"limits.tab": 3}, environment(tmp_path))
    assert "`limits.tabs`" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "flags", "variables", "key", "source"),
    [
        ("[limits]\ntabs = 'many'", {}, {}, "limits.tabs", "config.toml"),
        ("", {}, {"ROVE_LIMITS_TABS": "many"}, "limits.tabs", "ROVE_LIMITS_TABS"),
        ("", {"deadlines.action": "-1"}, {}, "deadlines.action", "--deadlines-action"),
        ("", {"sandbox": "maybe"}, {}, "sandbox", "--sandbox"),
    ],
)
def test_a_bad_value_names_its_key_and_where_it_came_from(
    tmp_path: Path, text: str, flags: dict[str, Any], variables: dict[str, str], key: str, source: str
) -> None:
    write(tmp_path, text)
    with pytest.raises(InvalidSettings) as caught:
        resolve(flags, environment(tmp_path, **variables))
    assert f"`{key}`" in caught.value.message
    assert source in caught.value.message + caught.value.hint


@pytest.mark.parametrize("text", ["limits = [", "\x00", "a = 1\na = 2"])
def test_a_file_that_does_not_parse_is_named(tmp_path: Path, text: str) -> None:
    write(tmp_path, text)
    with pytest.raises(InvalidSettings) as caught:
        resolve(environment=environment(tmp_path))
    assert str(tmp_path / "config.toml") in caught.value.message


def test_a_file_that_is_not_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidSettings):
        resolve(environment=environment(tmp_path))


def test_home_cannot_be_set_in_the_file(tmp_path: Path) -> None:
    write(tmp_path, "home = '/elsewhere'")
    with pytest.raises(InvalidSettings):
        resolve(environment=environment(tmp_path))


def test_every_setting_has_a_description_and_unique_names() -> None:
    found = options()
    assert all(option.description.endswith((".", "?")) for option in found)
    for names in ([option.key for option in found], [option.flag for option in found], [o.variable for o in found]):
        assert len(set(names)) == len(names)


def test_settings_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(Settings(), "headless", False)  # noqa: B010


def test_folders_are_absolute_and_the_default_workspace_is_in_home(tmp_path: Path) -> None:
    assert Settings(home=Path("~/x")).home_folder == Path.home() / "x"
    assert Settings(home=tmp_path).workspace_folder == tmp_path / "workspace"
    assert Settings(workspace=Path("here")).workspace_folder == Path.cwd() / "here"


def test_a_setting_named_like_a_python_keyword_has_no_underscore_outside_of_python(tmp_path: Path) -> None:
    (option,) = [option for option in options() if option.path == ("with_",)]
    assert (option.key, option.variable, option.flag) == ("with", "ROVE_WITH", "--with")
    write(tmp_path, 'with = ["pdf"]')
    assert resolve(environment=environment(tmp_path)).settings.with_ == ("pdf",)
    assert resolve({"with": "workers, pdf"}, environment(tmp_path)).settings.with_ == ("workers", "pdf")
    assert load(home=tmp_path, with_="all").with_ == ("all",)
