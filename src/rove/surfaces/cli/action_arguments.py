"""Command lines of actions, `rove click e12 --button right`: derived from the declarations, with their help."""

from __future__ import annotations

import argparse
import json
import re
from argparse import SUPPRESS
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from rove.action import CORE, AnyAction, CompositeAction, registry
from rove.advice import nearest
from rove.fields import Schema, schema_of
from rove.records import dataclass
from rove.settings.tree import options
from rove.surfaces.cli.command_names import OWN_COMMANDS, SESSION_COMMANDS
from rove.surfaces.cli.command_parser import MISUSE, CommandParser, Finished, refuse, session_name, short_usage
from rove.surfaces.cli.setting_flags import HELP_ALL, OF_ACTIONS, add_settings
from rove.toolsets.catalogue import LONGEST_TIMEOUT, one_line_of, options_of

EXAMPLES = {
    "open": """\
examples:
  rove open example.com                     answers with the page; [e12] are refs for other commands
  rove open localhost:3000 --allow-host localhost:3000
  rove open https://example.com --session shop
""",
    "click": """\
examples:
  rove click e12                            a ref of the page that was shown
  rove click 'button "Save"'                by role and name
  rove click 'css=.menu > a' --button right
""",
    "fill": """\
examples:
  rove fill e7 "Ada Lovelace"
  rove fill 'textbox "Password"' secret:shop    a secret of the owner, by its name
""",
    "fill-form": """\
examples:
  rove fill-form '{"target": "e3", "value": "Ada"}' '{"target": "e5", "value": true}'
  rove batch "fill e3 Ada" "check e5"       the same, as steps
""",
    "tabs": """\
examples:
  rove tabs                                 those that are open
  rove tabs new example.com
  rove tabs switch t2
""",
    "offline": """\
examples:
  rove offline                              without a network
  rove offline --no-offline                 with it again
""",
    "intercept": """\
examples:
  rove intercept --rule block --url 'https://ads.example.com/*'
  rove intercept --url 'https://api.example.com/v1/user' --body '{"name": "Ada"}'
  rove intercept remove --number 1
""",
    "batch": """\
examples:
  rove batch "fill e7 Ada" "click e12"      several acts, one answer
  rove batch --file steps.txt               a step a line, or a JSON array:
      [{"action": "fill", "target": "e7", "value": "Ada"}, {"action": "click", "target": "e12"}]
  echo 'click e12' | rove batch
  rove batch "click e12" --session shop     --session, --tab and --timeout hold for all steps
""",
    "screenshot": """\
examples:
  rove screenshot --out page.png
  rove screenshot --annotate                with the refs drawn beside the elements
  rove screenshot e12 --out button.png
""",
    "dialog": """\
examples:
  rove dialog true                          OK
  rove dialog false                         Cancel
  rove dialog true --text "Ada"             the answer to a prompt
""",
    "replay": """\
examples:
  rove replay order                         what `rove record order` has recorded
  rove replay order --set name=Bob          with another value of a parameter
  rove replay order --session fresh --allow-host localhost:3000
  rove replay order --update                keep what was healed in the recording
""",
    "expect": """\
examples:
  rove expect --text "Order placed"         exit code 1 if it does not come to be shown
  rove expect --url '*/done'
  rove expect --target 'row' --count 3
""",
    "wait": """\
examples:
  rove wait "Order placed"
  rove wait --gone Loading
  rove wait --url '**/done'
""",
}
_QUOTED = re.compile(r"`([a-z_]+)`")
# Flags that most commands have besides.
OF_ALL = ("session", "tab", "timeout")
# An action is a tool to a model, and a command in a shell.
_WORDS = {"other tools": "other commands", "in one call": "with one command", "no other call": "no other command"}
_SETTING = "setting "
_BATCH = "batch"
# Arguments that are not required, and may be given by position after those that come first.
_LATER_POSITIONS = {"check": "checked", "tabs": "url", "upload": "paths"}
# What every command of an action takes, under the names that they are read by.
_OF_ALL = ("help", "help_all", "session", "timeout", "quiet", "pretty", "json", "out")


