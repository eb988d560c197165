"""The table of docs/engines.md: which tests pass on which engine, from the files that `make engines` writes."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs/engine_results"
ORDER = ("chromium", "firefox", "webkit")
Results = Mapping[str, Any]


def engine_table() -> Iterator[str]:
    """Yield the table, then what is left out or fails on each engine, with the reasons."""
    runs = [json.loads(path.read_text("utf-8")) for name in ORDER if (path := FOLDER / f"{name}.json").exists()]
    if not runs:
        yield "No run has been recorded yet: `make engines` records one."
        return
    yield from _summary(runs)
    yield ""
    yield from _files(runs)
    for run in runs:
        yield from _left_out(run)


def _summary(runs: list[Results]) -> Iterator[str]:
    whole = _passed(runs[0])
    yield from (
        "| engine | browser | tests passed | of Chromium's | failed | left out |",
        "|---|---|---:|---:|---:|---:|",
    )
    for run in runs:
        share = f"{100 * _passed(run) / whole:.1f} %" if whole else "–"
        skipped = sum(_reasons(run).values())
        yield (
            f"| {run['engine']} | {run['browser']}, {run['date']} | {_passed(run):,} | {share} "
            f"| {len(_failures(run)):,} | {skipped:,} |"
        )


def _files(runs: list[Results]) -> Iterator[str]:
    yield f"| tests | {' | '.join(run['engine'] for run in runs)} |"
    yield f"|---|{'---:|' * len(runs)}"
    for file in sorted({file for run in runs for file in run["files"]}):
        cells = " | ".join(_cell(run["files"].get(file)) for run in runs)
        yield f"| {_subject(file)} | {cells} |"


def _cell(result: Results | None) -> str:
    if result is None:
        return "–"
    total = result["passed"] + len(result["failed"]) + sum(result["skipped"].values())
    return f"{result['passed']} of {total}"


def _subject(file: str) -> str:
    """Return what a test file is about: the first line of its docstring, linked to the file."""
    path = ROOT / file
    text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) if path.exists() else None
    first = (text or Path(file).stem).splitlines()[0].removesuffix(".")
    return f"[{first.replace('|', chr(92) + '|')}](../{file})"


def _left_out(run: Results) -> Iterator[str]:
    reasons, failures = _reasons(run), _failures(run)
    if reasons:
        yield from ("", f"Left out on {run['engine']}:", "")
        for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
            yield f"- {count} {'test' if count == 1 else 'tests'}: {reason}"
    if failures:
        yield from ("", f"Failing on {run['engine']}:", "")
        yield from (f"- `{name}`" for name in failures)


def _passed(run: Results) -> int:
    return sum(result["passed"] for result in run["files"].values())


def _failures(run: Results) -> list[str]:
    return [f"{file}::{name}" for file, result in run["files"].items() for name in result["failed"]]


def _reasons(run: Results) -> Counter[str]:
    reasons: Counter[str] = Counter()
    for result in run["files"].values():
        reasons.update(result["skipped"])
    return reasons
