"""Fetching a browser from a local server like Chrome for Testing's, with network faults."""

from __future__ import annotations

import json
import os
import resource
import stat
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.release_server import PLATFORM, PROGRAM, VERSION, Releases, archive, browser_archive, program, releasing

from rove.browser.chromium import chrome_for_testing as lists
from rove.browser.chromium import download, install
from rove.browser.chromium.discovery import find
from rove.browser.chromium.install import ensure, fetch
from rove.errors import BrowserUnavailable
from rove.settings.tree import Settings

PATH = f"/{VERSION}/{PLATFORM}/chrome-headless-shell-{PLATFORM}.zip"


@pytest.fixture
def server() -> Generator[Releases]:
    with releasing() as releases:
        yield releases


@pytest.fixture(autouse=True)
def no_apt_and_no_proxy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep rove from falling back to the machine's package manager or the internet."""
    monkeypatch.setattr(install, "may_use_apt", lambda: False)
    monkeypatch.setenv("ROVE_HOME", str(tmp_path / "default"))
    for name in ("http_proxy", "https_proxy", "no_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def settings(home: Path, server: Releases) -> Settings:
    return Settings(home=home, browser_mirror=server.url)


def ignore_progress(line: str) -> None:
    """Discard progress lines."""


def failure(settings: Settings) -> BrowserUnavailable:
    with pytest.raises(BrowserUnavailable) as caught:
        fetch(settings, ignore_progress)
    return caught.value


def installed_files(home: Path) -> list[str]:
    """Return the names in the folder of browsers, except the lock."""
    return sorted(path.name for path in (home / "browsers").iterdir() if path.name != ".lock")


# What is fetched and where it is stored


def test_a_build_is_fetched_stored_under_its_version_and_found_again(settings: Settings, home: Path) -> None:
    fetched = fetch(settings, ignore_progress)
    assert fetched.path == home / "browsers" / VERSION / PROGRAM
    assert fetched.headless_only and VERSION in fetched.origin
    assert stat.S_IMODE(fetched.path.stat().st_mode) == 0o755
    again = find(None, True, str(home))
    assert again is not None and again.path == fetched.path
    assert installed_files(home) == [VERSION], "neither the archive nor a half-unpacked folder stays"


def test_a_build_is_not_fetched_twice_unless_forced(settings: Settings, server: Releases) -> None:
    first = fetch(settings, ignore_progress)
    (first.path.parent / "icudtl.dat").write_bytes(b"damaged")
    fetch(settings, ignore_progress)
    assert len(server.ranges_asked(PATH)) == 1
    fetch(settings, ignore_progress, again=True)
    assert len(server.ranges_asked(PATH)) == 2
    assert (first.path.parent / "icudtl.dat").stat().st_size == 2**20


def test_the_list_of_versions_says_where_an_archive_is(
    server: Releases, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "INDEX", server.url)
    assert fetch(Settings(home=home), ignore_progress).path.exists()
    assert [path for path, _ in server.asked] == ["/known-good-versions-with-downloads.json", PATH]


def test_a_channel_is_looked_up_once_and_then_found_without_a_request(server: Releases, home: Path) -> None:
    server.add("159.0.1.2")
    stable = Settings(home=home, browser_mirror=server.url, browser_version="Stable")
    assert fetch(stable, ignore_progress).path == home / "browsers" / "159.0.1.2" / PROGRAM
    found = ensure(stable, False, ignore_progress)
    assert "159.0.1.2" in found.origin
    assert find(None, True, str(home), VERSION) != found, "another version is not taken for the wanted one"


def test_progress_is_printed_in_lines(settings: Settings) -> None:
    heard: list[str] = []
    fetch(settings, heard.append)
    assert any("100 %" in line for line in heard)
    assert len(heard) < 20


# Connections that are cut


def test_a_download_continues_after_the_connection_was_cut(settings: Settings, server: Releases) -> None:
    server.cuts = [400_000, 300_000]
    assert fetch(settings, ignore_progress).path.exists()
    assert server.ranges_asked(PATH) == [None, "bytes=400000-", "bytes=700000-"]


def test_a_download_continues_from_the_partial_file_of_an_earlier_run(settings: Settings, server: Releases) -> None:
    server.cuts = [400_000, 0, 0, 0]
    error = failure(settings)
    assert "rove install" in error.hint
    fetch(settings, ignore_progress)
    assert server.ranges_asked(PATH)[-1] == "bytes=400000-"


def test_a_file_that_changed_on_the_server_is_fetched_from_its_beginning(settings: Settings, server: Releases) -> None:
    server.cuts = [400_000, 0, 0, 0]
    failure(settings)
    other = archive({PROGRAM: program(VERSION), f"chrome-headless-shell-{PLATFORM}/other": b"x" * 1000})
    server.files[PATH], server.etag = other, '"second"'
    assert (fetch(settings, ignore_progress).path.parent / "other").exists()


def test_a_server_without_range_requests_sends_the_whole_file_again(settings: Settings, server: Releases) -> None:
    server.cuts, server.ranges = [400_000], False
    assert fetch(settings, ignore_progress).path.exists()


def test_a_complete_archive_that_was_not_unpacked_is_not_fetched_again(
    settings: Settings, server: Releases, home: Path
) -> None:
    partial = home / "browsers" / f"{VERSION}-chrome-headless-shell-{PLATFORM}.zip.part"
    partial.parent.mkdir(parents=True)
    download.download(server.url + PATH, partial, lambda have, length: None)
    fetch(settings, ignore_progress)
    assert len(server.ranges_asked(PATH)) == 1


def test_a_partial_file_that_cannot_be_opened_is_reported_as_not_writable(
    settings: Settings, server: Releases, home: Path
) -> None:
    """A folder in the place of the partial file cannot be opened, not even by root."""
    partial = home / "browsers" / f"{VERSION}-chrome-headless-shell-{PLATFORM}.zip.part"
    partial.mkdir(parents=True)
    record = {"url": server.url + PATH, "validator": server.etag, "length": len(server.files[PATH]), "md5": None}
    partial.with_name(f"{partial.name}.json").write_text(json.dumps(record))
    error = failure(settings)
    assert "cannot be written" in error.message and "ROVE_HOME" in error.hint
    assert len(server.ranges_asked(PATH)) == 1, "another request would not help"


# Invalid archives


def test_an_archive_with_a_wrong_hash_is_refused_and_deleted(settings: Settings, server: Releases, home: Path) -> None:
    server.wrong_hash = True
    assert "hash" in failure(settings).message
    assert installed_files(home) == []
    server.wrong_hash = False
    assert fetch(settings, ignore_progress).path.exists()


def test_a_damaged_archive_is_refused_by_its_checksums(settings: Settings, server: Releases, home: Path) -> None:
    content = bytearray(browser_archive())
    content[500_000] ^= 0xFF
    server.files[PATH] = bytes(content)
    failure(settings)
    assert installed_files(home) == []


def test_a_file_that_is_not_an_archive_is_refused(settings: Settings, server: Releases, home: Path) -> None:
    server.files[PATH] = b"<html>Please log in to the guest network</html>"
    failure(settings)
    assert installed_files(home) == []


@pytest.mark.parametrize("says", ["echo Google Chrome for Testing 1.2.3.4", "exit 127", "echo no library >&2; exit 1"])
def test_a_program_that_does_not_report_the_wanted_version_is_not_installed(
    settings: Settings, server: Releases, home: Path, says: str
) -> None:
    server.files[PATH] = archive({PROGRAM: f"#!/bin/sh\n{says}\n".encode()})
    assert "ROVE_BROWSER" in failure(settings).hint
    assert not (home / "browsers" / VERSION).exists()


def test_an_archive_without_its_program_is_refused(settings: Settings, server: Releases, home: Path) -> None:
    server.files[PATH] = archive({f"chrome-headless-shell-{PLATFORM}/readme": b"nothing else"})
    assert "ROVE_BROWSER_MIRROR" in failure(settings).hint
    assert installed_files(home) == []


# Faulty servers


def test_the_error_for_a_missing_version_names_the_setting(server: Releases, home: Path) -> None:
    settings = Settings(home=home, browser_mirror=server.url, browser_version="1.2.3.4")
    error = failure(settings)
    assert "404" in error.message and "ROVE_BROWSER_VERSION" in error.hint


def test_the_error_for_a_version_that_is_not_in_the_list_names_the_setting(
    server: Releases, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "INDEX", server.url)
    error = failure(Settings(home=home, browser_version="1.2.3.4"))
    assert "1.2.3.4" in error.message and "ROVE_BROWSER_VERSION" in error.hint
    assert server.ranges_asked(PATH) == []


@pytest.mark.parametrize(
    "said", [b"<html>", b"[]", b'{"channels": {}}', b'{"channels": {"Stable": {"version": "../.."}}}']
)
def test_an_invalid_list_of_versions_is_refused(server: Releases, home: Path, said: bytes) -> None:
    server.files["/last-known-good-versions-with-downloads.json"] = said
    error = failure(Settings(home=home, browser_mirror=server.url, browser_version="stable"))
    assert "ROVE_BROWSER_MIRROR" in error.hint
    assert len(server.asked) == 1


def test_a_server_that_never_answers_times_out(
    settings: Settings, server: Releases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "SOCKET_TIMEOUT", 0.2)
    server.is_silent = True
    assert "in time" in failure(settings).message


def test_a_response_head_that_arrives_byte_by_byte_times_out(
    settings: Settings, server: Releases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "HEADERS_TIMEOUT", 0.5)
    server.drips = True
    assert "in time" in failure(settings).message


def test_a_download_that_is_too_slow_times_out(
    settings: Settings, server: Releases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "SPEED_INTERVAL", 0.0)
    monkeypatch.setattr(download, "MIN_BYTES_PER_INTERVAL", 2**30)
    assert "slow" in failure(settings).message


def test_the_error_for_a_refused_connection_names_the_settings_that_help(home: Path, unused_port: int) -> None:
    error = failure(Settings(home=home, browser_mirror=f"http://127.0.0.1:{unused_port}"))
    for name in ("HTTPS_PROXY", "ROVE_BROWSER_MIRROR", "ROVE_BROWSER "):
        assert name in error.hint


def test_a_redirect_is_followed_but_not_from_https_to_http(
    settings: Settings, server: Releases, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.files[f"/elsewhere{PATH}"] = server.files[PATH]
    server.moved = f"{server.url}/elsewhere"
    fetch(settings, ignore_progress)
    with releasing(encrypted_in=tmp_path) as encrypted:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
        encrypted.moved = f"{server.url}/elsewhere"
        asked = len(server.asked)
        error = failure(Settings(home=home / "other", browser_mirror=encrypted.url))
    assert "not encrypted" in error.message
    assert len(encrypted.asked) == 1 and len(server.asked) == asked


def test_a_certificate_that_is_not_trusted_is_refused(home: Path, tmp_path: Path) -> None:
    with releasing(encrypted_in=tmp_path) as encrypted:
        error = failure(Settings(home=home, browser_mirror=encrypted.url))
    assert "SSL_CERT_FILE" in error.hint
    assert encrypted.asked == []


# Proxies


def test_a_proxy_is_used(server: Releases, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server is also the proxy, which receives the whole address."""
    monkeypatch.setenv("HTTP_PROXY", server.url)
    monkeypatch.setenv("http_proxy", server.url)
    server.files[f"http://mirror.invalid{PATH}"] = browser_archive()
    assert fetch(Settings(home=home, browser_mirror="http://mirror.invalid"), ignore_progress).path.exists()


def test_a_host_in_no_proxy_is_requested_directly(
    settings: Settings, unused_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{unused_port}")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert fetch(settings, ignore_progress).path.exists()


def test_a_proxy_that_refuses_is_named_without_its_password(
    server: Releases, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", f"http://me:hidden@127.0.0.1:{server.port}")
    error = failure(Settings(home=home, browser_mirror="https://mirror.invalid"))
    assert f"127.0.0.1:{server.port}" in error.message and "hidden" not in error.message + error.hint
    assert "HTTPS_PROXY" in error.hint
    assert [path for path, _ in server.asked] == ["mirror.invalid:443"]


# Disk space, and several processes at once


def run(home: Path, server: Releases, limit: int = resource.RLIM_INFINITY) -> subprocess.Popen[str]:
    """Run `rove install --force` without a package manager and with a limit on the size of files."""
    environment = {**os.environ, "PATH": "/nowhere"}
    return subprocess.Popen(
        [sys.executable, "-m", "rove", "install", "--force", "--home", str(home), "--browser-mirror", server.url],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )


def test_a_full_disk_has_an_error_of_its_own(server: Releases, home: Path) -> None:
    """A limit on the size of files makes a write fail in the middle, as a full disk does."""
    process = run(home, server, limit=500_000)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "no room" in said and "ROVE_HOME" in said


def test_several_processes_at_once_fetch_it_once(server: Releases, home: Path) -> None:
    code = (
        "import sys; from rove.browser.chromium.install import fetch; from rove.settings.tree import load;"
        "print(fetch(load(home=sys.argv[1], browser_mirror=sys.argv[2]), print).path)"
    )
    command = [sys.executable, "-c", code, str(home), server.url]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = [process.communicate(timeout=100)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], said
    assert all(str(home / "browsers" / VERSION / PROGRAM) in words for words in said)
    assert server.ranges_asked(PATH) == [None]
    assert installed_files(home) == [VERSION]


def test_several_processes_that_replace_it_at_once_leave_one_complete_browser(server: Releases, home: Path) -> None:
    server.cuts = [300_000]
    processes = [run(home, server) for _ in range(3)]
    said = [process.communicate(timeout=100)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], said
    assert installed_files(home) == [VERSION]


def test_files_of_a_process_killed_while_unpacking_are_deleted_by_the_next_run(settings: Settings, home: Path) -> None:
    (home / "browsers" / "unpacking-abc" / "chrome-headless-shell").mkdir(parents=True)
    fetch(settings, ignore_progress)
    assert installed_files(home) == [VERSION]


def test_the_command_prints_what_it_fetched(server: Releases, home: Path) -> None:
    process = run(home, server)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert f"Google Chrome for Testing {VERSION}" in said
    assert str(home / "browsers" / VERSION / PROGRAM) in said


def test_a_browser_that_does_not_start_is_not_called_installed(tmp_path: Path) -> None:
    broken = tmp_path / "chrome"
    broken.write_text("#!/bin/sh\necho 'libnss3.so is missing' >&2\nexit 127\n")
    broken.chmod(0o755)
    with pytest.raises(BrowserUnavailable, match=r"libnss3\.so is missing") as caught:
        install.working_version(broken)
    assert "rove install" not in caught.value.hint
