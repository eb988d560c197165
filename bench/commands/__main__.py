"""`python -m bench.commands`: what one command costs in a shell, beside agent-browser and playwright-cli.

Each program opens the same page in the same browser, which stays open. Then the programs take turns at each command,
which is timed from starting its process to its end. Writes `commands.md` and `commands.json`.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench import machine
from bench.arguments import RESULTS, split_keys
from bench.browser import Browser, NoBrowser
from bench.commands.programs import BUILDERS, Program, Words, build
from bench.site import serving

EMPTY = "an empty program of its language"
# Each task, its title, and a text that its answer must have.
TASKS = {
    "evaluate": ("evaluate `6 * 7`", "42"),
    "snapshot": ("snapshot, small page", "Press me"),
    "click": ("click, quiet page", ""),
    "fill": ("fill a field", ""),
    "open": ("open, small page", ""),
}
# Milliseconds of each row, for each program.
Times = dict[str, dict[str, list[float]]]


class CommandFailed(Exception):
    """A command failed, took too long, or did not answer as it should."""


def main() -> None:
    given = _arguments()
    try:
        browser = Browser.find(given.browser)
    except NoBrowser as problem:
        raise SystemExit(str(problem)) from None
    facts = machine.facts() | {
        "browser": browser.version,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, serving() as site:
        programs, skipped = build(given.only or [*BUILDERS], browser, Path(folder), not given.no_fetch)
        times = measure(programs, site.url("/small"), Path(folder), given.repeats, given.limit)
    facts |= {"load_after": os.getloadavg(), "repeats": given.repeats, "skipped": skipped}
    given.out.mkdir(parents=True, exist_ok=True)
    table = written(programs, times, facts)
    (given.out / "commands.md").write_text(table)
    (given.out / "commands.json").write_text(json.dumps({"facts": facts, "milliseconds": times}, indent=1))
    print(table)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.commands", description=__doc__)
    parser.add_argument("--only", type=split_keys, help=f"programs, separated by commas: {', '.join(BUILDERS)}")
    parser.add_argument("--repeats", type=int, default=20, help="how often each command is run (default: 20)")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds that one may take (default: 60)")
    parser.add_argument("--browser", help="the Chromium that all drive (default: ROVE_BROWSER, else the system's)")
    parser.add_argument("--no-fetch", action="store_true", help="use the installed packages; do not call npm")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where to write the results")
    return parser.parse_args()


def measure(programs: Sequence[Program], url: str, folder: Path, repeats: int, limit: float) -> Times:
    """Run each command `repeats` times, the programs in turn; return the milliseconds that each took."""
    times: Times = {program.key: {} for program in programs}
    try:
        for program in programs:
            _timed(program, program.first(url), folder, limit)
        for number in range(repeats + 1):
            turn = [*programs[number % len(programs) :], *programs[: number % len(programs)]]
            for task, (title, expected) in TASKS.items():
                for program in turn:
                    taken = _timed(program, program.words[task](url), folder, limit, expected)
                    _note(times[program.key], title, taken, number)
            for program in turn:
                _note(times[program.key], EMPTY, _empty(program.empty), number)
    finally:
        for program in programs:
            program.run(program.last, folder, limit)
    return times


def _note(rows: dict[str, list[float]], row: str, taken: float, number: int) -> None:
    if number:  # the first run fills the file cache
        rows.setdefault(row, []).append(taken)


def _timed(program: Program, words: Words, folder: Path, limit: float, expected: str = "") -> float:
    began = time.perf_counter()
    try:
        done = program.run(words, folder, limit)
    except subprocess.TimeoutExpired:
        raise CommandFailed(f"{program.title}: {' '.join(words)} took longer than {limit:g} s") from None
    taken = (time.perf_counter() - began) * 1000
    if done.returncode or expected not in done.stdout:
        raise CommandFailed(f"{program.title}: {' '.join(words)} answered {done.stdout}{done.stderr}")
    return taken


def _empty(words: Words) -> float:
    began = time.perf_counter()
    subprocess.run(words, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return (time.perf_counter() - began) * 1000


def written(programs: Sequence[Program], times: Times, facts: Mapping[str, object]) -> str:
    """Return the medians as a table, and how they compare with rove's."""
    heads = " | ".join(f"{program.title} {program.version}" for program in programs)
    others = [program for program in programs if program.key != "rove"]
    lines = [f"|  | {heads} | {' | '.join(f'{each.title} / rove' for each in others)} |"]
    lines += ["|" + " --- |" + " ---: |" * (len(programs) + len(others))]
    for row in [*(title for title, _ in TASKS.values()), EMPTY]:
        medians = {key: statistics.median(rows[row]) for key, rows in times.items()}
        cells = [f"{medians[program.key]:.0f}" for program in programs]
        ratios = [f"{medians[each.key] / medians['rove']:.2f}×" for each in others] if "rove" in medians else []
        lines.append(f"| {row} | {' | '.join([*cells, *ratios])} |")
    told = (
        f"{facts['processor']}, {facts['cores']} cores, {facts['system']}. Python {facts['python']}, Node "
        f"{facts['node']}. All drive {facts['browser']}. Medians of {facts['repeats']} runs, the programs in turn. "
        f"Load average {_load(facts['load_before'])} before and {_load(facts['load_after'])} after. {facts['date']}."
    )
    return "\n".join([told, "", *lines, ""])


def _load(average: object) -> str:
    return f"{average[0]:.1f}" if isinstance(average, tuple) else "unknown"


if __name__ == "__main__":
    main()
