"""Writes the reference pages, and the marked blocks of README.md, from the code that they describe.

`python -m docs.generate` writes what has changed; with `--check` it writes nothing and fails on a difference.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from docs.cli_reference import cli_lines
from docs.engine_table import engine_table
from docs.gateway_reference import gateway_lines
from docs.method_stubs import method_stub
from rove import errors
from rove.action import CORE, AnyAction, Effect, fields_of, registry
from rove.advice import insert_names
from rove.errors import RoveError
from rove.settings.tree import Option, options
from rove.toolsets.catalogue import EVERYTHING, PREFIX
from rove.toolsets.toolset import catalogue_toolset
from rove.validation.fields import schema_of

ROOT = Path(__file__).resolve().parent.parent
NOTICE = "<!-- Written by docs/generate.py from the code: change that, then run `make docs`. -->"
EFFECTS = {
    Effect.READ: "looks, and changes nothing",
    Effect.ACT: "does what a user could do with a browser",
    Effect.NAVIGATE: "makes a tab load an address",
    Effect.SCRIPT: "runs code in the page, or reads and changes what the page stores",
    Effect.SEND_FILE: "hands files of the workspace to a page",
    Effect.SECRET: "uses saved logins, reads the value of a cookie, or types a named secret, beside another effect of "
    "what is given `secret:NAME`",
    Effect.SPAWN: "opens something that stays open until it is closed",
    Effect.HANDOFF: "asks a person to drive, and waits for them",
}
BOUNDS = {
    "minimum": "at least {}", "exclusiveMinimum": "above {}", "maximum": "at most {}",
    "minItems": "at least {}", "maxItems": "at most {}", "maxLength": "at most {} characters",
}  # fmt: skip
Schema = Mapping[str, Any]
WORDS = {
    type(None): "null", bool: "boolean", int: "integer", float: "number", str: "string", dict: "object",
}  # fmt: skip


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
    }
    written = {ROOT / "docs" / name: "\n".join(page()) + "\n" for name, page in made.items()}
    return {**written, **stubs(), ROOT / "README.md": readme(), ROOT / "docs/engines.md": engines_page()}


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
    yield from ACTIONS_INTRODUCTION.splitlines()
    yield from ("", "| effect | such an action |", "|---|---|")
    yield from map(_effect, Effect)
    for module, group in groupby(registry().values(), key=lambda cls: cls.__module__):
        yield from ("", f"## {_doc(sys.modules[module]).removesuffix('.')}")
        for cls in group:
            yield from _action_section(cls)


def _effect(effect: Effect) -> str:
    if effect not in EFFECTS:
        raise SystemExit(f"EFFECTS in docs/generate.py has no words for {effect}.")
    return _row(f"`{effect.value}`", EFFECTS[effect])


def _action_section(cls: type[AnyAction]) -> Iterator[str]:
    yield from ("", f"### {cls.verb}", "", _doc(cls), "")
    own, others = _split(cls)
    if own:
        yield from ("| argument | kind | default | |", "|---|---|---|---|")
        yield from (_argument(cls, name, field) for name, field in own.items())
        yield ""
    also = f", which also takes {_listed(others)}" if others else ""
    yield f"- Effect: `{cls.effect.value}`{'; answers with what changed on the page' if cls.observes else ''}"
    shown = "" if cls.group == CORE else f", shown with `--with {cls.group}`"
    yield f"- MCP: `{PREFIX}{cls.verb}`{shown}{also}"
    yield f"- Python: `await session.{cls.verb}({_signature(cls, own)})`"
    yield f"- Result: `{cls.result.__name__}`{_result_fields(cls.result)}"


def _split(cls: type[AnyAction]) -> tuple[dict[str, Schema], list[str]]:
    """An action's own arguments, and what its tool takes besides."""
    tool = catalogue_toolset([EVERYTHING])[PREFIX + cls.verb]
    properties: Mapping[str, Schema] = tool.schema["properties"]
    own: Mapping[str, Schema] = schema_of(cls)["properties"]  # with those that a core tool does not list
    return {name: properties.get(name, own[name]) for name in own}, [name for name in properties if name not in own]


def _argument(cls: type[AnyAction], name: str, field: Schema) -> str:
    if _is_required(cls, name):
        default = "required"
    else:
        default = f"`{json.dumps(field['default'])}`" if "default" in field else ""
    return _row(f"`{name}`", _kind(field) + _bounds(field), default, field.get("description", ""))


def _signature(cls: type[AnyAction], own: Mapping[str, Schema]) -> str:
    return ", ".join(name if _is_required(cls, name) else f"{name}={_default(cls, name)!r}" for name in own)


def _is_required(cls: type[AnyAction], name: str) -> bool:
    return _declared(cls, name).default is dataclasses.MISSING


def _default(cls: type[AnyAction], name: str) -> Any:
    return _declared(cls, name).default


def _declared(cls: type[AnyAction], name: str) -> Any:
    return next(field for field in dataclasses.fields(cast(Any, cls)) if field.name == name)


def _result_fields(result: type[Any]) -> str:
    hints = get_type_hints(result)
    shown = [field.name for field in dataclasses.fields(result)]
    fields = ", ".join(f"`{name}` ({_hinted(hints[name])})" for name in shown)
    return f", with {fields}" if fields else ""


