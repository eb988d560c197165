"""The packages and modules of rove, each with what its docstring says of it, from the top layer down."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

from docs.markdown import row

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "rove"
LAYERS = "Dependencies point down"


def package_table() -> Iterator[str]:
    """A row for each package: its name, what it is about, and its files."""
    yield row("package", "what it is about", "its files")
    yield "|---|---|---|"
    for name in _layered():
        if (SOURCE / name).is_dir():
            for init in sorted((SOURCE / name).rglob("__init__.py"), key=lambda path: path.parent.parts):
                files = sorted(path.stem for path in init.parent.glob("*.py") if path.stem != "__init__")
                yield row(f"`{init.parent.relative_to(SOURCE)}/`", _about(init), ", ".join(files))


def module_table() -> Iterator[str]:
    """A row for each module beside the packages."""
    yield row("module", "what it is about")
    yield "|---|---|"
    for name in _layered():
        if (path := SOURCE / f"{name}.py").exists():
            yield row(f"`{path.name}`", _about(path))


def _layered() -> Iterator[str]:
    """Names in the order of the layers that import-linter enforces."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = next(contract["layers"] for contract in settings["contracts"] if contract["name"] == LAYERS)
    for layer in layers:
        yield from layer.split(" | ")


def _about(path: Path) -> str:
    """Return the first paragraph of a module's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split())
