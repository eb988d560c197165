"""Writes the reference pages, and the marked blocks of README.md, from the code that they describe.

`python -m docs.generate` writes what has changed; with `--check` it writes nothing and fails on a difference.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from bench.session_costs.table import cost_table, waiting_table

from docs.action_reference import action_lines, more_tools_table, tools_table
from docs.cli_reference import cli_lines
from docs.contract_table import contract_table
from docs.engine_primitives import primitive_lines
from docs.engine_table import engine_table
from docs.feature_table import feature_table
from docs.gateway_reference import gateway_lines
from docs.markdown import listed, row
from docs.method_stubs import method_stub
from docs.package_table import module_table, package_table
from rove import errors
from rove.action import registry
from rove.advice import insert_names
from rove.errors import RoveError
from rove.settings.tree import Option, options

ROOT = Path(__file__).resolve().parent.parent
NOTICE = "<!-- Written by docs/generate.py from the code: change that, then run `make docs`. -->"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m docs.generate", description="Write the generated pages.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a page is stale")
    check = parser.parse_args().check
    stale = {path: text for path, text in pages().items() if not path.exists() or path.read_text("utf-8") != text}
    for path, text in stale.items():
        name = path.relative_to(ROOT)
        if check:
            print(f"{name} is stale: run `make docs`", file=sys.stderr)
        else:
            path.write_text(text, "utf-8")
            print(f"wrote {name}")
    return 1 if check and stale else 0


def pages() -> dict[Path, str]:
    """Every generated page and what it should say."""
    made: dict[str, Callable[[], Iterator[str]]] = {
        "actions.md": actions_page,
        "settings.md": settings_page,
        "errors.md": errors_page,
        "cli.md": cli_page,
        "gateway.md": gateway_page,
        "engines_primitives.md": primitives_page,
    }
    written = {ROOT / "docs" / name: "\n".join(page()) + "\n" for name, page in made.items()}
    blocks = {
        "README.md": readme(),
        "docs/architecture.md": architecture_page(),
        "docs/engines.md": engines_page(),
        "docs/cluster.md": cluster_page(),
        "docs/toolsets.md": toolsets_page(),
    }
    return {**written, **stubs(), **{ROOT / name: text for name, text in blocks.items()}}


def stubs() -> dict[Path, str]:
    """Return the declarations of the Python library's methods."""
    folder = ROOT / "src/rove/surfaces/library"
    return {
        folder / "action_methods.pyi": method_stub(
            "A coroutine method for every action.",
            "ActionMethods",
            "A method for every action. Each returns an Outcome or raises a RoveError.",
            is_async=True,
        ),
        folder / "blocking_methods.pyi": method_stub(
            "A blocking method for every action.",
            "BlockingMethods",
            "A method for every action, which waits for its outcome. Each returns an Outcome or raises a RoveError.",
            is_async=False,
        ),
    }


# Actions


def actions_page() -> Iterator[str]:
    yield from ("# Actions", "", NOTICE, "")
    yield from action_lines()


# Engines


def primitives_page() -> Iterator[str]:
    yield from ("# What an engine must give", "", NOTICE, "")
    yield (
        "An engine is a package beside `browser/chromium/`, whose classes derive from those of `browser/shared/`. "
        "These do what all engines do alike, and are what the layers above see. Here are their abstract methods: what "
        "the protocol of a browser has to have commands and events for. A feature that an engine lacks raises "
        "`Unsupported`."
    )
    yield from (
        "",
        "Beside them an engine names its classes of the parts of a page (`Tab.input_type`, `InputDevices.mouse_type`, "
        "`LivePage.dialogs_type`, `requests_type`, `origins_type`), and tells these parts what its browser reports.",
        "",
    )
    yield from primitive_lines()


# Settings


def settings_page() -> Iterator[str]:
    yield from ("# Settings", "", NOTICE, "")
    yield from SETTINGS_INTRODUCTION.splitlines()
    for table, group in groupby(options(), key=lambda option: option.path[:-1]):
        yield from ("", f"## `[{'.'.join(table)}]`" if table else "## At the top of the file", "")
        yield from ("| key | variable | flag | default | |", "|---|---|---|---|---|")
        yield from map(_setting, group)


def _setting(option: Option) -> str:
    flag = f"`{option.flag}`, `{option.flag.replace('--', '--no-', 1)}`" if option.is_switch else f"`{option.flag}`"
    choices = f" One of {listed(option.choices, 'or')}." if option.choices else ""
    return row(f"`{option.key}`", f"`{option.variable}`", flag, _toml(option.default), option.description + choices)


