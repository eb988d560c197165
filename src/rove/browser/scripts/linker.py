"""Linking of JavaScript modules into one script, which a browser evaluates in one call and without a module loader.

It understands the part of the language that the modules here keep to: imports come first and look like
`import { a, b } from "./x.js";`, exports like `export const a = 1;`, and each statement at the top of a module declares
one name. `link` runs at every start, so it only splits bytes; `check`, which the tests call, looks at every name.
"""

from __future__ import annotations

import os
from functools import cache
from os.path import dirname, join, normpath

_IMPORT_FORM = 'import { a, b } from "./x.js";'
_DECLARATIONS = ("const", "let", "class", "function", "async function")


class LinkError(Exception):
    """The modules cannot be linked; the text names the module and the reason."""


def link(folder: str, entry: str) -> str:
    """Return the code of an entry module and of all that it imports, each module after those that it imports."""
    code = b"".join([code for _, _, code in _modules(folder, entry)])
    return _without_comments(code).replace(b"\nexport ", b"\n").decode()


def check(folder: str, entry: str) -> None:
    """Raise LinkError where linked modules would mean something else than the modules by themselves."""
    exports: dict[str, set[str]] = {}
    declared_in: dict[str, str] = {}
    for path, head, typed_code in _modules(folder, entry):
        code = _without_comments(typed_code).decode()
        for source, names in _imports(path, head.decode()):
            if missing := set(names) - exports[source]:
                raise LinkError(f"{path} imports {', '.join(sorted(missing))}, which {source} does not export.")
        exports[path] = _exports(path, code)
        for name in _names(path, code.replace("\nexport ", "\n"), ""):
            if name in declared_in:
                raise LinkError(
                    f"{name} is declared in {declared_in[name]} and {path}: linked modules share one scope."
                )
            declared_in[name] = path


def _modules(folder: str, entry: str) -> list[tuple[str, bytes, bytes]]:
    """Return the path, the imports and the code of each module, in the order in which they must run."""
    found: list[tuple[str, bytes, bytes]] = []
    known: set[str] = set()
    trail: list[str] = []

    def add(path: str) -> None:
        trail.append(path)
        known.add(path)
        folder_of_path = dirname(path)
        head, code = _divided(_text(folder, trail))
        for statement in head.split(b' from "')[1:]:
            source = _resolved(folder_of_path, statement.partition(b'"')[0].decode())
            if source in trail:
                circle = " -> ".join([*trail[trail.index(source) :], source])
                raise LinkError(f"Modules import each other in a circle: {circle}.")
            if source not in known:
                add(source)
        trail.pop()
        found.append((path, head, code))

    add(entry)
    return found


@cache
def _resolved(folder: str, source: str) -> str:
    return normpath(join(folder, source))


def _text(folder: str, trail: list[str]) -> bytes:
    try:
        file = os.open(join(folder, trail[-1]), os.O_RDONLY)  # half the time of open(), for each of seventy files
    except OSError as error:
        importer = trail[-2] if len(trail) > 1 else "the caller"
        raise LinkError(f"{trail[-1]}, which {importer} asks for, cannot be read: {error.strerror}.") from error
    try:
        return b"\n" + os.read(file, os.fstat(file).st_size)
    finally:
        os.close(file)


def _without_comments(text: bytes) -> bytes:
    """Leave out the comments at the top, types among them: a third of the text, which means nothing to a browser."""
    first, *rest = text.split(b"\n/**")
    untyped = first + b"".join([part[part.index(b"*/") + 2 :] for part in rest])
    first, *rest = untyped.split(b"\n//")
    return first + b"".join([newline + code for _, newline, code in [part.partition(b"\n") for part in rest]])


def _divided(text: bytes) -> tuple[bytes, bytes]:
    """Divide the text of a module into its imports, after which a line is blank, and the rest."""
    first = text.find(b"\nimport ")
    end = text.find(b";\n\n", first) + 1 if first >= 0 else 0
    return text[:end], text[end:]


def _imports(path: str, head: str) -> list[tuple[str, list[str]]]:
    imports: list[tuple[str, list[str]]] = []
    for statement in head.split("\nimport ")[1:]:
        names, _, source = statement.strip().partition("} from ")
        if not names.startswith("{") or not source.startswith('".') or not source.endswith('";') or " as " in names:
            raise LinkError(f"{path}: cannot link `import {statement.strip()}`. Write: {_IMPORT_FORM}")
        listed = [name.strip() for name in names[1:].split(",")]
        imports.append((_resolved(dirname(path), source[1:-2]), [name for name in listed if name]))
    return imports


def _exports(path: str, code: str) -> set[str]:
    exports = _names(path, code, "export ")
    if code.count("\nexport ") != len(exports):
        raise LinkError(f"{path}: has an export that cannot be linked. Write: export const a = 1;")
    if "\nimport " in code or "\nimport{" in code:
        raise LinkError(f"{path}: has an import that cannot be linked. Write it before all code: {_IMPORT_FORM}")
    return set(exports)


def _names(path: str, code: str, before: str) -> list[str]:
    """Return the names that a module declares at the top, or of these the ones with a keyword before them."""
    return [
        _name(path, part.split("\n", 1)[0]) for kind in _DECLARATIONS for part in code.split(f"\n{before}{kind} ")[1:]
    ]


def _name(path: str, line: str) -> str:
    name = line.split(" ", 1)[0].split("(", 1)[0].rstrip(";")
    if not name.replace("$", "_").isidentifier():
        raise LinkError(f"{path}: cannot link the declaration of `{line}`. Declare one name per statement.")
    return name
