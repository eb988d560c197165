"""Paths of files as Playwright MCP shows them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def shown_path(path: str) -> str:
    """Return a path relative to the working directory of the server, or as it is if it lies elsewhere."""
    try:
        inner = Path(path).relative_to(Path.cwd())
    except ValueError:
        return path
    return f"./{inner}" if len(inner.parts) == 1 and not inner.name.startswith(".") else str(inner)


def outside_of(root: Path, paths: Iterable[str]) -> str | None:
    """Return the first path that does not lie in a folder; None if all do."""
    return next((path for path in paths if not (root / path).resolve().is_relative_to(root.resolve())), None)