def summary_of(cls: type[AnyAction]) -> str:
    """Return what an action does."""
    text = one_line_of(cls)
    for word, instead in _WORDS.items():
        text = text.replace(word, instead)
    return with_flags(text, schema_of(cls)["properties"])


def help_of(rule: Schema, arguments: Collection[str], is_position: bool = False) -> str:
    """Return the help of an argument, as argparse takes it. `arguments`: the names of all that the action has."""
    if rule.get("description") == SUPPRESS:
        return SUPPRESS
    parts = [with_flags(str(rule.get("description", "")), arguments)]
    if is_position and "enum" in rule:  # of an option, argparse shows them itself
        parts.append(f"One of: {', '.join(map(str, rule['enum']))}.")
    if rule.get("type") == "object" and "properties" in rule:
        parts.append(f"As JSON: {_example(rule)}")
    if rule.get("type") == "array" and "properties" in rule.get("items", {}):
        parts.append(f"Each as JSON: {_example(rule['items'])}")
    if "default" in rule:
        parts.append(f"[{rule['default']}]")
    return " ".join(filter(None, parts)).replace("%", "%%")


def with_flags(text: str, arguments: Collection[str]) -> str:
    """Return a text that names arguments as flags: `--direction` for `direction`."""
    known = {*arguments, *OF_ALL}
    return _QUOTED.sub(lambda name: f"`--{name[1].replace('_', '-')}`" if name[1] in known else name[0], text)


def _example(rule: Schema) -> str:
    properties: dict[str, Schema] = rule["properties"]
    values = {name: 800 if each.get("type") == "integer" else "..." for name, each in properties.items()}
    return json.dumps({name: values[name] for name in rule.get("required", properties)}, ensure_ascii=False)


@dataclass(frozen=True)
class Command:
    """An action's command line, read: the action, its arguments, where to run it and how to answer."""

    verb: str
    arguments: Mapping[str, Any]
    flags: Mapping[str, Any]
    session: str | None = None
    tab: str | None = None
    timeout: float | None = None
    is_quiet: bool = False
    as_json: bool = False
    is_pretty: bool = False
    out: str | None = None
    # Where the steps of a batch are read from, if they are not arguments.
    steps_file: str | None = None


def parse_command(arguments: Sequence[str], columns: int = 80) -> Command:
    """Read a command line whose first word names an action. Raises Finished."""
    word, *rest = arguments
    verb = verb_of(word)
    if verb is None:
        near = nearest(word, {*command_names(), *OWN_COMMANDS, *SESSION_COMMANDS})
        meant = f"\n      Did you mean `rove {near}`?" if near else ""
        reason = f"There is no command `{word}`.{meant}"
        raise Finished(MISUSE, error=f"rove: {reason}\n      `rove --help` lists all.\n", reason=reason)
    with_all = HELP_ALL in rest
    parser = action_parser(verb, columns, with_all)
    if with_all:
        parser.print_help()
    read, unknown = parser.parse_known_args(rest)
    if unknown:
        refuse(parser, unknown, _options(parser), vars(read).get("target"))
    command = _command(verb, vars(read))
    if verb == "screenshot" and (named := command.arguments.get("target")) and _picture_format(named):
        parser.error(f"{named} is no element of a page; did you mean `rove screenshot --out {named}`?")
    return command


def verb_of(word: str) -> str | None:
    """Return the action that a command names: `open` and `navigate`, `fill-form`."""
    return _names().get(word)


def command_names() -> Iterator[str]:
    """Yield the commands of all actions, by which help and completion list them."""
    yield from (command_name(cls) for cls in registry().values())


def command_name(cls: type[AnyAction]) -> str:
    """Return the name of an action's command."""
    return cls.command or cls.verb.replace("_", "-")


