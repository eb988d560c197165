"""Fetching npm packages by name into a folder that git ignores."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / ".peers"
# Nobody's own browser: all drive the same one.
_NO_DOWNLOADS = {"PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1", "PUPPETEER_SKIP_DOWNLOAD": "1"}
# No scripts: agent-browser's would fetch a binary that its package ships already.
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
    """A package could not be had; the text says why."""


@dataclass(frozen=True)
class Package:
    """An installed npm package."""

    folder: Path
    version: str

    def file(self, path: str) -> Path:
        """A file of the package, which must exist: packages move things between versions."""
        file = self.folder / path
        if not file.exists():
            raise NotInstalled(f"{self.folder.name} {self.version} has no {path}")
        return file


def install(name: str, *, fetch: bool = True) -> Package:
    """The newest version of a package; each has a folder of its own, so that one failure spoils no other."""
    folder = FOLDER / name.replace("/", "-").lstrip("@")
    problem = _fetch(name, folder) if fetch else "fetching is off"
    installed = folder / "node_modules" / name
    try:
        facts = json.loads((installed / "package.json").read_text())
    except OSError:
        raise NotInstalled(problem or f"npm left no {name}") from None
    if fetch and problem:
        print(f"  {name}: {problem}; using the copy that is here, {facts['version']}")
    return Package(installed, str(facts["version"]))


def _fetch(name: str, folder: Path) -> str:
    """Run npm; the answer is what went wrong, or nothing."""
    if shutil.which("npm") is None:
        return "npm is not installed"
    folder.mkdir(parents=True, exist_ok=True)
    # `@latest` by hand: a range or an engine check may otherwise settle for an old version.
    command = [*_NPM, "--prefix", str(folder), f"{name}@latest"]
    try:
        done = subprocess.run(
            command, env=os.environ | _NO_DOWNLOADS, capture_output=True, text=True, timeout=300, check=False
        )
    except subprocess.TimeoutExpired:
        return "npm did not finish in 300 s"
    return "" if done.returncode == 0 else f"npm failed: {done.stderr.strip()[-300:]}"
