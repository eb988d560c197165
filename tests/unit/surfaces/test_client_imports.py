"""The client of the daemon starts with every command, so it imports almost nothing."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
before = set(sys.modules)
import rove.__main__, rove.surfaces.cli.command_names, rove.surfaces.cli.daemon.client, json
print(*sorted({name for name in set(sys.modules) - before if not name.startswith("_")}))
"""
# `re` and what it needs come with `json`, and with the script that installers write for a command.
ALLOWED = {
    "collections", "copyreg", "enum", "functools", "gc", "itertools", "json", "keyword", "operator", "re", "reprlib",
    "rove", "types",
}  # fmt: skip
OWN = {
    "rove", "rove.__main__", "rove.settings", "rove.settings.home", "rove.surfaces", "rove.surfaces.cli",
    "rove.surfaces.cli.daemon", "rove.surfaces.cli.daemon.client", "rove.surfaces.cli.daemon.location",
    "rove.surfaces.cli.command_names", "rove.version",
}  # fmt: skip


def test_a_command_imports_almost_nothing() -> None:
    done = subprocess.run([sys.executable, "-I", "-c", PROGRAM], capture_output=True, text=True, check=True)
    imported = set(done.stdout.split())
    assert {name for name in imported if name.startswith("rove")} == OWN
    assert {name.partition(".")[0] for name in imported} <= ALLOWED
