"""Fetching a browser from a server of the same shape as Chrome for Testing's, with faults at the wire."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.release_server import PLATFORM, PROGRAM, VERSION, Releases, archive, browser_archive, program, releasing

from rove.chromium import installation
from rove.chromium.chrome_for_testing import connection, transfer
from rove.chromium.chrome_for_testing import releases as lists
from rove.chromium.installation import ensure, fetch
from rove.chromium.process.discovery import find
from rove.errors import BrowserUnavailable
from rove.settings import Settings

PATH = f"/{VERSION}/{PLATFORM}/chrome-headless-shell-{PLATFORM}.zip"


@pytest.fixture
def server() -> Generator[Releases]:
    with releasing() as releases:
        yield releases


@pytest.fixture(autouse=True)
def no_apt_and_no_proxy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What fails here must not be mended by the machine's package manager, nor go out."""
    monkeypatch.setattr(installation, "_may_use_apt", lambda: False)
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


def silently(line: str) -> None:
    """A test that listens has a list of its own."""


def failure(settings: Settings) -> BrowserUnavailable:
    with pytest.raises(BrowserUnavailable) as caught:
        fetch(settings, silently)
    return caught.value


def left(home: Path) -> list[str]:
    """What lies in the folder of browsers, but for the lock."""
    return sorted(path.name for path in (home / "browsers").iterdir() if path.name != ".lock")


# What is fetched, and where it goes


def test_a_build_is_fetched_kept_under_its_version_and_found_again(settings: Settings, home: Path) -> None:
    fetched = fetch(settings, silently)
    assert fetched.path == home / "browsers" / VERSION / PROGRAM
    assert fetched.headless_only and VERSION in fetched.origin
    assert stat.S_IMODE(fetched.path.stat().st_mode) == 0o755
    again = find(None, True, str(home))
    assert again is not None and again.path == fetched.path
    assert left(home) == [VERSION], "neither the archive nor a half-unpacked folder stays"


def test_it_is_not_fetched_twice_unless_that_is_asked_for(settings: Settings, server: Releases) -> None:
    first = fetch(settings, silently)
    (first.path.parent / "icudtl.dat").write_bytes(b"damaged")
    fetch(settings, silently)
    assert len(server.ranges_asked(PATH)) == 1
    fetch(settings, silently, again=True)
    assert len(server.ranges_asked(PATH)) == 2
    assert (first.path.parent / "icudtl.dat").stat().st_size == 2**20


def test_the_list_of_versions_says_where_an_archive_is(
    server: Releases, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "INDEX", server.url)
    assert fetch(Settings(home=home), silently).path.exists()
    assert [path for path, _ in server.asked] == ["/known-good-versions-with-downloads.json", PATH]


def test_a_channel_is_looked_up_and_found_again_without_asking(server: Releases, home: Path) -> None:
    server.add("159.0.1.2")
    stable = Settings(home=home, browser_mirror=server.url, browser_version="Stable")
    assert fetch(stable, silently).path == home / "browsers" / "159.0.1.2" / PROGRAM
    found = ensure(stable, False, silently)
    assert "159.0.1.2" in found.origin
    assert find(None, True, str(home), VERSION) != found, "another version is not taken for the wanted one"


def test_progress_is_told_in_lines(settings: Settings) -> None:
    heard: list[str] = []
    fetch(settings, heard.append)
    assert any("100 %" in line for line in heard)
    assert len(heard) < 20


# A connection that is cut


def test_a_cut_connection_is_taken_up_where_it_ended(settings: Settings, server: Releases) -> None:
    server.cuts = [400_000, 300_000]
    assert fetch(settings, silently).path.exists()
    assert server.ranges_asked(PATH) == [None, "bytes=400000-", "bytes=700000-"]


def test_what_an_earlier_run_left_is_not_fetched_again(settings: Settings, server: Releases) -> None:
    server.cuts = [400_000, 0, 0, 0]
    error = failure(settings)
    assert "rove install" in error.hint
    fetch(settings, silently)
    assert server.ranges_asked(PATH)[-1] == "bytes=400000-"