@cache
def _names() -> Mapping[str, str]:
    names = {verb.replace("_", "-"): verb for verb in registry()}
    return {**names, **{command_name(cls): verb for verb, cls in registry().items()}}


@cache
def action_parser(verb: str, columns: int, lists_all: bool) -> argparse.ArgumentParser:
    """Return the parser of an action's command. `lists_all`: whether its help lists every setting."""
    cls = registry()[verb]
    name = command_name(cls)
    parser = CommandParser(
        prog=f"rove {name}", description=summary_of(cls), epilog=EXAMPLES.get(name), allow_abbrev=False,
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, width=columns - 2),
    )  # fmt: skip
    _add_arguments(parser, cls)
    _add_options(parser, cls)
    add_settings(parser, lists_all, OF_ACTIONS, _SETTING)
    parser.usage = short_usage(parser)
    return parser


def _add_arguments(parser: argparse.ArgumentParser, cls: type[AnyAction]) -> None:
    """Required arguments are given by position; where there are none, the first one can be."""
    schema = schema_of(cls)
    required: list[str] = schema.get("required", [])
    properties: dict[str, Schema] = schema["properties"]
    if cls.verb == _BATCH:
        help = 'up to 50 commands such as "click e12"; without any, they are read from --file or standard input'
        parser.add_argument("steps", nargs="*", metavar="STEP", help=help)
        parser.add_argument("--file", metavar="FILE", help="read the steps from a file, or from - for standard input")
        return
    for name, rule in properties.items():
        if name in required:
            _add_position(parser, name, rule, properties, is_required=True)
    for name, rule in properties.items():
        if name in required:
            continue
        if not required and name == next(iter(properties)) and _is_text(rule):
            _add_position(parser, name, rule, properties, is_required=False)
            rule = {**rule, "description": argparse.SUPPRESS}
        elif name == _LATER_POSITIONS.get(cls.verb):
            _add_position(parser, name, rule, properties, is_required=False)
        _add_option(parser, name, rule, properties)


def _is_text(rule: Schema) -> bool:
    return rule.get("type") == "string"


def _add_position(
    parser: argparse.ArgumentParser, name: str, rule: Schema, known: Collection[str], *, is_required: bool
) -> None:
    facts: dict[str, Any] = {"metavar": name.upper(), "help": help_of(rule, known, is_position=True)}
    if rule.get("type") == "array":
        facts["nargs"] = "+" if is_required else "*"
    elif not is_required:
        facts["nargs"] = "?"
    dest = name if is_required else f"{name} by position"
    parser.add_argument(dest, **facts)


def _add_option(parser: argparse.ArgumentParser, name: str, rule: Schema, known: Collection[str]) -> None:
    flag = "--" + name.replace("_", "-")
    facts: dict[str, Any] = {"dest": name, "default": None, "help": help_of(rule, known)}
    if rule.get("type") == "boolean":
        parser.add_argument(flag, action=argparse.BooleanOptionalAction, **facts)
    elif rule.get("type") == "array":
        parser.add_argument(flag, nargs="+", action="extend", metavar=name.upper(), **facts)
    elif "enum" in rule:
        parser.add_argument(flag, choices=rule["enum"], **facts)
    else:
        parser.add_argument(flag, metavar=name.upper(), **facts)


def _add_options(parser: argparse.ArgumentParser, cls: type[AnyAction]) -> None:
    group = parser.add_argument_group("where and how")
    known = {*options_of(cls)}
    taken = {*schema_of(cls)["properties"]}
    help = "which session; opened by `rove open` [default]"
    group.add_argument("--session", metavar="NAME", type=session_name, help=help)
    if "tab" in known and "tab" not in taken:
        group.add_argument("--tab", metavar="ID", help="which tab; the one in front if not given")
    if "timeout" in known and "timeout" not in taken:
        group.add_argument("--timeout", metavar="SECONDS", type=_seconds, help="how long it may take")
    if "snapshot" in known:
        group.add_argument("--quiet", action="store_true", help="do not tell what changed on the page")
    if cls.verb == "snapshot":
        group.add_argument("--pretty", action="store_true", help="draw the page as a tree, for people")
    group.add_argument("--json", action="store_true", help="answer with one line of JSON, for programs")
    out = "write the picture or file that it answers with here, or else its text; - for standard output"
    group.add_argument("--out", metavar="FILE", help=out)


