"""`rove init`: add rove to the MCP clients on this machine."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rove.errors import InvalidArguments, InvalidSettings
from rove.surfaces.cli.clients.catalogue import SERVER, Client, clients, server_command
from rove.surfaces.cli.clients.client_config import command_in, connect
from rove.validation.spelling import nearest

YES = ("", "y", "yes")


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
