"""The `rove` command."""

from __future__ import annotations

import os
import sys

from rove.home import home_from, home_in


def main() -> None:
    """Run the command line; a server's slowest part is set going before the rest is even imported."""
    launch = None
    if sys.argv[1:2] == ["mcp"] and not {"-h", "--help"} & set(sys.argv):
        from rove.chromium.warmup import Warmup

        launch = Warmup(home_from(home_in(sys.argv), os.environ))
    from rove.surfaces.cli.commands import run

    sys.exit(run(sys.argv[1:], launch))


if __name__ == "__main__":
    main()