def _seconds(word: str) -> float:
    try:
        seconds = float(word)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= LONGEST_TIMEOUT:
        raise argparse.ArgumentTypeError(f"{word!r} is not a number of seconds above 0 and at most {LONGEST_TIMEOUT}")
    return seconds


def _command(verb: str, read: dict[str, Any]) -> Command:
    cls = registry()[verb]
    names = {*schema_of(cls)["properties"]}
    flags = {key.removeprefix(_SETTING): value for key, value in read.items() if key.startswith(_SETTING)}
    given = {name: value for name in names if (value := _given(read, name)) is not None}
    steps_file = None
    if verb == "tabs" and given.get("operation") in ("switch", "close") and "url" in given:
        given.setdefault("tab", given.pop("url"))  # `rove tabs switch t2`
    if verb == "screenshot" and (format := _picture_format(read["out"])):
        given.setdefault("format", format)
    if verb == _BATCH:
        given, steps_file = _steps(read)
    return Command(
        verb,
        {name: _as_data(schema_of(cls)["properties"][name], value) for name, value in given.items()},
        {key: value for key, value in flags.items() if value is not None},
        read.get("session") if "session" not in names else None,
        read.get("tab") if "tab" not in names else None,
        read.get("timeout") if "timeout" not in names else None,
        bool(read.get("quiet")),
        read["json"],
        bool(read.get("pretty")),
        read["out"],
        steps_file,
    )


def _picture_format(out: str | None) -> str | None:
    """Return the format that the ending of a file asks for, if it does."""
    formats = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".webp": "webp"}
    return next((format for ending, format in formats.items() if out and out.lower().endswith(ending)), None)


def _given(read: Mapping[str, Any], name: str) -> Any:
    by_position = read.get(f"{name} by position")
    return read.get(name) if by_position in (None, []) else by_position


