"""docs/architecture.md and docs/internals.md name only folders and files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "rove"
_PATH = re.compile(
    r"(?<![\w./-])((?:[a-z_]+/)+(?:[a-z_]+\.(?:py|js))?|[a-z_]+/[a-z_/]+\.(?:py|js)|[a-z_]+\.(?:py|js))(?![\w/])"
)
# Engines that do not exist yet.
ABSENT = {"firefox/", "webkit/"}


def named_paths(page: str) -> set[str]:
    return set(_PATH.findall((ROOT / "docs" / page).read_text(encoding="utf-8"))) - ABSENT


def exists(path: str) -> bool:
    return any(True for _ in SOURCE.rglob(path.rstrip("/"))) or (ROOT / path).exists()


@pytest.mark.parametrize("page", ["architecture.md", "internals.md"])
def test_every_path_that_the_page_names_exists(page: str) -> None:
    paths = named_paths(page)
    assert len(paths) > 5
    assert [path for path in sorted(paths) if not exists(path)] == []


def folders() -> list[Path]:
    return [SOURCE, *(folder for folder in SOURCE.rglob("*") if folder.is_dir() and folder.name != "__pycache__")]


@pytest.mark.parametrize("folder", folders(), ids=lambda folder: str(folder.relative_to(ROOT / "src")))
def test_every_package_has_a_docstring(folder: Path) -> None:
    init = folder / "__init__.py"
    if init.exists():
        assert init.read_text(encoding="utf-8").startswith('"""')
