"""Finding a usable browser."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from rove.chromium.process import discovery, installation
from rove.chromium.process.discovery import candidates, find, is_snap, revisions
from rove.chromium.process.installation import ensure, version
from rove.errors import BrowserUnavailable

Program = Callable[..., Path]


@pytest.fixture
def program() -> Program:
    """Makes an executable file."""

    def make(path: Path, text: str = "#!/bin/sh\necho Fake 1.2.3\n") -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    return make


@pytest.fixture(autouse=True)
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without any browser."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "browsers"))
    monkeypatch.setattr(discovery, "DEBIAN_FOLDER", str(tmp_path / "debian"))
    monkeypatch.setattr(discovery, "APPLICATIONS", (str(tmp_path / "Chrome.app" / "Chrome"),))


def revision(name: str) -> str:
    """The one that the installed Playwright asks for."""
    return revisions()[name]


def playwright_shell(tmp_path: Path) -> Path:
    folder = tmp_path / "browsers" / f"chromium_headless_shell-{revision('chromium-headless-shell')}"
    return folder / "chrome-linux" / "headless_shell"


def playwright_full(tmp_path: Path) -> Path:
    return tmp_path / "browsers" / f"chromium-{revision('chromium')}" / "chrome-linux" / "chrome"


def test_a_bare_machine_has_none() -> None:
    assert find(None, headless=True) is None


def test_a_given_path_is_used(tmp_path: Path, program: Program) -> None:
    path = program(tmp_path / "my" / "chromium")
    program(playwright_shell(tmp_path))
    found = find(path, headless=True)
    assert found is not None
    assert (found.path, found.headless_only) == (path, False)


@pytest.mark.parametrize("kind", ["missing", "a folder", "not executable"])
def test_a_given_path_that_is_wrong_is_refused_and_never_replaced(tmp_path: Path, program: Program, kind: str) -> None:
    program(playwright_shell(tmp_path))
    path = tmp_path / "chromium"
    if kind == "a folder":
        path.mkdir()
    elif kind == "not executable":
        path.write_text("text")
        path.chmod(0o644)
    if kind == "not executable" and os.access(path, os.X_OK):
        pytest.skip("everything is executable to this user")
    with pytest.raises(BrowserUnavailable) as caught:
        find(path, headless=True)
    assert str(path) in caught.value.message
    assert "ROVE_BROWSER" in caught.value.hint


def test_a_given_headless_shell_is_known_to_show_no_window(tmp_path: Path, program: Program) -> None:
    found = find(program(tmp_path / "chrome-headless-shell"), headless=True)
    assert found is not None
    assert found.headless_only


def test_playwright_s_build_is_found_where_its_variable_says(tmp_path: Path, program: Program) -> None:
    path = program(playwright_shell(tmp_path))
    found = find(None, headless=True)
    assert found is not None
    assert (found.path, found.headless_only) == (path, True)


def test_a_build_of_another_revision_is_not_taken(tmp_path: Path, program: Program) -> None:
    program(tmp_path / "browsers" / "chromium_headless_shell-1" / "chrome-linux" / "headless_shell")
    assert find(None, headless=True) is None


def test_the_order_of_preference_when_headless(tmp_path: Path, program: Program) -> None:
    expected = [
        program(playwright_shell(tmp_path)),
        program(tmp_path / "bin" / "chrome-headless-shell"),
        program(playwright_full(tmp_path)),
        program(tmp_path / "bin" / "chromium"),
        program(tmp_path / "bin" / "google-chrome"),
        program(tmp_path / "Chrome.app" / "Chrome"),
    ]
    assert [found.path for found in candidates(headless=True)] == expected


def test_with_a_window_no_headless_shell_will_do(tmp_path: Path, program: Program) -> None:
    program(playwright_shell(tmp_path))
    program(tmp_path / "bin" / "chromium-headless-shell")
    assert find(None, headless=False) is None
    full = program(tmp_path / "bin" / "chromium")
    found = find(None, headless=False)
    assert found is not None
    assert found.path == full


def test_debian_s_program_is_taken_rather_than_its_script(tmp_path: Path, program: Program) -> None:
    program(tmp_path / "bin" / "chromium-headless-shell")
    direct = program(tmp_path / "debian" / "chromium-headless-shell")
    found = find(None, headless=True)
    assert found is not None
    assert found.path == direct


def test_a_snap_is_known_by_its_script_and_by_its_folder(tmp_path: Path, program: Program) -> None:
    script = program(tmp_path / "bin" / "chromium-browser", '#!/bin/sh\nexec /snap/bin/chromium "$@"\n')
    inside = program(tmp_path / "snap" / "bin" / "chromium")
    link = tmp_path / "bin" / "linked"
    link.symlink_to(inside)
    assert is_snap(script)
    assert is_snap(inside)
    assert is_snap(link)
    assert not is_snap(program(tmp_path / "bin" / "chrome"))


def test_a_snap_is_passed_over_and_said_plainly(tmp_path: Path, program: Program) -> None:
    script = program(tmp_path / "bin" / "chromium-browser", '#!/bin/sh\nexec /snap/bin/chromium "$@"\n')
    assert find(None, headless=True) is None
    with pytest.raises(BrowserUnavailable) as caught:
        ensure(None, headless=True, may_fetch=False, progress=lambda _: None)
    assert str(script) in caught.value.message
    assert "snap" in caught.value.message


def test_without_leave_to_fetch_the_fix_is_named() -> None:
    heard: list[str] = []
    with pytest.raises(BrowserUnavailable) as caught:
        ensure(None, headless=True, may_fetch=False, progress=heard.append)
    assert "rove install" in caught.value.hint
    assert heard == []


def test_fetching_runs_the_installer_and_takes_what_it_brought(
    tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = playwright_shell(tmp_path)
    installer = program(
        tmp_path / "installer",
        f"#!/bin/sh\n/bin/mkdir -p {target.parent}\necho Downloading it\n"
        f"printf '#!/bin/sh\\n' > {target}\n/bin/chmod 755 {target}\n",
    )
    monkeypatch.setattr(installation, "_playwright_command", lambda headless: [str(installer)])
    heard: list[str] = []
    found = ensure(None, headless=True, may_fetch=True, progress=heard.append)
    assert found.path == target
    assert any("Downloading" in line for line in heard)


def test_an_installer_that_fails_is_reported(tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    installer = program(tmp_path / "installer", "#!/bin/sh\necho the network is down\nexit 1\n")
    monkeypatch.setattr(installation, "_playwright_command", lambda headless: [str(installer)])
    monkeypatch.setattr(installation, "_may_use_apt", lambda: False)
    heard: list[str] = []
    with pytest.raises(BrowserUnavailable):
        ensure(None, headless=True, may_fetch=True, progress=heard.append)
    assert any("the network is down" in line for line in heard)


def test_the_version_is_what_the_browser_says(tmp_path: Path, program: Program) -> None:
    assert version(program(tmp_path / "good")) == "Fake 1.2.3"
    assert version(program(tmp_path / "bad", "#!/bin/sh\nexit 1\n")) is None
    assert version(tmp_path / "missing") is None
