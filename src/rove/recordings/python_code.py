"""A recording as Python code: a program with rove's library, or a test with rove's plugin of pytest."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rove.action import registry
from rove.fields import schema_of
from rove.recorded_steps import RecordedStep, Recording, split
from rove.recordings.export import (
    NEW,
    SWITCH,
    Exported,
    TabVariables,
    first_tab,
    identifier,
    named_tab,
    operation_of,
    private_hosts,
    secret_names,
    variable_of,
)

LONGEST_LINE = 110
# Texts that are no parameters are quoted; a parameter is written as a name of the code.
NameOf = Callable[[str], str]


def to_python(recording: Recording) -> Exported:
    """Return a program that does what was recorded; its parameters are those of a function, and flags."""
    function = _function_name(recording.name)
    parameters = [(name, _python_name(name), value) for name, value in recording.parameters.items()]
    signature = ", ".join(["session: rove.Session", *(["*"] if parameters else []), *map(_parameter, parameters)])
    steps = [f"    {line}" for line in _lines(recording, _python_name, "await session.")] or ["    pass"]
    lines = [
        _docstring(
            recording, f"Run it: python {function}.py" + "".join(f" --{name} …" for name in recording.parameters)
        ),
        "",
        *(["import argparse"] if parameters else []),
        "import asyncio",
        "",
        "import rove",
        "",
        "",
        f"async def {function}({signature}) -> None:",
        *steps,
        "",
        "",
        "async def main() -> None:",
        *_arguments(parameters),
        f"    async with rove.open({_settings(recording)}) as session:",
        f"        await {function}({', '.join(['session', *(['**vars(given)'] if parameters else [])])})",
        "",
        "",
        'if __name__ == "__main__":',
        "    asyncio.run(main())",
    ]
    return Exported(("\n".join(lines) + "\n").encode(), f"{function}.py", _notes(recording))


def to_pytest(recording: Recording) -> Exported:
    """Return a test that does what was recorded; its parameters are variables of the environment."""
    function = _function_name(recording.name)
    names = _constants(recording)
    constants = [
        f"{names[name]} = os.environ{_environment(variable_of(recording, name), value)}"
        for name, value in recording.parameters.items()
    ]
    lines = [
        _docstring(recording, f"Run it: pytest test_{function}.py"),
        "",
        *(["import os"] if constants else []),
        "from typing import Any",
        "",
        *_fixture(recording, constants),
        *(["", ""] if constants or private_hosts(recording) else [""]),
        f"def test_{function}(rove_session: Any) -> None:",
        *([f"    {line}" for line in _lines(recording, names.__getitem__, "rove_session.")] or ["    pass"]),
    ]
    return Exported(("\n".join(lines) + "\n").encode(), f"test_{function}.py", _notes(recording))


def _constants(recording: Recording) -> dict[str, str]:
    """Return the constant of each parameter: two may differ in nothing but the case of their letters."""
    made: dict[str, str] = {}
    for name in recording.parameters:
        is_taken = name.upper() in made.values()
        made[name] = f"{name.upper()}_{len(made) + 1}" if is_taken else name.upper()
    return made


def _fixture(recording: Recording, constants: Sequence[str]) -> list[str]:
    """Return the constants, and the fixture that lets rove reach the hosts of this machine and network."""
    hosts = private_hosts(recording)
    if not hosts:
        return [*constants]
    return [
        "import pytest",
        *(["", *constants] if constants else []),
        "",
        "",
        '@pytest.fixture(scope="session")',
        "def rove_settings() -> dict[str, object]:",
        f'    return {{"allow_host": {_literal(hosts, str)}}}',
    ]


def _notes(recording: Recording) -> tuple[str, ...]:
    names = secret_names(recording)
    return (f"It types the secrets {', '.join(names)}, which rove's secrets file must have.",) if names else ()


def _function_name(name: str) -> str:
    made = identifier(name)
    return f"{made}_" if keyword.iskeyword(made) or made in ("main", "rove", "asyncio") else made


def _python_name(name: str) -> str:
    is_taken = keyword.iskeyword(name) or name in ("session", "rove") or re.fullmatch(r"tab\d+", name)
    return f"{name}_" if is_taken else name


def _docstring(recording: Recording, how: str) -> str:
    when = f" on {recording.recorded[:10]}" if recording.recorded else ""
    secrets = secret_names(recording)
    needs = f"\n\nNeeds these secrets in rove's secrets file: {', '.join(secrets)}." if secrets else ""
    end = "\n" if needs else ""
    return f'"""What rove recorded as {recording.name}{when}. {how}{needs}{end}"""'


def _parameter(parameter: tuple[str, str, str | None]) -> str:
    _, name, value = parameter
    return f"{name}: str" if value is None else f"{name}: str = {_quoted(value)}"


def _arguments(parameters: Sequence[tuple[str, str, str | None]]) -> list[str]:
    if not parameters:
        return []
    return [
        "    parser = argparse.ArgumentParser()",
        *(
            f'    parser.add_argument("--{name}", dest="{variable}", '
            + ("required=True)" if value is None else f"default={_quoted(value)})")
            for name, variable, value in parameters
        ),
        "    given = parser.parse_args()",
    ]


def _environment(variable: str, value: str | None) -> str:
    return f'["{variable}"]' if value is None else f'.get("{variable}", {_quoted(value)})'


def _settings(recording: Recording) -> str:
    hosts = private_hosts(recording)
    return f"allow_host={_literal(hosts, str)}" if hosts else ""


def _lines(recording: Recording, name_of: NameOf, receiver: str) -> list[str]:
    """Return the lines of all steps; `receiver` is what a method is called on, such as `await session.`."""
    tabs = TabVariables(recording, "tab", "tab1")
    first, listed = first_tab(recording), f"{_result(f'{receiver}tabs()')}.result.tabs"
    lines: list[str] = []
    for step in recording.steps:
        named = named_tab(step)
        if operation_of(step) == SWITCH and named and named not in tabs:
            lines.append(f"{tabs.add(named)} = {listed}[-1].id")
        call = receiver + _call(step, name_of, tabs)
        if operation_of(step) == NEW and tabs.is_named(step.tab):
            call = f"{tabs.add(step.tab)} = {_result(call)}.tab"
        lines.append(call)
    if lines and tabs.is_named(first):
        lines.insert(1, f"tab1 = {listed}[0].id")
    return lines


def _result(call: str) -> str:
    return f"({call})" if call.startswith("await ") else call


def _call(step: RecordedStep, name_of: NameOf, tabs: TabVariables) -> str:
    """Return the call of a step's method: required arguments by position, others by name."""
    schema = schema_of(registry()[step.action])
    required: list[str] = schema.get("required", [])
    positions = [_literal(step.arguments[name], name_of) for name in required if name in step.arguments]
    tab = named_tab(step)
    named = [
        f"{_python_name(name)}={tabs[tab] if name == 'tab' and tab in tabs else _literal(value, name_of)}"
        for name, value in step.arguments.items()
        if name not in required
    ]
    one_line = f"{step.action}({', '.join([*positions, *named])})"
    if len(one_line) <= LONGEST_LINE:
        return one_line
    return "\n".join([f"{step.action}(", *(f"        {each}," for each in [*positions, *named]), "    )"])


