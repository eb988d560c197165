"""Type declarations of the Python library's methods, one for each action, with what editors show of them."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import textwrap
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from rove.action import AnyAction, registry
from rove.surfaces.library.method import docstring

# Of a line in a docstring, which is indented by eight.
WIDTH = 108
HEAD = '''"""{doc}

Written by docs/method_stubs.py from the actions: change those, then run `make docs`.
"""

'''


def method_stub(module: str, cls: str, doc: str, *, is_async: bool) -> str:
    """Return a stub that declares a class with a method for every action."""
    writer = _StubWriter(is_async)
    methods = "\n".join(writer.method(action) for action in registry().values())
    own = f'class {cls}:\n    """{doc}"""\n\n{textwrap.indent(methods, "    ")}\n'
    text = HEAD.format(doc=module) + "\n".join(writer.imports()) + "\n\n" + own
    return _formatted(text)


class _StubWriter:
    """Writes methods, and remembers what has to be imported for their types."""

    def __init__(self, is_async: bool) -> None:
        self._start = "async def" if is_async else "def"
        self._imported: dict[str, set[str]] = {"rove.outcome": {"Outcome"}}

    def method(self, action: type[AnyAction]) -> str:
        hints = get_type_hints(action)
        fields = dataclasses.fields(action)  # type: ignore[arg-type]
        parameters = ", ".join(["self", *(self._parameter(field, hints[field.name]) for field in fields)])
        result = f"Outcome[{self._name_of(action.result)}]"
        text = "\n".join(map(_folded, docstring(action).replace("\\", "\\\\").splitlines()))
        lines = text if "\n" not in text else text + "\n"
        return f"{self._start} {action.verb}({parameters}) -> {result}:\n{textwrap.indent(_quoted(lines), '    ')}\n"

    def imports(self) -> Iterator[str]:
        for module, names in sorted(self._imported.items()):
            yield f"from {module} import {', '.join(sorted(names))}"

    def _parameter(self, field: dataclasses.Field[Any], hint: Any) -> str:
        default = "" if field.default is dataclasses.MISSING else f" = {_default(field.default)}"
        return f"{field.name}: {self._type(hint)}{default}"

    def _type(self, hint: Any) -> str:
        origin, arguments = get_origin(hint), get_args(hint)
        if hint is None or hint is type(None):
            return "None"
        if hint is Any:
            return self._import("typing", "Any")
        if origin in (Union, types.UnionType):
            return " | ".join(dict.fromkeys(self._type(each) for each in arguments))
        if origin is Literal:
            return f"{self._import('typing', 'Literal')}[{', '.join(map(repr, arguments))}]"
        # Callers may give any sequence and any mapping.
        if origin in (tuple, list, Sequence):
            return f"{self._import('collections.abc', 'Sequence')}[{self._item(arguments[0])}]"
        if origin in (dict, Mapping):
            return f"{self._import('collections.abc', 'Mapping')}[{', '.join(map(self._type, arguments))}]"
        return self._name_of(hint)

    def _item(self, hint: Any) -> str:
        if not dataclasses.is_dataclass(hint):
            return self._type(hint)
        mapping = self._import("collections.abc", "Mapping")
        return f"{self._type(hint)} | {mapping}[str, {self._import('typing', 'Any')}]"

    def _name_of(self, cls: type[Any]) -> str:
        return cls.__name__ if cls.__module__ == "builtins" else self._import(cls.__module__, cls.__name__)

    def _import(self, module: str, name: str) -> str:
        self._imported.setdefault(module, set()).add(name)
        return name


def _default(value: Any) -> str:
    is_plain = value is None or isinstance(value, bool | int | float | str) or value == ()
    return repr(value) if is_plain else "..."


def _folded(line: str) -> str:
    return textwrap.fill(line, WIDTH, subsequent_indent="    ", break_on_hyphens=False)


def _quoted(text: str) -> str:
    return f'"""{text}"""'


def _formatted(text: str) -> str:
    """Return a stub as the formatter and the linter want it."""
    ruff = [sys.executable, "-m", "ruff"]
    options = {"input": text, "capture_output": True, "text": True, "check": True}
    for command in (["check", "--select", "I", "--fix", "--quiet"], ["format"]):
        arguments = [*ruff, *command, "--stdin-filename", "src/rove/stub.pyi", "-"]
        options["input"] = subprocess.run(arguments, **options).stdout  # type: ignore[call-overload]
    return str(options["input"])
