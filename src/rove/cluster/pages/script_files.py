"""A script of the caller's for nodes: the file, what it imports from beside it, and packages that it declares.

Nothing else of the folder is sent: there may be anything in it.
"""

from __future__ import annotations

import ast
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rove.errors import InvalidArguments
from rove.patterns import pattern
from rove.settings.toolset_file import parse_toml

# Inline metadata of scripts (PEP 723): comments with TOML.
_METADATA = pattern(r"^# /// script$\s(?P<content>(^#(| .*)$\s)+)^# ///$", re.MULTILINE)
_LEFT_OUT = shutil.ignore_patterns("__pycache__", ".*")


def check_script(script: Path) -> None:
    """Raise InvalidArguments for what is no script. It is not run here, where its packages need not be installed."""
    if script.suffix != ".py":
        raise InvalidArguments(f"{script} is not a Python file.", hint="Its name must end with .py.")
    tree = _parsed(script)
    if not any(isinstance(part, ast.AsyncFunctionDef) and part.name == "run" for part in tree.body):
        hint = "Write `async def run(session: rove.Session, url: str)`; docs/map.md has an example."
        raise InvalidArguments(f"{script} has no function `async def run(session, url)`.", hint=hint)


def runtime_env_for(script: Path, folder: Path) -> dict[str, Any]:
    """Copy what a script needs to a folder, and return Ray's runtime environment with it. Raises InvalidArguments."""
    for path in needed_files(script):
        target = folder / path.name
        if path.is_dir():
            shutil.copytree(path, target, ignore=_LEFT_OUT)
        else:
            shutil.copyfile(path, target)
    packages = declared_packages(script)
    return {"working_dir": str(folder), **({"pip": packages} if packages else {})}


def needed_files(script: Path) -> list[Path]:
    """Return the script, and the modules and packages beside it that it imports, or that these import."""
    found, new = {script.resolve()}, [script.resolve()]
    while new:
        sources = new.pop()
        for source in sorted(sources.rglob("*.py")) if sources.is_dir() else [sources]:
            beside = {path for name in _imported(_parsed(source)) if (path := _beside(script, name)) is not None}
            new += beside - found
            found |= beside
    return sorted(found)


def declared_packages(script: Path) -> list[str]:
    """Return the `dependencies` of a script's inline metadata. Raises InvalidArguments."""
    found = _METADATA.search(script.read_text(encoding="utf-8"))
    if found is None:
        return []
    lines = [line.removeprefix("#").removeprefix(" ") for line in found["content"].splitlines()]
    try:
        packages = parse_toml("\n".join(lines).encode()).get("dependencies", [])
    except ValueError as error:
        hint = "Correct the lines between `# /// script` and `# ///`."
        raise InvalidArguments(f"The metadata of {script} is not TOML: {error}.", hint=hint) from error
    if not isinstance(packages, list) or not all(isinstance(each, str) for each in packages):
        raise InvalidArguments(f"`dependencies` in the metadata of {script} must be a list of texts.")
    return list(packages)


def _parsed(script: Path) -> ast.Module:
    try:
        return ast.parse(script.read_bytes(), str(script))
    except (SyntaxError, ValueError) as error:
        message = f"{script} cannot be loaded: {type(error).__name__}: {error}"
        raise InvalidArguments(message, hint="Correct the script.") from error


def _imported(tree: ast.Module) -> Iterator[str]:
    """Yield the first names of the modules that a source imports."""
    for part in ast.walk(tree):
        if isinstance(part, ast.Import):
            yield from (each.name.partition(".")[0] for each in part.names)
        elif isinstance(part, ast.ImportFrom) and part.module is not None and not part.level:
            yield part.module.partition(".")[0]


def _beside(script: Path, name: str) -> Path | None:
    """Return the module or the package of that name beside a script, unless Python would find its own first."""
    if name in sys.builtin_module_names:
        return None
    folder = script.resolve().parent
    candidates = (folder / name, folder / f"{name}.py")
    return next((path for path in candidates if path.is_file() or any(path.glob("*.py"))), None)