def _steps(read: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    if read["steps"]:
        return {"steps": _steps_of(read["steps"])}, None
    return {}, read["file"] or "-"


def step_of(line: str, number: int) -> dict[str, Any]:
    """Read one step of a batch: a command such as `click e12`, or a JSON object. Raises Finished."""
    try:
        return _with_verb(_json_object(line)) if line.lstrip().startswith("{") else _step(line)
    except Finished as finished:
        reason = finished.reason or "it asks for help, which is not a step."
        told = f"rove: Step {number} of the batch, `{line}`: {reason}\n      `rove batch --help` shows examples.\n"
        raise Finished(MISUSE, error=told, reason=reason) from finished


def _step(line: str) -> dict[str, Any]:
    import shlex

    try:
        words = shlex.split(line)
    except ValueError as error:
        raise Finished(MISUSE, reason=f"it cannot be read: {error}.") from error
    words = words[1:] if words[:1] == ["rove"] else words
    if not words or words[0] in {*OWN_COMMANDS, *SESSION_COMMANDS}:
        raise Finished(MISUSE, reason="it is not an action; `rove --help` lists the actions.")
    command = parse_command(words)
    if issubclass(registry()[command.verb], CompositeAction):
        raise Finished(MISUSE, reason=f"a batch cannot hold a {command_name(registry()[command.verb])}.")
    if flags := _flags_of_batch(command):
        raise Finished(MISUSE, reason=f"{flags[0]} holds for the whole batch: give it after the steps, outside them.")
    return {"action": command.verb, **command.arguments}


def _flags_of_batch(command: Command) -> list[str]:
    """Return the flags of a step that say where and how to run, which a step cannot have for itself."""
    given = {
        "--session": command.session, "--tab": command.tab, "--timeout": command.timeout, "--quiet": command.is_quiet,
        "--json": command.as_json, "--pretty": command.is_pretty, "--out": command.out,
    }  # fmt: skip
    settings = [option.flag for option in options() if option.key in command.flags]
    return [*(flag for flag, value in given.items() if value not in (None, False)), *settings]


def _with_verb(step: dict[str, Any]) -> dict[str, Any]:
    """Return a step whose action may be named as its command is: `open` for navigate."""
    name = step.get("action")
    return {**step, "action": verb_of(name) or name} if isinstance(name, str) else step


def steps_in(text: str) -> list[dict[str, Any]]:
    """Read the steps of a batch from a file: a JSON array, or one step a line, without blank lines and comments."""
    if text.lstrip().startswith("["):
        try:
            read = json.loads(text)
        except ValueError as error:
            raise Finished(MISUSE, error=f"rove: The steps are not JSON: {error}.\n") from error
        return [_with_verb(step) if isinstance(step, dict) else step for step in read]
    lines = (line.strip() for line in text.splitlines())
    return _steps_of([line for line in lines if line and not line.startswith("#")])


def _steps_of(lines: Sequence[str]) -> list[dict[str, Any]]:
    return [step_of(line, number) for number, line in enumerate(lines, 1)]


def _json_object(text: str) -> dict[str, Any]:
    try:
        read = json.loads(text)
    except ValueError as error:
        reason = f"{text!r} is not JSON: {error}."
        raise Finished(MISUSE, error=f"rove: {reason}\n", reason=reason) from error
    return read if isinstance(read, dict) else {}


def _as_data(rule: Schema, value: Any) -> Any:
    """Return an argument as the action takes it: objects, and lists of objects, are written as JSON."""
    if rule.get("type") == "object" and isinstance(value, str):
        return _json_object(value)
    if rule.get("type") == "array" and rule.get("items", {}).get("type") == "object" and isinstance(value, list):
        return [_json_object(item) if isinstance(item, str) else item for item in value]
    return value


def _options(parser: argparse.ArgumentParser) -> list[str]:
    """Return the flags of the action's own arguments that take a value."""
    return [flag for flag, action in parser._option_string_actions.items() if _takes_word(action)]


def _takes_word(action: argparse.Action) -> bool:
    """Whether an option is an argument of the action that takes a value, and is shown in the help."""
    is_own = not action.dest.startswith(_SETTING) and action.dest not in _OF_ALL
    return is_own and action.nargs != 0 and action.help != argparse.SUPPRESS


def usual_actions() -> Mapping[str, str]:
    """Return the commands of the usual actions, each with the first sentence about it."""
    return {command_name(cls): _first_sentence(cls) for cls in _shown() if cls.group == CORE}


def action_summaries() -> Mapping[str, str]:
    """Return the commands of all actions, each with the first sentence about it."""
    return {command_name(cls): _first_sentence(cls) for cls in _shown()}


def other_actions() -> list[str]:
    """Return the commands of all other actions."""
    return sorted(command_name(cls) for cls in _shown() if cls.group != CORE)


def command_words() -> list[str]:
    """Return the first words of all commands that the daemon runs."""
    return [*map(command_name, _shown()), *SESSION_COMMANDS]


def _first_sentence(cls: type[AnyAction]) -> str:
    return summary_of(cls).partition(". ")[0].removesuffix(".") + "."


def _shown() -> list[type[AnyAction]]:
    """Return the actions that have a command. `rove close`, `sessions` and `states` stand for three of them."""
    hidden = {"status", "close_session"}
    return [cls for verb, cls in registry().items() if verb not in hidden and command_name(cls) not in OWN_COMMANDS]
