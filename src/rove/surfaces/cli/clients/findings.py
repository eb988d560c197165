"""What `rove doctor` finds of MCP clients."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from rove.browser.browser import Finding
from rove.errors import InvalidSettings
from rove.surfaces.cli.clients.catalogue import Client, clients
from rove.surfaces.cli.clients.client_config import command_in

SUBJECT = "client"


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
