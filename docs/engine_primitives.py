"""The page docs/engines_primitives.md: what an engine must give, from the abstract methods of the shared layer."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from docs.markdown import row

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "src/rove/browser/shared"
# From the outside in: what is started, what it has, what a page is made of.
ORDER = (
    "engine", "process", "browser", "connection", "context", "resources", "tab", "live_page", "frames", "navigation",
    "input", "person_input", "capture", "dialogs", "interception", "logs", "storage", "workers", "downloads",
    "profiler",
)  # fmt: skip


def primitive_lines() -> Iterator[str]:
    """Yield a table for each file that has primitives: the class, the method, what it has to do."""
    files = sorted(FOLDER.glob("*.py"), key=lambda file: (_place(file.stem), file.stem))
    for file in files:
        found = [
            (owner.name, method)
            for owner in ast.parse(file.read_text("utf-8")).body
            if isinstance(owner, ast.ClassDef)
            for method in owner.body
            if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and _is_primitive(method)
        ]
        if found:
            yield from (f"## `{file.stem}.py`", "", row("class", "primitive", "what it does"), row("---", "---", "---"))
            for owner, method in found:
                yield row(f"`{owner}`", f"`{method.name}`", _told(method))
            yield ""


def _place(name: str) -> int:
    return ORDER.index(name) if name in ORDER else len(ORDER)


def _is_primitive(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(mark, ast.Name) and mark.id == "abstractmethod" for mark in method.decorator_list)


def _told(method: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return the first line of a docstring. Raises ValueError where a primitive has none."""
    text = ast.get_docstring(method)
    if text is None:
        raise ValueError(f"the primitive {method.name} has no docstring")
    return text.partition("\n")[0]