def _literal(value: Any, name_of: NameOf) -> str:
    if isinstance(value, str):
        return _text(value, name_of)
    if isinstance(value, list | tuple):
        items: Sequence[Any] = value
        return f"[{', '.join(_literal(item, name_of) for item in items)}]"
    if isinstance(value, dict):
        pairs: Mapping[str, Any] = value
        return f"{{{', '.join(f'{_quoted(key)}: {_literal(item, name_of)}' for key, item in pairs.items())}}}"
    return repr(value)


def _text(text: str, name_of: NameOf) -> str:
    """Return a text as code: a string, the name of a parameter, or an f-string of both."""
    parts = split(text)
    if len(parts) == 1 and isinstance(parts[0], tuple):
        return name_of(parts[0][0])
    if not any(isinstance(part, tuple) for part in parts):
        return _quoted("".join(str(part) for part in parts))
    inner = "".join(
        f"{{{name_of(part[0])}}}" if isinstance(part, tuple) else part.replace("{", "{{").replace("}", "}}")
        for part in parts
    )
    return "f" + _quoted(inner)


def _quoted(text: str) -> str:
    """Return a text as Python writes it, in double quotes unless it has some."""
    written = repr(text)
    if written.startswith("'") and '"' not in text:
        return f'"{written[1:-1]}"'.replace("\\'", "'")
    return written