def _toml(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`{json.dumps(value)}`"
    return f"`{value}`" if isinstance(value, int | float) else f'`"{value}"`'


# Errors


def errors_page() -> Iterator[str]:
    yield from ("# Errors", "", NOTICE, "")
    yield from ERRORS_INTRODUCTION.splitlines()
    yield from ("", "| code | class | meaning | try again? | hint, unless the error has a better one |")
    yield "|---|---|---|---|---|"
    meanings = _drawn_meanings()
    names = {verb: f"`{verb}`" for verb in registry()}
    for cls in _tree(RoveError):
        meaning = meanings[cls.__name__] if cls is not RoveError else "the root of the tree; raised itself, a fault"
        retry = "yes" if cls.retryable else "no"
        yield row(f"`{cls.code}`", f"`{cls.__name__}`", meaning, retry, insert_names(cls.default_hint, names))


def _tree(root: type[RoveError]) -> Iterator[type[RoveError]]:
    yield root
    for child in root.__subclasses__():
        yield from _tree(child)


def _drawn_meanings() -> dict[str, str]:
    """The sentences of the tree at the top of errors.py, which is the one place that has them."""
    drawn = re.findall(r"[├└]── (\w+) +(\w+) +(.+)", errors.__doc__ or "")
    classes = {cls.__name__: cls.code for cls in _tree(RoveError) if cls is not RoveError}
    if {name: code for name, code, _ in drawn} != classes:
        raise SystemExit("The tree drawn at the top of src/rove/errors.py differs from the classes below it.")
    return {name: meaning for name, _, meaning in drawn}


# Command line


def cli_page() -> Iterator[str]:
    yield from ("# Command line", "", NOTICE, "")
    yield from cli_lines()


# The gateway


def gateway_page() -> Iterator[str]:
    yield from ("# The gateway", "", NOTICE, "")
    yield from gateway_lines()


# The architecture


def architecture_page() -> str:
    """docs/architecture.md as it is, with the tables of the packages and modules."""
    text = _with_block((ROOT / "docs/architecture.md").read_text("utf-8"), "packages", package_table())
    return _with_block(text, "modules", module_table())


# Engines


def engines_page() -> str:
    """docs/engines.md as it is, with the matrix of features and the table of the last runs."""
    text = _with_block((ROOT / "docs/engines.md").read_text("utf-8"), "features", feature_table())
    return _with_block(text, "engines", engine_table())


# Toolsets


def toolsets_page() -> str:
    """docs/toolsets.md as it is, with the table of the contracts' lines and their tests."""
    return _with_block((ROOT / "docs/toolsets.md").read_text("utf-8"), "contracts", contract_table())


# The cluster


def cluster_page() -> str:
    """docs/cluster.md as it is, with the tables of what sessions cost."""
    costs = json.loads((ROOT / "docs/cluster_results/session_costs.json").read_text("utf-8"))
    text = (ROOT / "docs/cluster.md").read_text("utf-8")
    text = _with_block(text, "session costs", cost_table(costs))
    return _with_block(text, "waiting times", waiting_table(costs))


# README


def readme() -> str:
    """README.md as it is, with what stands between its markers made anew."""
    text = (ROOT / "README.md").read_text("utf-8")
    text = _with_block(text, "tools", tools_table())
    text = _with_block(text, "more tools", more_tools_table())
    return _with_block(text, "examples/order_tea.py", _code("examples/order_tea.py"))


def _with_block(text: str, name: str, lines: Iterable[str]) -> str:
    begin, end = f"<!-- begin {name} -->\n", f"\n<!-- end {name} -->"
    before, begun, rest = text.partition(begin)
    _, ended, after = rest.partition(end)
    if not (begun and ended):
        raise SystemExit(f"There must be a block from {begin.strip()} to {end.strip()}.")
    return "".join([before, begun, "\n", "\n".join(lines), "\n", ended, after])


def _code(path: str) -> list[str]:
    return ["```python", *(ROOT / path).read_text("utf-8").rstrip().splitlines(), "```"]


SETTINGS_INTRODUCTION = """\
A setting comes from, each stronger than the one before: its default, `$ROVE_HOME/config.toml`, its environment
variable, its flag, which every command takes. `rove config show` prints the value in force and where it came from. In
Python a setting is a keyword of `rove.open`, with two underscores for the dot: `rove.open(limits__tabs=3)`. A name that
does not exist is refused, and the nearest one that does is named.

```toml
# config.toml: limits.tabs is the key `tabs` in the table [limits]
headless = false

[limits]
tabs = 5
```"""

ERRORS_INTRODUCTION = """\
Every failure has a `code` that stays the same between releases, a message, a `hint` that says what to try next, and
tells whether trying again can help. Python raises the class. An MCP client gets a result with `isError`: its text is
`code: message` and the hint, and `structuredContent.error` has all four; a refusal for lack of room also has
`retry_after`, the seconds after which the same call is likely to be taken. The command line prints message and hint
and exits with 1.

A hint names actions as the caller knows them: `browser_snapshot` for an MCP client, `session.snapshot()` in Python. In
this table they stand as in the catalogue."""


if __name__ == "__main__":
    sys.exit(main())
