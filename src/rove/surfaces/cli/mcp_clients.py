"""`rove init`: the MCP clients on this machine, and rove's entry in their configuration."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rove.advice import nearest
from rove.browser.browser import Finding
from rove.errors import InvalidArguments, InvalidSettings
from rove.records import dataclass

SERVER = "rove"
_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_PLAIN = re.compile(r"-?[0-9][0-9.eE+-]*|true|false|null")
_DEEPEST = 100
SUBJECT = "client"
YES = ("", "y", "yes")


@dataclass(frozen=True)
class Client:
    """An MCP client of this user, with the file that lists its servers."""

    key: str
    name: str
    file: Path
    # The table of servers in the file.
    table: str
    # A folder that the client makes, or a command that starts it: either shows that it is installed.
    folder: Path
    program: str | None = None
    # Whether an entry says that the server uses standard input and output.
    names_transport: bool = False

    @property
    def is_installed(self) -> bool:
        has_program = self.program is not None and shutil.which(self.program) is not None
        return has_program or self.folder.is_dir() or self.file.is_file()

    def entry(self, command: Sequence[str]) -> dict[str, Any]:
        """Return what this client is told of a server that a command starts."""
        program, *arguments = command
        transport = {"type": "stdio"} if self.names_transport else {}
        return {**transport, "command": program, "args": arguments}


def clients(home: Path | None = None, environment: Mapping[str, str] | None = None) -> list[Client]:
    """Return every client that rove knows, installed or not."""
    home = home or Path.home()
    variables = os.environ if environment is None else environment
    apps = home / "Library/Application Support" if sys.platform == "darwin" else _folder(variables, home)
    claude = Path(variables["CLAUDE_CONFIG_DIR"]) if "CLAUDE_CONFIG_DIR" in variables else home
    codex = Path(variables.get("CODEX_HOME") or home / ".codex")
    zed = home / ".config/zed" if sys.platform == "darwin" else _folder(variables, home) / "zed"
    return [
        Client("claude-code", "Claude Code", claude / ".claude.json", "mcpServers", home / ".claude", "claude", True),
        Client(
            "claude-desktop", "Claude Desktop", apps / "Claude/claude_desktop_config.json", "mcpServers",
            apps / "Claude",
        ),
        Client("cursor", "Cursor", home / ".cursor/mcp.json", "mcpServers", home / ".cursor", "cursor"),
        Client("vscode", "VS Code", apps / "Code/User/mcp.json", "servers", apps / "Code/User", "code", True),
        Client("codex", "Codex", codex / "config.toml", "mcp_servers", codex, "codex"),
        Client("gemini", "Gemini CLI", home / ".gemini/settings.json", "mcpServers", home / ".gemini", "gemini"),
        Client("zed", "Zed", zed / "settings.json", "context_servers", zed, "zed"),
        Client(
            "windsurf", "Windsurf", home / ".codeium/windsurf/mcp_config.json", "mcpServers",
            home / ".codeium/windsurf", "windsurf",
        ),
    ]  # fmt: skip


def _folder(variables: Mapping[str, str], home: Path) -> Path:
    return Path(variables.get("XDG_CONFIG_HOME") or home / ".config")


def server_command(flags: Sequence[str]) -> list[str]:
    """Return the command by which a client starts this rove. Its path is complete: clients may have another PATH."""
    program = Path(sys.argv[0])
    is_script = program.name == SERVER and os.access(program, os.X_OK)
    start = [str(program.absolute())] if is_script else [sys.executable, "-m", "rove"]
    return [*start, "mcp", *flags]


class NotJson(ValueError):
    """The text is not JSON, also not with comments."""


@dataclass(frozen=True)
class _Member:
    """A key of an object, and where its value is."""

    key: str
    value: _Value


@dataclass(frozen=True)
class _Value:
    """A value and where it stands: from its first character to behind its last one."""

    data: Any
    start: int
    end: int
    # Of an object: its members, and whether a comma follows the last of them.
    members: tuple[_Member, ...] = ()
    has_last_comma: bool = False

    def member(self, key: str) -> _Value | None:
        """Return the value of a key; of the last one, if there are several."""
        return next((member.value for member in reversed(self.members) if member.key == key), None)


def parsed(text: str) -> Any:
    """Return the data in a text. Raises NotJson."""
    return _read(text).data


def with_value(text: str, path: Sequence[str], data: Any) -> str:
    """Return the text with a value at a path of keys. Raises NotJson, also if the path leads through no object."""
    if not text.strip("\ufeff \t\r\n"):
        text = "{}\n"
    changed = _set(text, _read(text), path, data)
    if parsed(changed) != _merged(parsed(text), path, data):
        raise NotJson("it could not be changed without changing more")
    return changed


def _merged(tree: Any, path: Sequence[str], data: Any) -> Any:
    first, *rest = path
    return {**tree, first: _merged(tree.get(first, {}), rest, data) if rest else data}


def _set(text: str, found: _Value, path: Sequence[str], data: Any) -> str:
    if not isinstance(found.data, dict):
        raise NotJson("an object was expected")
    first, *rest = path
    member = found.member(first)
    if member is None:
        for key in reversed(rest):
            data = {key: data}
        return _with_member(text, found, first, data)
    if rest:
        return _set(text, member, rest, data)
    return text[: member.start] + _written(text, data, _indent(text, member.start)) + text[member.end :]


def _with_member(text: str, into: _Value, key: str, data: Any) -> str:
    """Add a member behind the last one, and behind the comments that follow it."""
    line_end = _line_end(text)
    outer = _indent(text, into.start)
    inner = _indent(text, into.members[0].value.start) if into.members else outer
    if len(inner) <= len(outer):
        inner = outer + _unit(text)
    member = f"{json.dumps(key)}: {_written(text, data, inner)}"
    closing = into.end - 1
    before = text[:closing].rstrip(" \t\r\n")
    after = text[closing:]
    if into.members and not into.has_last_comma:
        last = into.members[-1].value.end
        before = f"{before[:last]},{before[last:]}"
    return f"{before}{line_end}{inner}{member}{line_end}{outer}{after}"


def _written(text: str, data: Any, indent: str) -> str:
    written = json.dumps(data, indent=_unit(text), ensure_ascii=False)
    return written.replace("\n", _line_end(text) + indent)


def _indent(text: str, at: int) -> str:
    """Return the blanks at the beginning of the line of a position."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """Return what the text indents with: a tab, or some blanks."""
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return found[1] if found else "  "


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _read(text: str) -> _Value:
    start = 1 if text.startswith("\ufeff") else 0
    value = _value(text, _skip(text, start), _DEEPEST)
    if _skip(text, value.end) != len(text):
        raise NotJson(f"there is more behind its end, in line {_line(text, value.end)}")
    return value


def _value(text: str, at: int, levels: int) -> _Value:
    if not levels:
        raise NotJson("it is nested too deeply")
    if text.startswith("{", at):
        return _object(text, at, levels - 1)
    if text.startswith("[", at):
        return _array(text, at, levels - 1)
    found = _TEXT.match(text, at) or _PLAIN.match(text, at)
    if found is None:
        raise NotJson(f"a value was expected in line {_line(text, at)}")
    try:
        return _Value(json.loads(found[0], strict=False), at, found.end())
    except ValueError as error:
        raise NotJson(f"a value was expected in line {_line(text, at)}") from error


def _object(text: str, start: int, levels: int) -> _Value:
    members: list[_Member] = []
    at, has_comma = _skip(text, start + 1), False
    while not text.startswith("}", at):
        if members and not has_comma:
            raise NotJson(f"a comma or a brace was expected in line {_line(text, at)}")
        key = _value(text, at, levels)
        colon = _skip(text, key.end)
        if not isinstance(key.data, str) or not text.startswith(":", colon):
            raise NotJson(f"a key and a colon were expected in line {_line(text, at)}")
        members.append(_Member(key.data, _value(text, _skip(text, colon + 1), levels)))
        at, has_comma = _behind_comma(text, members[-1].value.end)
    data = {member.key: member.value.data for member in members}
    return _Value(data, start, at + 1, tuple(members), has_comma)


def _array(text: str, start: int, levels: int) -> _Value:
    items: list[Any] = []
    at, has_comma = _skip(text, start + 1), True
    while not text.startswith("]", at):
        if not has_comma:
            raise NotJson(f"a comma or a bracket was expected in line {_line(text, at)}")
        item = _value(text, at, levels)
        items.append(item.data)
        at, has_comma = _behind_comma(text, item.end)
    return _Value(items, start, at + 1)


def _behind_comma(text: str, at: int) -> tuple[int, bool]:
    at = _skip(text, at)
    return (_skip(text, at + 1), True) if text.startswith(",", at) else (at, False)


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def command_in(client: Client) -> list[str] | None:
    """Return the command by which a client starts rove; None if it does not. Raises InvalidSettings."""
    servers = _data(client, _text(client)).get(client.table)
    entry: Any = servers.get(SERVER) if isinstance(servers, dict) else None
    if not isinstance(entry, dict):
        return None
    arguments = entry.get("args", [])
    return [str(entry.get("command", "")), *map(str, arguments if isinstance(arguments, list) else [])]


def connect(client: Client, command: Sequence[str]) -> Path | None:
    """Write rove's entry, and return the copy of the file as it was before. Raises InvalidSettings."""
    text = _text(client)
    try:
        changed = _changed(client, text, client.entry(command))
    except ValueError as error:
        raise _unusable(client, error) from error
    path = client.file.resolve()  # a link to a folder of dotfiles stays one
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        backup = _back_up(path) if path.exists() else None
        _replace(path, changed)
    except OSError as error:
        raise InvalidSettings(
            f"{client.file} cannot be written: {error.strerror}.",
            hint=f"`rove init --print {client.key}` prints what to add.",
        ) from error
    return backup


