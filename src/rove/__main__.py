"""The `rove` command."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line; a server's browser is set going before the rest is even imported."""
    arguments = sys.argv[1:]
    begun = None
    if arguments[:1] == ["mcp"] and not {"-h", "--help"} & set(arguments):
        from rove.headstart import head_start

        begun = head_start(arguments, os.environ)
    from rove.surfaces.cli.commands import run

    sys.exit(run(arguments, begun))


if __name__ == "__main__":
    main()
