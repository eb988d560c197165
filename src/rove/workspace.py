"""The workspace: the only folder that files are uploaded from and written to.

Every path is opened component by component, from the folder's own descriptor and without following links, so that
neither `..` nor a link nor a change made meanwhile leads out of the folder.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import re
import shlex
import stat
import unicodedata
from collections.abc import Generator, Iterable, Iterator
from itertools import islice
from pathlib import Path, PurePosixPath

from rove.advice import nearest
from rove.errors import Denied, InvalidArguments, InvalidSettings, unwritable
from rove.page_text import NOWHERE, PageText
from rove.patterns import pattern
from rove.records import dataclass

LONGEST_NAME = 120
_RESERVED = pattern(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_UNSAFE = pattern(r'[\x00-\x1f\x7f-\x9f<>:"|?*\\/]')
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# The files of the workspace that are looked at, and those that an error names.
MOST_LISTED = 500
SHOWN = 5
FILES_HINT = "Name one that is there, or ask the user to add it. Downloads go there; {screenshot} can write there."
OUTSIDE_HINT = "Name a path inside it; the user can put files there, or set another folder with --workspace."
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True)
class OpenFile:
    """A regular file of the workspace. It is open, so that the file that is used is the one that was checked."""

    descriptor: int
    name: str
    size: int
    changed: int


class Workspace:
    """Reads and writes below one folder and nowhere else."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def names(self, path: str) -> bool:
        """Return whether a path is one in the workspace, whether or not there is a file."""
        try:
            self._parts(path)
        except Denied:
            return False
        return True

    @contextlib.contextmanager
    def reading(self, path: str) -> Generator[OpenFile]:
        """Open a file of the workspace. The path is relative to the workspace, or absolute and inside it."""
        *folders, name = self._parts(path)
        with self._folder(folders, path) as folder:
            try:
                # Non-blocking, as opening a pipe without a writer would wait for ever.
                file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
            except OSError as error:
                raise self._refused(path, error) from error
            try:
                facts = os.fstat(file)
                if not stat.S_ISREG(facts.st_mode):
                    raise Denied(
                        f"{path} is not a file, but a folder or something else.",
                        hint=f"Name a file in the workspace {self.root}.",
                    )
                yield OpenFile(file, name, facts.st_size, facts.st_mtime_ns)
            finally:
                os.close(file)

    def content(self, path: str) -> bytes:
        """Return the content of a file of the workspace, which is opened as `reading` does."""
        with self.reading(path) as file, os.fdopen(os.dup(file.descriptor), "rb") as opened:
            return opened.read()

    def write(self, folder: str, wanted: str, chunks: Iterable[bytes], replaces: bool = False) -> Path:
        """Write a file in a folder of the workspace; it gets its name, safe and unused, once it is complete.

        The folder may lie in others (`reports/may`). It is made if it does not exist. With `replaces`, a file of the
        same name is replaced.
        """
        with self._made_folder(folder, wanted) as (parts, opened):
            return self.root.joinpath(*parts, _write_new(opened, safe_name(wanted), chunks, replaces))

    def create(self, folder: str, wanted: str) -> tuple[Path, int]:
        """Make an empty file that is written little by little; return its path and a descriptor, which is the caller's.

        It has its name, safe and unused, from the beginning, so that what was written is found after a crash.
        """
        with self._made_folder(folder, wanted) as (parts, opened):
            for name in _candidates(safe_name(wanted)):
                with contextlib.suppress(FileExistsError):
                    return self.root.joinpath(*parts, name), os.open(name, _NEW_FILE, 0o600, dir_fd=opened)
        raise AssertionError("unreachable: the names never end")

    @contextlib.contextmanager
    def _made_folder(self, folder: str, wanted: str) -> Generator[tuple[list[str], int]]:
        """Open a folder, which is made if it does not exist; `wanted` is the name of a file in it."""
        parts = self._parts(f"{folder}/{safe_name(wanted)}")[:-1]  # the folder may be the workspace itself
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        for depth, part in enumerate(parts):
            with self._folder(parts[:depth], folder) as parent, contextlib.suppress(FileExistsError):
                os.mkdir(part, 0o700, dir_fd=parent)
        with self._folder(parts, folder) as opened:
            kept_open = os.dup(opened)
        try:
            yield parts, kept_open
        finally:
            os.close(kept_open)

    def append(self, path: Path, data: bytes) -> None:
        """Add to a file that `write` has made."""
        *folders, name = self._parts(str(path))
        with self._folder(folders, str(path)) as folder:
            file = os.open(name, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        with os.fdopen(file, "ab") as opened:
            opened.write(data)

    def remove(self, path: str) -> None:
        """Remove a file of the workspace, if it is there. A folder is not removed, nor what a link leads to."""
        *folders, name = self._parts(path)
        with contextlib.suppress(InvalidArguments), self._folder(folders, path) as folder:
            os.unlink(name, dir_fd=folder)

    async def save(self, folder: str, wanted: str, data: bytes, replaces: bool = False) -> Path:
        """Write a file as `write` does, in a thread. Raises BrowserUnavailable if the workspace cannot be written."""
        try:
            return await asyncio.to_thread(self.write, folder, wanted, (data,), replaces)
        except OSError as error:
            raise unwritable(self.root, error) from error

    def _parts(self, path: str) -> list[str]:
        given = PurePosixPath(path)
        if given.is_absolute():
            try:
                given = given.relative_to(PurePosixPath(str(self.root)))
            except ValueError:
                raise _outside(path, self.root) from None
        parts = list(given.parts)
        if not parts or ".." in parts or "\0" in path:
            raise _outside(path, self.root)
        return parts

    @contextlib.contextmanager
    def _folder(self, parts: list[str], path: str) -> Generator[int]:
        try:
            opened = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise self._refused(path, error) from error
        try:
            for part in parts:
                inner = os.open(part, _DIRECTORY, dir_fd=opened)
                os.close(opened)
                opened = inner
            yield opened
        except OSError as error:
            raise self._refused(path, error) from error
        finally:
            os.close(opened)

    def _refused(self, path: str, error: OSError) -> Denied | InvalidArguments:
        if not isinstance(error, FileNotFoundError):
            # Opening a link as a folder fails with ENOTDIR.
            is_link = error.errno in (errno.ELOOP, errno.ENOTDIR)
            reason = "a part of it is a link, or no folder" if is_link else error.strerror
            hint = f"Name a file in the workspace {self.root}, not a link."
            return Denied(f"{path} cannot be used: {reason}.", hint=hint)
        return InvalidArguments(
            f"There is no file {path} in the workspace {self.root}. ", *self._contents(path), hint=FILES_HINT
        )

    def _contents(self, path: str) -> tuple[str, ...]:
        """Say which files are there: those with a similar name, else the first."""
        names = list(islice(self._listed(), MOST_LISTED))
        if not names:
            return ("It is empty.",)
        wanted = PurePosixPath(path).name
        near = [name for name in names if nearest(wanted, [PurePosixPath(name).name])]
        shown = (near or names)[:SHOWN]
        rest = "" if near or len(names) <= SHOWN else f" and {len(names) - SHOWN} more"
        # Pages choose the names of what is downloaded.
        return "The nearest: " if near else "It holds: ", PageText(", ".join(shown), NOWHERE), f"{rest}."

    def _listed(self) -> Iterator[str]:
        """Yield the files of the workspace and of its folders, but not of those whose names must not be told."""
        for entry in _entries(self.root):
            if entry.is_file(follow_symlinks=False):
                yield entry.name
            elif entry.is_dir(follow_symlinks=False):
                inner = (each for each in _entries(Path(entry.path)) if each.is_file(follow_symlinks=False))
                yield from (f"{entry.name}/{each.name}" for each in inner)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(islice(found, MOST_LISTED), key=lambda entry: entry.name)
    except OSError:
        return []


def _write_new(folder: int, wanted: str, chunks: Iterable[bytes], replaces: bool) -> str:
    """Write a file under a temporary name and rename it when it is complete; return its name."""
    draft = f"{os.urandom(8).hex()}.part"
    try:
        with os.fdopen(os.open(draft, _NEW_FILE, 0o600, dir_fd=folder), "wb") as file:
            file.writelines(chunks)
        if replaces:
            os.rename(draft, wanted, src_dir_fd=folder, dst_dir_fd=folder)  # of a link, the link itself is replaced
            return wanted
        return _rename_to_unused(folder, draft, wanted)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(draft, dir_fd=folder)
        raise


def _rename_to_unused(folder: int, draft: str, wanted: str) -> str:
    """Give a file the wanted name, or one like it if that is taken; return it."""
    for name in _candidates(wanted):
        with contextlib.suppress(FileExistsError):
            # Reserves the name, which renaming alone would take from another file.
            os.close(os.open(name, _NEW_FILE, 0o600, dir_fd=folder))
            os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
            return name
    raise AssertionError("unreachable: the names never end")


def refuse_to_expose(workspace: Path, home: Path, own: tuple[Path, ...]) -> None:
    """Raise InvalidSettings if the workspace, from which agents send files, holds rove's settings or journal."""
    there = workspace.resolve()
    if home.resolve().is_relative_to(there) or any(there.is_relative_to(folder.resolve()) for folder in own):
        raise InvalidSettings(
            f"The workspace {workspace} holds rove's own files, and agents can send files from it.",
            hint="Set --workspace to another folder, or leave it out: the default is `workspace` in rove's home.",
        )


def reading_command(path: str) -> str:
    """Return the shell command that prints a file."""
    return f"cat {shlex.quote(path)}"


def safe_name(wanted: str) -> str:
    """Reduce an untrusted file name to a last component that is safe on every operating system."""
    last = re.split(r"[\\/]", unicodedata.normalize("NFC", wanted))[-1]
    visible = "".join(c for c in last if unicodedata.category(c) not in ("Cf", "Cc", "Cs", "Co", "Cn"))
    name = _UNSAFE.sub("_", visible).strip(" .").lstrip("-~")
    if not name or _RESERVED.fullmatch(name):
        name = f"file-{name}" if name else "file"
    stem, dot, ending = name.rpartition(".")
    if len(name.encode()) > LONGEST_NAME and dot and len(ending) <= 16:
        return _cut(stem, LONGEST_NAME - len(ending.encode()) - 1) + "." + ending
    return _cut(name, LONGEST_NAME)


def _cut(text: str, longest: int) -> str:
    return text.encode()[:longest].decode(errors="ignore")


def _candidates(name: str) -> Generator[str]:
    yield name
    stem, dot, ending = name.rpartition(".")
    number = 1
    while True:
        number += 1
        yield f"{stem}-{number}.{ending}" if dot else f"{name}-{number}"


def _outside(path: str, root: Path) -> Denied:
    return Denied(f"{path} lies outside the workspace {root}.", hint=OUTSIDE_HINT)