def _text(client: Client) -> str:
    try:
        return client.file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise _unusable(client, error) from error


def _data(client: Client, text: str) -> Mapping[str, Any]:
    try:
        read = _parse_toml(text) if _is_toml(client) else parsed(text) if text.strip("\ufeff \t\r\n") else {}
    except ValueError as error:
        raise _unusable(client, error) from error
    if not isinstance(read, dict):
        raise _unusable(client, NotJson("an object was expected"))
    return read


def _changed(client: Client, text: str, entry: Mapping[str, Any]) -> str:
    if not _is_toml(client):
        return with_value(text, [client.table, SERVER], dict(entry))
    import tomlkit

    document = tomlkit.parse(text)
    table: Any = document.setdefault(client.table, tomlkit.table(is_super_table=True))
    server = tomlkit.item(dict(entry))
    server.add(tomlkit.nl())
    table[SERVER] = server
    changed = tomlkit.dumps(document)
    before = _parse_toml(text)
    if _parse_toml(changed) != {**before, client.table: {**before.get(client.table, {}), SERVER: entry}}:
        raise ValueError("it could not be changed without changing more")
    return changed


def _parse_toml(text: str) -> dict[str, Any]:
    from rove.settings.toolset_file import parse_toml

    return parse_toml(text.encode())


