"""The MCP clients that rove knows: how to find them, and where they keep their servers."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rove.validation.record import dataclass

SERVER = "rove"


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
