"""The `rove` command."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Run the command line; whoever is interrupted, even in mid-import, leaves without a word."""
    try:
        code = _run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130  # a browser that was begun is ended by its keeper
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    """A server's browser is set going before the rest is even imported."""
    begun = None
    if arguments[:1] == ["mcp"] and not {"-h", "--help"} & set(arguments):
        from rove.chromium.early_launch import early_launch

        begun = early_launch(arguments, os.environ)
    gc.disable()  # nothing of what is imported is garbage, and looking for some takes a tenth of the time
    from rove.surfaces.cli.commands import run

    gc.enable()
    return run(arguments, begun)


if __name__ == "__main__":
    main()
