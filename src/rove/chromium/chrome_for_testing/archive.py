"""Unpacking an archive without trusting it: nothing is written outside of its own folder."""

from __future__ import annotations

import shutil
import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from rove.errors import BrowserUnavailable

# Several times what Chrome takes unpacked.
LARGEST = 4 * 2**30


def unpack(archive: Path, folder: Path, top: str) -> None:
    """Unpack the folder that an archive holds, with its executable files and links.

    Links are made last, so that no file is written through one, and each must end inside.
    """
    try:
        with zipfile.ZipFile(archive) as packed:
            members = packed.infolist()
            _require_modest(members)
            for member in members:
                _require_inside(member, top)
            for member in members:
                if not _is_link(member):
                    _write(packed, member, folder)
            for member in members:
                if _is_link(member):
                    _link(packed, member, folder, folder.resolve() / top)
    except (FileExistsError, IsADirectoryError, NotADirectoryError) as error:
        raise _damaged(archive, f"two of its entries want the same name, {error.filename}") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, UnicodeError) as error:
        raise _damaged(archive, str(error)) from error


def _require_modest(members: list[zipfile.ZipInfo]) -> None:
    if sum(member.file_size for member in members) > LARGEST:
        raise zipfile.BadZipFile(f"it unpacks to more than {LARGEST // 2**30} GB")


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


def _link(packed: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path, root: Path) -> None:
    path = folder.resolve() / member.filename
    path.parent.mkdir(parents=True, exist_ok=True)
    target = packed.read(member).decode()
    if path.parent.resolve() != path.parent:
        raise zipfile.BadZipFile(f"{member.filename!r} lies behind another link")
    path.symlink_to(target)
    if not path.resolve().is_relative_to(root):
        raise zipfile.BadZipFile(f"{member.filename!r} links to {target!r}, outside of its folder")


def _damaged(archive: Path, why: str) -> BrowserUnavailable:
    return BrowserUnavailable(
        f"{archive.name} cannot be unpacked: {why}.",
        hint="Run `rove install` again. If that does not help, ROVE_BROWSER_MIRROR, or a proxy, serves another file.",
    )