def test_a_file_that_has_changed_meanwhile_is_fetched_from_its_beginning(settings: Settings, server: Releases) -> None:
    server.cuts = [400_000, 0, 0, 0]
    failure(settings)
    other = archive({PROGRAM: program(VERSION), f"chrome-headless-shell-{PLATFORM}/other": b"x" * 1000})
    server.files[PATH], server.etag = other, '"second"'
    assert (fetch(settings, silently).path.parent / "other").exists()


def test_a_server_without_ranges_sends_all_of_it_again(settings: Settings, server: Releases) -> None:
    server.cuts, server.ranges = [400_000], False
    assert fetch(settings, silently).path.exists()


def test_a_whole_archive_that_was_not_unpacked_yet_is_not_fetched_again(
    settings: Settings, server: Releases, home: Path
) -> None:
    partial = home / "browsers" / f"{VERSION}-chrome-headless-shell-{PLATFORM}.zip.part"
    partial.parent.mkdir(parents=True)
    transfer.download(server.url + PATH, partial, lambda have, length: None)
    fetch(settings, silently)
    assert len(server.ranges_asked(PATH)) == 1


# What is wrong with what arrives


def test_a_wrong_hash_is_refused_and_nothing_of_it_stays(settings: Settings, server: Releases, home: Path) -> None:
    server.wrong_hash = True
    assert "hash" in failure(settings).message
    assert left(home) == []
    server.wrong_hash = False
    assert fetch(settings, silently).path.exists()


def test_a_damaged_archive_is_refused_by_its_checksums(settings: Settings, server: Releases, home: Path) -> None:
    content = bytearray(browser_archive())
    content[500_000] ^= 0xFF
    server.files[PATH] = bytes(content)
    failure(settings)
    assert left(home) == []


def test_what_is_no_archive_is_refused(settings: Settings, server: Releases, home: Path) -> None:
    server.files[PATH] = b"<html>Please log in to the guest network</html>"
    failure(settings)
    assert left(home) == []


@pytest.mark.parametrize("says", ["echo Google Chrome for Testing 1.2.3.4", "exit 127", "echo no library >&2; exit 1"])
def test_a_program_that_does_not_start_as_the_wanted_version_is_not_put_in_place(
    settings: Settings, server: Releases, home: Path, says: str
) -> None:
    server.files[PATH] = archive({PROGRAM: f"#!/bin/sh\n{says}\n".encode()})
    assert "ROVE_BROWSER" in failure(settings).hint
    assert not (home / "browsers" / VERSION).exists()


def test_an_archive_without_its_program_is_refused(settings: Settings, server: Releases, home: Path) -> None:
    server.files[PATH] = archive({f"chrome-headless-shell-{PLATFORM}/readme": b"nothing else"})
    assert "ROVE_BROWSER_MIRROR" in failure(settings).hint
    assert left(home) == []


# Servers that do not answer as they should


def test_a_version_that_is_not_there_names_the_setting(server: Releases, home: Path) -> None:
    settings = Settings(home=home, browser_mirror=server.url, browser_version="1.2.3.4")
    error = failure(settings)
    assert "404" in error.message and "ROVE_BROWSER_VERSION" in error.hint


def test_a_version_that_the_list_does_not_know_names_the_setting(
    server: Releases, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "INDEX", server.url)
    error = failure(Settings(home=home, browser_version="1.2.3.4"))
    assert "1.2.3.4" in error.message and "ROVE_BROWSER_VERSION" in error.hint
    assert server.ranges_asked(PATH) == []


@pytest.mark.parametrize(
    "said", [b"<html>", b"[]", b'{"channels": {}}', b'{"channels": {"Stable": {"version": "../.."}}}']
)
def test_a_list_that_is_none_is_refused(server: Releases, home: Path, said: bytes) -> None:
    server.files["/last-known-good-versions-with-downloads.json"] = said
    error = failure(Settings(home=home, browser_mirror=server.url, browser_version="stable"))
    assert "ROVE_BROWSER_MIRROR" in error.hint
    assert len(server.asked) == 1


def test_a_silent_server_is_given_up(settings: Settings, server: Releases, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "SILENCE", 0.2)
    server.is_silent = True
    assert "in time" in failure(settings).message


