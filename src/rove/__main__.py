"""The `rove` command."""

from __future__ import annotations

import sys


def main() -> None:
    from rove.surfaces.cli.commands import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
