"""Fetching npm packages by name into a folder that git ignores."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / ".peers"
# All servers drive the same browser, so theirs are not downloaded.
_NO_DOWNLOADS = {"PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1", "PUPPETEER_SKIP_DOWNLOAD": "1"}
# No install scripts: agent-browser's would download a binary that its package already contains.
_NPM = (
    "npm",
    "install",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-package-lock",
    "--loglevel=error",
)


class NotInstalled(Exception):
    """A package could not be installed; the message says why."""


@dataclass(frozen=True)
class Package:
    """An installed npm package."""

    folder: Path
    version: str

    def file(self, path: str) -> Path:
        """Return a file of the package; raise NotInstalled if this version does not have it."""
        file = self.folder / path
        if not file.exists():
            raise NotInstalled(f"{self.folder.name} {self.version} has no {path}")
        return file


def install(name: str, *, fetch: bool = True) -> Package:
    """Install the newest version of a package, in its own folder so that a failure affects no other."""
    folder = FOLDER / name.replace("/", "-").lstrip("@")
    problem = _fetch(name, folder) if fetch else "fetching is off"
    installed = folder / "node_modules" / name
    try:
        facts = json.loads((installed / "package.json").read_text())
    except OSError:
        raise NotInstalled(problem or f"npm left no {name}") from None
    if fetch and problem:
        print(f"  {name}: {problem}; using the installed version {facts['version']}")
    return Package(installed, str(facts["version"]))


def install_listed(listed: Path, *, fetch: bool = True) -> Path:
    """Install the packages that a file lists as `name@version`, in one folder, and return it; once for each list."""
    folder = FOLDER / listed.parent.name
    done = folder / "packages.txt"
    if done.exists() and done.read_bytes() == listed.read_bytes():
        return folder
    problem = _run(folder, listed.read_text().split()) if fetch else "fetching is off"
    if problem:
        raise NotInstalled(problem)
    done.write_bytes(listed.read_bytes())
    return folder


def _fetch(name: str, folder: Path) -> str:
    """Install the newest version; return what went wrong, or an empty string."""
    # With `@latest`, because npm may otherwise choose an older version.
    return _run(folder, [f"{name}@latest"])


def _run(folder: Path, names: Sequence[str]) -> str:
    """Run npm; return what went wrong, or an empty string."""
    if shutil.which("npm") is None:
        return "npm is not installed"
    folder.mkdir(parents=True, exist_ok=True)
    command = [*_NPM, "--prefix", str(folder), *names]
    try:
        done = subprocess.run(
            command, env=os.environ | _NO_DOWNLOADS, capture_output=True, text=True, timeout=300, check=False
        )
    except subprocess.TimeoutExpired:
        return "npm did not finish in 300 s"
    return "" if done.returncode == 0 else f"npm failed: {done.stderr.strip()[-300:]}"
