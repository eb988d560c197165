"""The entry point of the `rove` command."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Run the command line. An interrupt, even during an import, ends it without a traceback."""
    try:
        code = _run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130  # the process that watches a started browser ends it
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    """Run the command. A server's browser is started before the rest is imported."""
    from rove.surfaces.own_commands import OWN_COMMANDS

    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    if arguments and arguments[0] not in OWN_COMMANDS and not arguments[0].startswith("-"):
        from rove.surfaces.daemon.client import run as run_in_daemon

        return run_in_daemon(arguments, os.environ)
    launch = None
    if arguments[:1] == ["mcp"] and not {"-h", "--help", "--help-all"} & set(arguments):
        from rove.chromium.early_launch import early_launch

        launch = early_launch(arguments, os.environ)
    gc.disable()  # imports leave no garbage, and looking for it takes a tenth of their time
    from rove.surfaces.cli.commands import run

    gc.enable()
    return run(arguments, launch)


if __name__ == "__main__":
    main()