def _is_toml(client: Client) -> bool:
    return client.file.suffix == ".toml"


def _unusable(client: Client, error: Exception) -> InvalidSettings:
    return InvalidSettings(
        f"{client.file} of {client.name} cannot be read: {error}.",
        hint=f"Correct the file, or add by hand what `rove init --print {client.key}` prints.",
    )


def _back_up(path: Path) -> Path:
    """Copy a file beside itself, with its permissions: it may hold keys."""
    moment = time.strftime("%Y%m%d-%H%M%S")
    names = (f"{path.name}.{moment}{again}.bak" for again in ("", *(f"-{number}" for number in range(1, 100))))
    backup = next(path.with_name(name) for name in names if not path.with_name(name).exists())
    _create(backup, path.read_bytes(), path.stat().st_mode & 0o777)
    return backup


def _replace(path: Path, text: str) -> None:
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    _create(draft, text.encode("utf-8"), mode)
    draft.replace(path)


def _create(path: Path, data: bytes, mode: int) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(file, "wb") as opened:
        os.fchmod(file, mode)
        opened.write(data)


def client_findings() -> Iterator[Finding]:
    """Yield a finding for each MCP client on this machine, or one that there is none."""
    found = [client for client in clients() if client.is_installed]
    if not found:
        yield Finding(SUBJECT, "good", "no MCP client that rove knows; `rove init --print` is for any other")
    yield from map(_finding, found)


