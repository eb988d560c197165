"""Chrome for Testing: where a build is listed, its archive, and the folder that builds are kept in."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import subprocess
import tempfile
import zipfile
import zlib
from collections.abc import Generator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from rove.browser.chromium.discovery import program_in
from rove.browser.chromium.download import DownloadUnavailable, discard, download, read_json, write_error
from rove.errors import BrowserUnavailable
from rove.records import dataclass
from rove.settings.chrome_version import is_exact

if TYPE_CHECKING:
    from rove.browser.browser import Meter, Progress

INDEX = "https://googlechromelabs.github.io/chrome-for-testing"
# All versions, with the URLs of their archives.
VERSIONS = "known-good-versions-with-downloads.json"
# The newest version of each channel, with the URLs of its archives.
CHANNEL_VERSIONS = "last-known-good-versions-with-downloads.json"
PLATFORMS = {("Linux", "x86_64"): "linux64", ("Darwin", "arm64"): "mac-arm64", ("Darwin", "x86_64"): "mac-x64"}
SHELL, FULL = "chrome-headless-shell", "chrome"

# Several times the size of an unpacked Chrome.
MAX_UNPACKED_BYTES = 4 * 2**30
UNPACKING_PREFIX = "unpacking-"
LOCK_FILE = ".lock"
# Seconds for a fetched browser to print its version.
VERSION_TIMEOUT = 30.0


@dataclass(frozen=True)
class Build:
    """One archive: a program of one version for one platform."""

    version: str
    program: str
    platform: str
    url: str

    @property
    def folder(self) -> str:
        """The only top-level folder of the archive."""
        return f"{self.program}-{self.platform}"


def locate(wanted: str, headless: bool, mirror: str | None) -> Build:
    """Find the archive of a version or channel for this machine.

    Google's lists contain the URLs of archives. A mirror has the same layout as Google's storage, so a URL follows from
    the version, and only the mirror receives requests.
    """
    program, platform = SHELL if headless else FULL, _platform()
    if mirror is None:
        version, url = _listed(wanted, program, platform)
        return Build(version, program, platform, url)
    version = wanted if is_exact(wanted) else _channel(mirror, wanted)["version"]
    return Build(version, program, platform, f"{mirror}/{version}/{platform}/{program}-{platform}.zip")


def _platform() -> str:
    machine = os.uname()
    found = PLATFORMS.get((machine.sysname, machine.machine))
    if found is None:
        raise DownloadUnavailable(
            f"Chrome for Testing has no build for {machine.sysname} on {machine.machine}.",
            hint="Install Chromium from your system's packages, on Debian with `apt-get install "
            "chromium-headless-shell`; or set ROVE_BROWSER to the path of one.",
        )
    return found


def _listed(wanted: str, program: str, platform: str) -> tuple[str, str]:
    entry = _version(wanted) if is_exact(wanted) else _channel(INDEX, wanted)
    try:
        downloads = entry["downloads"].get(program, ())
        urls = [download["url"] for download in downloads if download["platform"] == platform]
    except (AttributeError, KeyError, TypeError) as error:
        raise _invalid_list(INDEX) from error
    if not urls or not _is_address(urls[0]):
        raise _no_such_version(f"{wanted} of {program} for {platform}")
    return entry["version"], urls[0]


def _is_address(url: Any) -> bool:
    return isinstance(url, str) and url.startswith(f"{INDEX.partition('://')[0]}://")


def _version(wanted: str) -> dict[str, Any]:
    listed = read_json(f"{INDEX}/{VERSIONS}")
    try:
        found = [entry for entry in listed["versions"] if entry["version"] == wanted]
    except (KeyError, TypeError) as error:
        raise _invalid_list(INDEX) from error
    if not found:
        raise _no_such_version(wanted)
    return dict(found[0])


def _channel(index: str, wanted: str) -> dict[str, Any]:
    listed = read_json(f"{index}/{CHANNEL_VERSIONS}")
    try:
        entry = dict(listed["channels"][wanted.capitalize()])
        version = entry["version"]
    except (KeyError, TypeError, ValueError) as error:
        raise _invalid_list(index) from error
    if not isinstance(version, str) or not is_exact(version):
        raise _invalid_list(index)
    return entry


def _no_such_version(version: str) -> BrowserUnavailable:
    return BrowserUnavailable(
        f"Chrome for Testing has no version {version}.",
        hint=f"Leave ROVE_BROWSER_VERSION unset, or set it to stable or to a version that {INDEX}/{VERSIONS} lists.",
    )


def _invalid_list(index: str) -> BrowserUnavailable:
    return BrowserUnavailable(
        f"The list of versions at {index} is not one of Chrome for Testing's.",
        hint="Set ROVE_BROWSER_MIRROR to a copy of Chrome for Testing's files, and ROVE_BROWSER_VERSION to an exact "
        "version if the copy has no lists.",
    )


def unpack(archive: Path, folder: Path, top: str) -> None:
    """Unpack the top folder of an archive, with its executable files and symbolic links.

    Links are created after all files, so that no file is written through one. Each must resolve to a path inside the
    top folder, both when it is created and when all links are there, because a later link can change where an
    earlier one leads.
    """
    try:
        with zipfile.ZipFile(archive) as packed:
            members = packed.infolist()
            _require_size_limit(members)
            for member in members:
                _require_inside(member, top)
            for member in members:
                if not _is_link(member):
                    _write(packed, member, folder)
            links = [_link(packed, member, folder, top) for member in members if _is_link(member)]
        for link in links:
            _require_target_inside(link, folder, top)
    except (FileExistsError, IsADirectoryError, NotADirectoryError) as error:
        raise _invalid_archive(archive, f"two of its entries have the same name, {error.filename}") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, UnicodeError) as error:
        raise _invalid_archive(archive, str(error)) from error


def _require_size_limit(members: list[zipfile.ZipInfo]) -> None:
    if sum(member.file_size for member in members) > MAX_UNPACKED_BYTES:
        raise zipfile.BadZipFile(f"it unpacks to more than {MAX_UNPACKED_BYTES // 2**30} GB")


def _require_inside(member: zipfile.ZipInfo, top: str) -> None:
    parts = PurePosixPath(member.filename).parts
    if not parts or parts[0] != top or ".." in parts or "\\" in member.filename:
        raise zipfile.BadZipFile(f"{member.filename!r} lies outside of its folder {top}")


def _is_link(member: zipfile.ZipInfo) -> bool:
    return stat.S_ISLNK(member.external_attr >> 16)


def _write(packed: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path) -> None:
    path = folder / member.filename
    if member.is_dir():
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with packed.open(member) as source, path.open("xb") as target:  # zipfile compares the CRC at its end
        shutil.copyfileobj(source, target, 2**20)
    path.chmod(0o755 if member.external_attr >> 16 & stat.S_IXUSR else 0o644)


def _link(packed: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path, top: str) -> Path:
    path = folder.resolve() / member.filename
    if path.parent.resolve() != path.parent:
        raise zipfile.BadZipFile(f"the path of {member.filename!r} leads through another link")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(packed.read(member).decode())
    _require_target_inside(path, folder, top)
    return path


def _require_target_inside(link: Path, folder: Path, top: str) -> None:
    if not link.resolve().is_relative_to(folder.resolve() / top):
        raise zipfile.BadZipFile(f"{link.name!r} links to {str(link.readlink())!r}, outside of its folder")


def _invalid_archive(archive: Path, why: str) -> BrowserUnavailable:
    return BrowserUnavailable(
        f"{archive.name} cannot be unpacked: {why}.",
        hint="Run `rove install` again. If that does not help, ROVE_BROWSER_MIRROR, or a proxy, serves another file.",
    )


class Store:
    """The fetched browsers. A build is either complete or absent."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def fetch(self, build: Build, again: bool, progress: Progress, meter: Meter) -> Path:
        """Download, check and unpack a build, and return its program.

        If another process has installed it in the meantime, that one is used; `again` replaces an installed build.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with self._locked(progress):
                program = self._program(build)
                return program if program is not None and not again else self._install(build, progress, meter)
        except OSError as error:
            raise write_error(self._folder, error) from error

    def _program(self, build: Build) -> Path | None:
        found = program_in(str(self._folder / build.version / build.folder), build.program == "chrome-headless-shell")
        return Path(found) if found else None

    def _install(self, build: Build, progress: Progress, meter: Meter) -> Path:
        progress(f"  {build.url}")
        partial = self._folder / f"{build.version}-{build.folder}.zip.part"
        download(build.url, partial, meter)
        with tempfile.TemporaryDirectory(prefix=UNPACKING_PREFIX, dir=self._folder) as scratch:
            self._unpack(build, partial, Path(scratch))
            place(Path(scratch) / build.folder, self._folder / build.version / build.folder)
        discard(partial)
        found = self._program(build)
        assert found is not None, "the unpacked build had its program"
        return found

    def _unpack(self, build: Build, partial: Path, scratch: Path) -> None:
        try:
            unpack(partial, scratch, build.folder)
        except BrowserUnavailable:
            discard(partial)  # or the next call would unpack the same damaged file
            raise
        program = program_in(str(scratch / build.folder), build.program == "chrome-headless-shell")
        if program is None:
            discard(partial)
            raise BrowserUnavailable(
                f"{build.url} does not contain a browser.",
                hint="Check ROVE_BROWSER_MIRROR and ROVE_BROWSER_VERSION.",
            )
        require_start(program, build.version)

    @contextlib.contextmanager
    def _locked(self, progress: Progress) -> Generator[None]:
        """Let one process at a time write to the folder; the system releases the lock when the process ends."""
        lock = os.open(self._folder / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                progress("Another rove is fetching a browser: waiting for it.")
                fcntl.flock(lock, fcntl.LOCK_EX)
            self._remove_unfinished()
            yield
        finally:
            os.close(lock)

    def _remove_unfinished(self) -> None:
        """Remove the folders of processes that were killed while unpacking."""
        for unfinished in self._folder.glob(f"{UNPACKING_PREFIX}*"):
            shutil.rmtree(unfinished)


def place(unpacked: Path, target: Path) -> None:
    """Move a complete build to its place with one rename, so that no process ever sees a part of it.

    A build that it replaces is moved beside `unpacked`, and back again if the new one cannot be moved.
    """
    replaced = unpacked.with_name("replaced")
    target.parent.mkdir(exist_ok=True)
    if target.exists():
        target.rename(replaced)
    try:
        unpacked.rename(target)
    except OSError:
        if replaced.exists():
            replaced.rename(target)
        raise


def require_start(program: str, version: str) -> None:
    """Raise BrowserUnavailable for a program that does not start or is of another version."""
    command = [program, "--version", "--no-sandbox"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=VERSION_TIMEOUT, check=False)
        said = done.stdout.strip() if done.returncode == 0 else ""
        reason = f"it says it is {said!r}" if said else (done.stderr.strip() or f"exit code {done.returncode}")
    except (OSError, subprocess.TimeoutExpired) as error:
        said, reason = "", str(error)
    if version not in said.split():
        raise BrowserUnavailable(
            f"The fetched browser does not start as version {version}: {reason[-300:]}.",
            hint="If a library is missing, install your system's Chromium and its libraries, on Debian with "
            "`apt-get install chromium-headless-shell`; or set ROVE_BROWSER to the path of one.",
        )
