"""Command-line arguments that the benchmarks share: the servers, the browser they drive, and where results go."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from pathlib import Path

from bench.browser import Browser, NoBrowser
from bench.packages import NotInstalled
from bench.servers import BUILDERS, TUNED, BuildOptions, Server, build

RESULTS = Path(__file__).parent / "results"


def new_parser(program: str, description: str | None, limit: float) -> argparse.ArgumentParser:
    """Return a parser with the shared arguments. `limit`: the default for the seconds that one call may take."""
    parser = argparse.ArgumentParser(prog=program, description=description)
    names = ", ".join((*BUILDERS, *TUNED))
    parser.add_argument("--only", type=split_keys, help=f"servers to measure, separated by commas: {names}")
    parser.add_argument(
        "--limit", type=float, default=limit, help=f"seconds that one call may take (default: {limit:g})"
    )
    parser.add_argument(
        "--browser", help="the Chromium that all servers drive (default: ROVE_BROWSER, else the system's)"
    )
    parser.add_argument("--rove", help="the command that starts rove (default: `rove mcp` of this checkout)")
    parser.add_argument("--no-fetch", action="store_true", help="use the installed packages; do not call npm")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where to write the results")
    return parser


def split_keys(text: str) -> list[str]:
    return [key.strip() for key in text.split(",") if key.strip()]


def refuse_unknown(kind: str, keys: Collection[str], known: Collection[str]) -> None:
    """Exit with a message if one of the keys is not known."""
    unknown = set(keys) - set(known)
    if unknown:
        raise SystemExit(f"no such {kind}: {', '.join(sorted(unknown))}")


def build_options(arguments: argparse.Namespace) -> BuildOptions:
    """Return the browser and how to find or fetch a server; exit with a message if there is no browser."""
    try:
        browser = Browser.find(arguments.browser)
    except NoBrowser as problem:
        raise SystemExit(str(problem)) from None
    return BuildOptions(browser, not arguments.no_fetch, arguments.rove)


def build_servers(keys: Sequence[str], options: BuildOptions, skipped: dict[str, str]) -> list[Server]:
    """Build the wanted servers; note in `skipped` why a server cannot be installed."""
    refuse_unknown("server", keys, {*BUILDERS, *TUNED})
    servers: list[Server] = []
    for key in keys:
        try:
            servers.append(build(key, options))
            print(f"  {servers[-1].title} {servers[-1].version}", flush=True)
        except NotInstalled as problem:
            skipped[key] = str(problem)
            print(f"  {key} is skipped: {problem}", flush=True)
    return servers
