"""Which settings an early launch takes into account without reading them all."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove.browser.chromium import launch as module
from rove.browser.chromium.launch import DECISIVE, READ, early_launch
from rove.settings.chrome_version import PINNED
from rove.settings.tree import Option, options

# Settings that do not change how the browser is started. A new setting is put here, or taken into account.
WITHOUT_EFFECT = {
    "workspace", "secrets", "policy", "approve", "allow_host", "only_host", "deny_host", "proxy", "dns",
    "fetch_browser", "browser_mirror", "with", "tools", "without", "axe",
    "axe_address", "unguarded_extensions",
}  # fmt: skip
SECTIONS_WITHOUT_EFFECT = {
    "viewport",
    "deadlines",
    "limits",
    "observing",
    "journal",
    "guard",
    "serve",
    "logins",
    "fetching",
    "capture",
    "cluster",
}


class Tried(Exception):
    """The early launch has decided to look for a browser."""


@pytest.fixture
def _looks(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(given: str | None, headless: bool, home: str, version: str) -> None:
        raise Tried(given)

    monkeypatch.setattr(module, "find", find)


@pytest.mark.parametrize("option", options(), ids=lambda option: option.key)
def test_every_setting_is_read_or_decisive_or_cannot_change_the_start_of_a_browser(option: Option) -> None:
    is_without_effect = option.key in WITHOUT_EFFECT or option.path[0] in SECTIONS_WITHOUT_EFFECT
    assert [option.key in READ, option.key in DECISIVE, is_without_effect].count(True) == 1


@pytest.mark.usefixtures("_looks")
@pytest.mark.parametrize("option", options(), ids=lambda option: option.key)
def test_a_decisive_setting_means_no_early_launch_however_it_is_given(option: Option, tmp_path: Path) -> None:
    home = ["--home", str(tmp_path)]
    value = PINNED if option.key == "browser_version" else "x"
    ways = [([option.flag, value], {}), ([f"{option.flag}={value}"], {}), ([], {option.variable: value})]
    if option.is_switch:
        ways += [([option.flag], {}), ([option.flag.replace("--", "--no-", 1)], {})]
    for words, variables in ways:
        if option.key in DECISIVE:
            assert early_launch(["mcp", *words, *home], variables) is None
        else:
            with pytest.raises(Tried):
                early_launch(["mcp", *words, *home], variables)


@pytest.mark.usefixtures("_looks")
@pytest.mark.parametrize(("words", "variables"), [(["--browser", "mine"], {}), ([], {"ROVE_BROWSER": "mine"})])
def test_the_browser_that_is_named_is_the_one_that_is_looked_for(
    words: list[str], variables: dict[str, str], tmp_path: Path
) -> None:
    with pytest.raises(Tried, match="mine"):
        early_launch(["mcp", "--home", str(tmp_path), *words], variables)


@pytest.mark.usefixtures("_looks")
@pytest.mark.parametrize("as_flag", [True, False])
def test_a_config_file_means_no_early_launch(as_flag: bool, tmp_path: Path) -> None:
    (tmp_path / "config.toml").touch()
    words, variables = (["--home", str(tmp_path)], {}) if as_flag else ([], {"ROVE_HOME": str(tmp_path)})
    assert early_launch(["mcp", *words], variables) is None