def test_a_head_that_comes_a_byte_at_a_time_is_given_up(
    settings: Settings, server: Releases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "HEAD", 0.5)
    server.drips = True
    assert "in time" in failure(settings).message


def test_a_download_that_would_take_days_is_given_up(
    settings: Settings, server: Releases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "WINDOW", 0.0)
    monkeypatch.setattr(transfer, "SLOWEST", 2**30)
    assert "slow" in failure(settings).message


def test_where_nothing_listens_the_settings_that_help_are_named(home: Path, unused_port: int) -> None:
    error = failure(Settings(home=home, browser_mirror=f"http://127.0.0.1:{unused_port}"))
    for name in ("HTTPS_PROXY", "ROVE_BROWSER_MIRROR", "ROVE_BROWSER "):
        assert name in error.hint


def test_a_redirect_is_followed_but_not_from_an_encrypted_address_to_another(
    settings: Settings, server: Releases, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.files[f"/elsewhere{PATH}"] = server.files[PATH]
    server.moved = f"{server.url}/elsewhere"
    fetch(settings, silently)
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
    """The server stands in for the proxy too, which is asked with the whole address."""
    monkeypatch.setenv("HTTP_PROXY", server.url)
    monkeypatch.setenv("http_proxy", server.url)
    server.files[f"http://mirror.invalid{PATH}"] = browser_archive()
    assert fetch(Settings(home=home, browser_mirror="http://mirror.invalid"), silently).path.exists()


def test_a_host_that_no_proxy_names_is_asked_directly(
    settings: Settings, unused_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{unused_port}")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert fetch(settings, silently).path.exists()


def test_a_proxy_that_refuses_is_named_without_its_password(
    server: Releases, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", f"http://me:hidden@127.0.0.1:{server.port}")
    error = failure(Settings(home=home, browser_mirror="https://mirror.invalid"))
    assert f"127.0.0.1:{server.port}" in error.message and "hidden" not in error.message + error.hint
    assert "HTTPS_PROXY" in error.hint
    assert [path for path, _ in server.asked] == ["mirror.invalid:443"]


# Room, and several at once


def run(home: Path, server: Releases, limit: int = resource.RLIM_INFINITY) -> subprocess.Popen[str]:
    """`rove install --force` where there is no package manager, and where no file may be larger than `limit`."""
    environment = {**os.environ, "PATH": "/nowhere"}
    return subprocess.Popen(
        [sys.executable, "-m", "rove", "install", "--force", "--home", str(home), "--browser-mirror", server.url],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )


def test_a_disk_that_is_full_is_said_so(server: Releases, home: Path) -> None:
    """A limit on the size of files stands in for a full disk: writing fails in the middle in the same way."""
    process = run(home, server, limit=500_000)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "no room" in said and "ROVE_HOME" in said


def test_several_processes_at_once_fetch_it_once(server: Releases, home: Path) -> None:
    code = (
        "import sys; from rove.chromium.installation import fetch; from rove.settings import load;"
        "print(fetch(load(home=sys.argv[1], browser_mirror=sys.argv[2]), print).path)"
    )
    command = [sys.executable, "-c", code, str(home), server.url]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = [process.communicate(timeout=100)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], said
    assert all(str(home / "browsers" / VERSION / PROGRAM) in words for words in said)
    assert server.ranges_asked(PATH) == [None]
    assert left(home) == [VERSION]


def test_several_that_replace_it_at_once_leave_one_whole_browser(server: Releases, home: Path) -> None:
    server.cuts = [300_000]
    processes = [run(home, server) for _ in range(3)]
    said = [process.communicate(timeout=100)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], said
    assert left(home) == [VERSION]


def test_one_that_was_killed_while_unpacking_leaves_nothing_for_long(settings: Settings, home: Path) -> None:
    (home / "browsers" / "unpacking-abc" / "chrome-headless-shell").mkdir(parents=True)
    fetch(settings, silently)
    assert left(home) == [VERSION]


def test_the_command_tells_what_it_fetched(server: Releases, home: Path) -> None:
    process = run(home, server)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert f"Google Chrome for Testing {VERSION}" in said
    assert str(home / "browsers" / VERSION / PROGRAM) in said
