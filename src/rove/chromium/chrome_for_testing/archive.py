"""Unpacking an archive that is not trusted: nothing is written outside of its own folder."""

from __future__ import annotations

import shutil
import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from rove.errors import BrowserUnavailable

# Several times the size of an unpacked Chrome.
MAX_UNPACKED_BYTES = 4 * 2**30


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
