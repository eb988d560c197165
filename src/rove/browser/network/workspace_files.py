"""`file:` addresses that lead into the workspace. rove reads these files itself; the browser reads none."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import unquote

from rove.errors import Denied
from rove.page_text import of_same_author
from rove.settings.tree import Settings
from rove.workspace import Workspace

FILE_SCHEME = "file:"
UNKNOWN_TYPE = "application/octet-stream"
HINT = "Use an http: or https: address, or a file of the workspace."


class WorkspaceFiles:
    """The files that `file:` addresses may open: regular files of one folder, without links on the way."""

    def __init__(self, root: Path, max_bytes: int) -> None:
        self._root = root
        self._max_bytes = max_bytes

    def path_of(self, url: str) -> str:
        """Return the path that an address names. Raises Denied if it leads out of the workspace, as far as it says."""
        path = _path_in(url)
        inside = _below(path, self._root) or _below(path, self._root.resolve())
        if inside is None or ".." in inside.split("/") or "\\" in inside or "\0" in inside:
            raise Denied(of_same_author(url[:200], url), f" lies outside the workspace {self._root}.", hint=HINT)
        return inside

    def check(self, url: str) -> None:
        """Raise Denied or InvalidArguments if an address does not name a file that may be opened."""
        with Workspace(self._root).reading(self.path_of(url)):
            pass

    def read(self, url: str) -> tuple[bytes, str]:
        """Return the bytes and the MIME type of a file. Raises Denied or InvalidArguments."""
        import mimetypes  # not needed to start

        path = self.path_of(url)
        with Workspace(self._root).reading(path) as file:
            if file.size > self._max_bytes:
                raise Denied(f"{path} has {file.size} bytes, and {self._max_bytes} are allowed.", hint=HINT)
            with os.fdopen(os.dup(file.descriptor), "rb") as opened:
                return opened.read(), mimetypes.guess_type(file.name)[0] or UNKNOWN_TYPE


def files_for(settings: Settings) -> WorkspaceFiles | None:
    """Return the files that `file:` addresses may open; None if the settings or the engine refuse these addresses."""
    # Only Chromium lets rove read the files: another browser would show every file in a frame of one that it opens.
    if settings.guard.files == "refuse" or settings.attach is not None or settings.engine != "chromium":
        return None
    return WorkspaceFiles(settings.workspace_folder, settings.limits.page_megabytes * 2**20)


def _path_in(url: str) -> str:
    """Return the path of a file address as a browser reads it, with its escapes resolved once."""
    from ada_url import URL  # imported late: it takes 5 ms, and few agents open files

    try:
        parsed = URL(url)
    except ValueError:
        raise Denied(of_same_author(url[:200], url), " is not a valid address.", hint=HINT) from None
    if parsed.protocol != FILE_SCHEME or parsed.hostname not in ("", "localhost"):
        raise Denied(of_same_author(url[:200], url), " is not a file of this machine.", hint=HINT)
    return unquote(parsed.pathname)


def _below(path: str, root: Path) -> str | None:
    """Return what follows the root in a path; None if it is not below the root."""
    prefix = f"{root}/"
    return path[len(prefix) :] if path.startswith(prefix) and path != prefix else None
