"""The commands that are no actions. Every command imports this, so it imports nothing."""

from __future__ import annotations

# Run in the process of the command itself. All others are run by the daemon.
OWN_COMMANDS = frozenset([
    "mcp", "serve", "cluster", "map", "demo", "init", "install", "doctor", "config", "policy", "states", "profiles",
    "tools", "journal", "logs", "skill", "completion", "recordings", "export",
])  # fmt: skip
# Run by the daemon, about its sessions.
SESSION_COMMANDS = {
    "sessions": "List the open sessions and their tabs.",
    "close": "Close a session, or every one with --all.",
    "stop": "Close all sessions, and end the daemon that runs actions.",
    "watch": "Show what happens in the sessions of commands, as it happens; --web on a web page.",
    "record": "Record what is done in a session, to replay it or to turn it into code.",
    "approve": "Answer what waits for a person's approval.",
}
