"""`python -m bench.told`: how often each server tells the truth about what an act did."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.arguments import build_options, build_servers, new_parser, refuse_unknown, split_keys
from bench.servers import BUILDERS, Server
from bench.site import Site
from bench.tokens import Tokenizer
from bench.told import late_changes, report, run, transitions, widgets
from bench.told.act import Act
from bench.told.site import serving

GROUPS = {"late": late_changes, "transitions": transitions, "widgets": widgets}


def main() -> None:
    arguments = _arguments()
    refuse_unknown("group of pages", arguments.groups, GROUPS)
    options = build_options(arguments)
    skipped: dict[str, str] = {}
    servers = build_servers(arguments.only or [*BUILDERS], options, skipped)
    chosen = [GROUPS[key] for key in arguments.groups]
    acts = [act for group in chosen for act in group.acts()]
    pages = {path: text for group in chosen for path, text in group.pages().items()}
    with serving(pages) as site:
        accounts = asyncio.run(_all(servers, acts, site, arguments.limit))
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        table = report.markdown(accounts, skipped, Tokenizer(Path(folder), fetch=options.fetch))
    _write(table, accounts, arguments.out)


def _arguments() -> argparse.Namespace:
    parser = new_parser("python -m bench.told", __doc__, limit=30.0)
    parser.add_argument("--groups", type=split_keys, default=[*GROUPS], help=f"pages: {', '.join(GROUPS)}")
    return parser.parse_args()


def _write(table: str, accounts: Sequence[run.Account], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "told.md").write_text(table)
    (folder / "told-wrong.md").write_text(report.wrong_answers(accounts))
    print(f"\n{table}\nWritten: told.md and told-wrong.md in {folder}")


async def _all(servers: Sequence[Server], acts: Sequence[Act], site: Site, limit: float) -> list[run.Account]:
    """Run one server after another, because nothing of this is timed to be compared."""
    accounts: list[run.Account] = []
    for server in servers:
        print(f"  {server.title} {server.version}: {len(acts)} acts", flush=True)
        accounts.append(await run.run(server, acts, site, limit))
    return accounts


if __name__ == "__main__":
    main()