def _hinted(hint: Any) -> str:
    """A type hint in the words that `_kind` has for a schema."""
    kind, inside = get_origin(hint), get_args(hint)
    if kind is Literal:
        return _listed(inside, "or")
    if kind in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(_hinted, inside)))
    if kind in (tuple, list):
        return f"list of {_hinted(inside[0])}"
    bare = kind or hint
    if bare is Any:
        return "any value"
    for known, words in WORDS.items():
        if isinstance(bare, type) and issubclass(bare, known):
            return words
    return f"`{bare.__name__}`"


def _kind(schema: Schema) -> str:
    """A JSON schema in words; of an object that has a name, the name."""
    if "$ref" in schema:
        # `Outcome[Any]` is called Outcome_Any_ there.
        name, *_ = schema["$ref"].rsplit("/", 1)[-1].split("_")
        return f"`{name}`"
    if "enum" in schema:
        return _listed(schema["enum"], "or")
    if "anyOf" in schema:
        return " or ".join(_kind(branch) for branch in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}"
    if schema.get("properties"):
        return f"object with {_listed(schema['properties'])}"
    return str(schema.get("type", "any value"))


def _bounds(schema: Schema) -> str:
    said = [phrase.format(schema[key]) for key, phrase in BOUNDS.items() if key in schema]
    return f" ({', '.join(said)})" if said else ""


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
    choices = f" One of {_listed(option.choices, 'or')}." if option.choices else ""
    return _row(f"`{option.key}`", f"`{option.variable}`", flag, _toml(option.default), option.description + choices)


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
        yield _row(f"`{cls.code}`", f"`{cls.__name__}`", meaning, retry, insert_names(cls.default_hint, names))


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


# Engines


def engines_page() -> str:
    """docs/engines.md as it is, with the table of the last runs."""
    return _with_block((ROOT / "docs/engines.md").read_text("utf-8"), "engines", engine_table())


# README


def readme() -> str:
    """README.md as it is, with what stands between its markers made anew."""
    text = (ROOT / "README.md").read_text("utf-8")
    text = _with_block(text, "tools", _tools_table())
    text = _with_block(text, "more tools", _more_tools_table())
    return _with_block(text, "examples/order_tea.py", _code("examples/order_tea.py"))


def _with_block(text: str, name: str, lines: Iterable[str]) -> str:
    begin, end = f"<!-- begin {name} -->\n", f"\n<!-- end {name} -->"
    before, begun, rest = text.partition(begin)
    _, ended, after = rest.partition(end)
    if not (begun and ended):
        raise SystemExit(f"There must be a block from {begin.strip()} to {end.strip()}.")
    return "".join([before, begun, "\n", "\n".join(lines), "\n", ended, after])


def _tools_table() -> Iterator[str]:
    yield from ("| tool | arguments | |", "|---|---|---|")
    yield from (_row(*_tool_cells(cls)) for cls in registry().values() if cls.group == CORE)


def _more_tools_table() -> Iterator[str]:
    yield from ("| group | tool | arguments | |", "|---|---|---|---|")
    more = (cls for cls in registry().values() if cls.group != CORE)
    yield from (_row(f"`{cls.group}`", *_tool_cells(cls)) for cls in sorted(more, key=lambda cls: cls.group))


def _tool_cells(cls: type[AnyAction]) -> tuple[str, str, str]:
    arguments = (f"`{name}`" if _is_required(cls, name) else f"`{name}?`" for name in fields_of(cls))
    return f"[`{PREFIX}{cls.verb}`](docs/actions.md#{cls.verb})", " ".join(arguments), _doc(cls)


def _code(path: str) -> list[str]:
    return ["```python", *(ROOT / path).read_text("utf-8").rstrip().splitlines(), "```"]


# Markdown


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _listed(words: Sequence[str] | Mapping[str, Any], last: str = "and") -> str:
    *first, final = [f"`{word}`" for word in words]
    return f"{', '.join(first)} {last} {final}" if first else final


def _doc(thing: Any) -> str:
    return " ".join(thing.__doc__.split())


ACTIONS_INTRODUCTION = f"""\
Everything that can be asked of the browser. Each action is declared once, in `src/rove/actions`, and is called the
same way on every surface:

- an MCP client calls the tool `{PREFIX}<action>`;
- Python awaits the session's method of the same name, or `session.run(Click("e12"), tab="t2", timeout=5)`;
- a `batch` takes it as a step: `{{"action": "click", "target": "e12"}}`.

A tool takes a few words that are not the action's own: `session` (a name; the default session if not given), `tab`
(`t1`; the front tab if not given), `timeout` (seconds) and `snapshot` (`"none"` leaves out what changed on the page).

All steps of a `batch` share its `timeout`. Without one, each step has the time that it would have by itself, and the
batch as long as all of them together. Starting a browser and waiting for a person's answer are not counted.

The answer is an `Outcome`: the action's `result`, the `session`, `tab`, `url` and `title` where it ended, the `changes`
that it made to the page, the `events` that came on the side, and what is still `pending` if the page has not come to
rest. Pictures go beside it as `attachments`: images for an MCP client, bytes in Python.

A `target` is a ref from a snapshot (`e12`), a CSS selector, or a role and a name as a snapshot shows them
(`button "Save"`); for the pointer it may be a point of the viewport (`200,140`). A policy decides on an action by its
effect, among other things:"""

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
