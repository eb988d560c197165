"""Finding a usable browser."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.release_server import Releases, releasing

from rove.browser.chromium import chrome_for_testing as lists
from rove.browser.chromium import discovery
from rove.browser.chromium.discovery import candidates, find, is_snap
from rove.browser.chromium.install import ensure, fetch, version
from rove.errors import BrowserUnavailable
from rove.settings.chrome_version import PINNED
from rove.settings.tree import Settings

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
    monkeypatch.setenv("ROVE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "browsers"))
    monkeypatch.setattr(discovery, "DEBIAN_FOLDER", str(tmp_path / "debian"))
    monkeypatch.setattr(discovery, "APPLICATIONS", (str(tmp_path / "Chrome.app" / "Chrome"),))


def fetched(tmp_path: Path, version: str = PINNED, home: str = "home") -> Path:
    return tmp_path / home / "browsers" / version / "chrome-headless-shell-linux64" / "chrome-headless-shell"


def playwright_shell(tmp_path: Path, revision: int = 1254, complete: bool = True) -> Path:
    return _playwright(tmp_path / "browsers" / f"chromium_headless_shell-{revision}", complete) / "headless_shell"


def playwright_full(tmp_path: Path) -> Path:
    return _playwright(tmp_path / "browsers" / "chromium-1254", complete=True) / "chrome"


def _playwright(folder: Path, complete: bool) -> Path:
    folder.mkdir(parents=True)
    if complete:
        (folder / "INSTALLATION_COMPLETE").touch()
    return folder / "chrome-linux"


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


def test_the_newest_of_playwright_s_builds_is_taken(tmp_path: Path, program: Program) -> None:
    program(playwright_shell(tmp_path, 1190))
    newest = program(playwright_shell(tmp_path, 1254))
    program(playwright_shell(tmp_path, 999))
    found = find(None, headless=True)
    assert found is not None and found.path == newest


def test_playwright_s_build_is_not_taken_when_too_old_or_incomplete(tmp_path: Path, program: Program) -> None:
    program(playwright_shell(tmp_path, 1000))
    program(playwright_shell(tmp_path, 1254, complete=False))
    assert find(None, headless=True) is None


def test_what_was_fetched_is_taken_in_the_wanted_version_alone(tmp_path: Path, program: Program) -> None:
    program(fetched(tmp_path, "999.0.0.1"))
    assert find(None, headless=True) is None
    path = program(fetched(tmp_path))
    found = find(None, headless=True)
    assert found is not None and (found.path, found.headless_only) == (path, True)


def test_of_a_channel_the_newest_that_was_fetched_is_taken(tmp_path: Path, program: Program) -> None:
    program(fetched(tmp_path, "99.0.0.10"))
    newest = program(fetched(tmp_path, "100.0.0.9"))
    (tmp_path / "home" / "browsers" / "101.0.0.0.zip.part").touch()
    found = find(None, headless=True, version="stable")
    assert found is not None and found.path == newest


def test_what_was_fetched_for_the_default_home_serves_every_home(tmp_path: Path, program: Program) -> None:
    default = program(fetched(tmp_path))
    other = str(tmp_path / "other")
    found = find(None, headless=True, home=other)
    assert found is not None and found.path == default
    own = program(fetched(tmp_path, home="other"))
    found = find(None, headless=True, home=other)
    assert found is not None and found.path == own


def test_a_mac_s_application_is_found_in_a_build(tmp_path: Path, program: Program) -> None:
    folder = tmp_path / "home" / "browsers" / PINNED / "chrome-mac-arm64"
    name = "Google Chrome for Testing"
    path = program(folder / f"{name}.app" / "Contents" / "MacOS" / name)
    found = find(None, headless=False)
    assert found is not None and (found.path, found.headless_only) == (path, False)


def test_the_order_of_preference_when_headless(tmp_path: Path, program: Program) -> None:
    expected = [
        program(fetched(tmp_path)),
        program(playwright_shell(tmp_path)),
        program(tmp_path / "bin" / "chrome-headless-shell"),
        program(fetched(tmp_path).parents[1] / "chrome-linux64" / "chrome"),
        program(playwright_full(tmp_path)),
        program(tmp_path / "bin" / "chromium"),
        program(tmp_path / "bin" / "google-chrome"),
        program(tmp_path / "Chrome.app" / "Chrome"),
    ]
    assert [found.path for found in candidates(headless=True)] == expected


def test_with_a_window_no_headless_shell_will_do(tmp_path: Path, program: Program) -> None:
    program(fetched(tmp_path))
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
        ensure(Settings(), may_fetch=False, progress=lambda _: None)
    assert str(script) in caught.value.message
    assert "snap" in caught.value.message


def test_without_leave_to_fetch_the_fix_is_named() -> None:
    heard: list[str] = []
    with pytest.raises(BrowserUnavailable) as caught:
        ensure(Settings(), may_fetch=False, progress=heard.append)
    assert "rove install" in caught.value.hint
    assert heard == []


@pytest.fixture
def unreachable(monkeypatch: pytest.MonkeyPatch, unused_port: int) -> Settings:
    """Settings with which Chrome for Testing cannot be fetched."""
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(lists, "INDEX", f"http://127.0.0.1:{unused_port}")
    return Settings()


def apt_get(tmp_path: Path, program: Program, installing: str) -> None:
    """Make a package manager that runs these shell commands for `apt-get install`."""
    program(tmp_path / "bin" / "apt-get", f'#!/bin/sh\n[ "$1" = update ] && exit 0\n{installing}\n')


def test_where_the_download_fails_root_gets_debian_s_package(
    tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch, unreachable: Settings
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    target = tmp_path / "bin" / "chromium-headless-shell"
    apt_get(
        tmp_path,
        program,
        f"echo Unpacking $*\nprintf '#!/bin/sh\\n' > {target}\n/bin/chmod 755 {target}",
    )
    heard: list[str] = []
    found = ensure(unreachable, may_fetch=True, progress=heard.append)
    assert found.path == target
    assert any("did not work" in line and "cannot be reached" in line for line in heard), "why it was not fetched"
    assert any("Unpacking" in line and "chromium-headless-shell" in line for line in heard)


def test_when_every_way_fails_the_first_failure_is_raised_and_the_others_told(
    tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch, unreachable: Settings
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    apt_get(tmp_path, program, "echo E: no such package\nexit 100")
    heard: list[str] = []
    with pytest.raises(BrowserUnavailable) as caught:
        ensure(unreachable, may_fetch=True, progress=heard.append)
    assert "ROVE_BROWSER_MIRROR" in caught.value.hint
    assert any("no such package" in line for line in heard)


@pytest.fixture
def apt_ran(tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run as root with a package manager that writes this file."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    program(tmp_path / "bin" / "apt-get", f"#!/bin/sh\n/usr/bin/touch {tmp_path}/ran\nexit 100\n")
    return tmp_path / "ran"


@pytest.mark.parametrize("chosen", [{"browser_version": "stable"}, {"browser_version": "140.0.1.2"}, {"mirror": True}])
def test_a_chosen_version_or_mirror_is_never_replaced_by_debian_s_package(
    unreachable: Settings, apt_ran: Path, chosen: dict[str, Any]
) -> None:
    settings = Settings(browser_mirror=lists.INDEX) if "mirror" in chosen else Settings(**chosen)
    with pytest.raises(BrowserUnavailable):
        fetch(settings, lambda _: None)
    assert not apt_ran.exists()


@pytest.mark.parametrize("fault", ["wrong hash", "no archive", "not found", "no list"])
def test_a_download_that_fails_a_check_is_never_replaced_by_debian_s_package(
    monkeypatch: pytest.MonkeyPatch, unreachable: Settings, apt_ran: Path, fault: str
) -> None:
    with releasing() as server:
        monkeypatch.setattr(lists, "INDEX", server.url)
        inject(fault, server)
        with pytest.raises(BrowserUnavailable):
            fetch(unreachable, lambda _: None)
        assert server.asked
    assert not apt_ran.exists()


def inject(fault: str, server: Releases) -> None:
    archive = next(path for path in server.files if path.endswith(".zip"))
    if fault == "wrong hash":
        server.wrong_hash = True
    elif fault == "no archive":
        server.files[archive] = b"<html>"
    elif fault == "not found":
        del server.files[archive]
    else:
        server.files["/known-good-versions-with-downloads.json"] = b"<html>"


def test_a_certificate_that_is_not_trusted_is_never_answered_with_debian_s_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unreachable: Settings, apt_ran: Path
) -> None:
    with releasing(encrypted_in=tmp_path) as server:
        monkeypatch.setattr(lists, "INDEX", server.url)
        with pytest.raises(BrowserUnavailable) as caught:
            fetch(unreachable, lambda _: None)
    assert "certificate" in caught.value.message
    assert not apt_ran.exists()


def test_where_there_is_no_build_root_gets_debian_s_package(
    tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "here", "6.1", "1", "aarch64")))
    target = tmp_path / "bin" / "chromium-headless-shell"
    apt_get(tmp_path, program, f"printf '#!/bin/sh\\n' > {target}\n/bin/chmod 755 {target}")
    assert fetch(Settings(), lambda _: None).path == target


def test_a_browser_that_apt_did_not_replace_is_not_said_to_be_fetched(
    tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch, unreachable: Settings
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    apt_get(tmp_path, program, f"/usr/bin/touch {tmp_path}/ran")
    old = program(tmp_path / "debian" / "chromium-headless-shell")
    heard: list[str] = []
    found = fetch(unreachable, heard.append, again=True)
    assert (tmp_path / "ran").exists(), "an older browser does not end it before the package is installed"
    assert found.path == old
    assert "not fetched" in found.origin and "Debian package" in found.origin
    assert any("Nothing was fetched" in line for line in heard)


def test_a_package_that_apt_replaced_is_preferred_to_what_was_there_before(
    tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch, unreachable: Settings
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    program(playwright_shell(tmp_path))
    package = program(tmp_path / "debian" / "chromium-headless-shell")
    apt_get(tmp_path, program, f"/bin/cp -p {package} {package}.new\n/bin/mv {package}.new {package}")
    found = fetch(unreachable, lambda _: None, again=True)
    assert (found.path, found.origin) == (package, "Debian package")


def test_an_ordinary_user_is_told_at_once(
    tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch, unreachable: Settings
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    apt_get(tmp_path, program, f"/usr/bin/touch {tmp_path}/ran")
    with pytest.raises(BrowserUnavailable):
        ensure(unreachable, may_fetch=True, progress=lambda _: None)
    assert not (tmp_path / "ran").exists()


def test_linux_on_arm_gets_a_clear_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    machine = os.uname_result(("Linux", "here", "6.1", "1", "aarch64"))
    monkeypatch.setattr(os, "uname", lambda: machine)
    with pytest.raises(BrowserUnavailable) as caught:
        ensure(Settings(), may_fetch=True, progress=lambda _: None)
    assert "aarch64" in caught.value.message
    assert "apt-get install chromium-headless-shell" in caught.value.hint


def test_what_a_server_loads_includes_no_http_client_and_no_zip() -> None:
    code = (
        "import sys, rove.browser.chromium.launch, rove.browser.chromium.browser, rove.browser.chromium.install;"
        "print([name for name in ('urllib.request', 'http.client', 'zipfile') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_version_is_what_the_browser_says(tmp_path: Path, program: Program) -> None:
    assert version(program(tmp_path / "good")) == "Fake 1.2.3"
    assert version(program(tmp_path / "bad", "#!/bin/sh\nexit 1\n")) is None
    assert version(tmp_path / "missing") is None
