"""`python -m bench.told`: how often each server tells the truth about what an act did."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.browser import Browser, NoBrowser
from bench.packages import NotInstalled
from bench.servers import BUILDERS, BuildOptions, Server, build
from bench.site import Site
from bench.tokens import Tokenizer
from bench.told import late_changes, report, run, transitions, widgets
from bench.told.act import Act
from bench.told.site import serving

GROUPS = {"late": late_changes, "transitions": transitions, "widgets": widgets}


def main() -> None:
    arguments = _arguments()
    try:
        browser = Browser.find(arguments.browser)
    except NoBrowser as problem:
        raise SystemExit(str(problem)) from None
    options = BuildOptions(browser, not arguments.no_fetch, None)
    skipped: dict[str, str] = {}
    servers = _servers(_keys(arguments.only), options, skipped)
    chosen = [GROUPS[key] for key in _keys(arguments.groups)]
    acts = [act for group in chosen for act in group.acts()]
    pages = {path: text for group in chosen for path, text in group.pages().items()}
    with serving(pages) as site:
        accounts = asyncio.run(_all(servers, acts, site, arguments.limit))
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        table = report.markdown(accounts, skipped, Tokenizer(Path(folder), fetch=not arguments.no_fetch))
    out = Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "told.md").write_text(table)
    (out / "told-wrong.md").write_text(report.wrong_answers(accounts))
    print(f"\n{table}\nWritten: told.md and told-wrong.md in {out}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.told", description=__doc__)
    parser.add_argument("--only", default=",".join(BUILDERS), help="servers, separated by commas")
    parser.add_argument("--groups", default=",".join(GROUPS), help=f"pages: {', '.join(GROUPS)}")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds that one call may take (default: 30)")
    parser.add_argument("--browser", help="the Chromium that all servers drive")
    parser.add_argument("--no-fetch", action="store_true", help="use the installed packages; do not call npm")
    parser.add_argument("--out", default=str(Path(__file__).parents[1] / "results"), help="where to write the results")
    return parser.parse_args()


def _keys(text: str) -> list[str]:
    return [key.strip() for key in text.split(",") if key.strip()]


def _servers(keys: Sequence[str], options: BuildOptions, skipped: dict[str, str]) -> list[Server]:
    servers: list[Server] = []
    for key in keys:
        try:
            servers.append(build(key, options))
        except NotInstalled as problem:
            skipped[key] = str(problem)
    return servers


async def _all(servers: Sequence[Server], acts: Sequence[Act], site: Site, limit: float) -> list[run.Account]:
    """Run one server after another, because nothing of this is timed to be compared."""
    accounts: list[run.Account] = []
    for server in servers:
        print(f"  {server.title} {server.version}: {len(acts)} acts", flush=True)
        accounts.append(await run.run(server, acts, site, limit))
    return accounts


if __name__ == "__main__":
    main()
