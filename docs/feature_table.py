"""The matrix of docs/engines.md: line C7 of the contracts, feature by feature and engine by engine.

A test says which cells it shows: `@pytest.mark.feature("PDF", works=("chromium", "firefox"))`, or `part=` and `no=`
with a `reason`. A cell is filled only if `make engines` has recorded that such a test passed on that engine.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs/engine_results"
ENGINES = ("chromium", "firefox", "webkit")
FEATURES = (
    "Sessions on the engine",
    "Mobile emulation",
    "Request interception",
    "PDF",
    "Geolocation and permissions",
    "Visual comparison",
    "Performance profile",
    "Accessibility audit",
    "Extensions",
    "Several tabs",
)
STATES = {"works": "works", "part": "in part", "no": "no"}
NOT_RUN = "not run"


@dataclass(frozen=True)
class Claim:
    """What a test shows of a feature on an engine."""

    feature: str
    engine: str
    state: str
    reason: str
    path: str
    test: str


def feature_table() -> Iterator[str]:
    """Yield a table row for each feature."""
    claims, passed = list(claimed()), {engine: _passed(engine) for engine in ENGINES}
    yield from (f"| | {' | '.join(ENGINES)} |", f"|---|{'---|' * len(ENGINES)}")
    for feature in FEATURES:
        cells = [
            _cell([each for each in claims if (each.feature, each.engine) == (feature, engine)], passed[engine])
            for engine in ENGINES
        ]
        yield f"| {feature} | {' | '.join(cells)} |"


def claimed() -> Iterator[Claim]:
    """Yield what the marks of tests claim."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        source = path.read_text("utf-8")
        if "mark.feature(" not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from _claims_of(node, str(path.relative_to(ROOT)))


def _claims_of(test: ast.FunctionDef | ast.AsyncFunctionDef, path: str) -> Iterator[Claim]:
    for mark in test.decorator_list:
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.feature":
            feature = ast.literal_eval(mark.args[0])
            said = {each.arg: ast.literal_eval(each.value) for each in mark.keywords if each.arg}
            reason = said.pop("reason", "")
            for state, engines in said.items():
                for engine in engines:
                    yield Claim(feature, engine, STATES[state], reason, path, test.name)


def _cell(claims: list[Claim], passed: set[tuple[str, str]]) -> str:
    """Return a state with its reason, linked to the tests that passed; where some of it is missing, that says more."""
    shown = [each for each in claims if (each.path, each.test) in passed]
    if not shown:
        return NOT_RUN
    state = next(state for state in reversed(STATES.values()) if any(each.state == state for each in shown))
    told = [each for each in shown if each.state == state]
    reasons = "; ".join(dict.fromkeys(each.reason for each in told if each.reason))
    link = f'[{state}](../{told[0].path} "{told[0].test}")'
    return f"{link}: {reasons}" if reasons else link


def _passed(engine: str) -> set[tuple[str, str]]:
    """Return the tests with the mark that the last recorded run on an engine has passed, by path and name."""
    path = RESULTS / f"{engine}.json"
    files = json.loads(path.read_text("utf-8"))["files"] if path.exists() else {}
    return {(file, name) for file, result in files.items() for name in result.get("features", ())}