def _finding(client: Client) -> Finding:
    try:
        command = command_in(client)
    except InvalidSettings as error:
        return Finding(SUBJECT, "worth knowing", error.message, error.hint)
    if command is None:
        return Finding(SUBJECT, "worth knowing", f"{client.name} does not start rove", f"Run `rove init {client.key}`.")
    if shutil.which(command[0]) is None:
        missing = f"{client.name} starts {command[0]}, which is not there"
        return Finding(SUBJECT, "broken", missing, f"Run `rove init {client.key}`.")
    return Finding(SUBJECT, "good", f"{client.name} starts {' '.join(command)}")


def init(names: Sequence[str], flags: Sequence[str], is_sure: bool, only_prints: bool) -> int:
    """Offer to add rove to each client that is found, or to those that are named; return the exit code."""
    command = server_command(flags)
    chosen = [_named(name) for name in names] or [client for client in clients() if client.is_installed]
    if only_prints:
        print("\n\n".join(_printed(client, command) for client in (chosen if names else [None])))
        return 0
    if not chosen:
        print(f"None of the MCP clients that rove knows was found: {', '.join(each.name for each in clients())}.")
        print("`rove init --print` prints what any other one needs.")
        return 0
    can_ask = sys.stdin.isatty()
    failed = [client for client in chosen if not _offer(client, command, is_sure, can_ask)]
    if not is_sure and not can_ask:
        print("\nThere is no terminal to ask at: `rove init --yes` adds rove to all of these.")
    return 1 if failed else 0


def _offer(client: Client, command: Sequence[str], is_sure: bool, can_ask: bool) -> bool:
    """Connect one client if the user agrees; return whether nothing failed."""
    try:
        present = command_in(client)
        if present is not None and present[: len(command)] == list(command):
            print(f"{client.name}: rove is there already, in {_short(client.file)}.")
            return True
        if not is_sure and not (can_ask and _agrees(client, present)):
            if not can_ask:
                print(f"{client.name}: rove would be {'replaced in' if present else 'added to'} {_short(client.file)}.")
            return True
        backup = connect(client, command)
    except InvalidSettings as error:
        print(f"{client.name}: {error.message}\n    {error.hint}", file=sys.stderr)
        return False
    kept = f" As it was: {_short(backup)}." if backup else ""
    done = "replaced in" if present is not None else "added to"
    print(f"{client.name}: {done} {_short(client.file)}.{kept} It holds from the next start of {client.name}.")
    return True


def _agrees(client: Client, present: Sequence[str] | None) -> bool:
    change = f"replace `{' '.join(present)}` in" if present else "add rove to"
    print(f"{client.name}: {change} {_short(client.file)}? [Y/n] ", end="", flush=True)
    answer = sys.stdin.readline()
    return bool(answer) and answer.strip().lower() in YES


def _named(name: str) -> Client:
    known = {client.key: client for client in clients()}
    if name not in known:
        near = nearest(name, known)
        meant = f"Did you mean {near}? " if near else ""
        raise InvalidArguments(f"rove does not know a client {name}.", hint=f"{meant}It knows: {', '.join(known)}.")
    return known[name]


def _printed(client: Client | None, command: Sequence[str]) -> str:
    """Return what to add by hand to the configuration of a client, or of most clients."""
    if client is None:
        return json.dumps({"mcpServers": {SERVER: {"command": command[0], "args": list(command[1:])}}}, indent=2)
    if client.file.suffix != ".toml":
        return f"// {client.file}\n{json.dumps({client.table: {SERVER: client.entry(command)}}, indent=2)}"
    import tomlkit

    entry = tomlkit.dumps({client.table: {SERVER: client.entry(command)}})
    return f"# {client.file}\n{entry}".rstrip()


def _short(path: Path) -> str:
    home = str(Path.home())
    return f"~{str(path).removeprefix(home)}" if str(path).startswith(f"{home}/") else str(path)
