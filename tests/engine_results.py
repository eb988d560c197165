"""A pytest plugin that writes which tests passed on an engine, for the table in docs/engines.md.

`make engines` uses it: `python -m pytest -p tests.engine_results --engine firefox --engine-results FILE`.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest

from rove.browser.engines import load_engine
from rove.settings.sections import EngineName
from rove.settings.tree import Settings


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--engine-results", type=Path, help="Write the results, by test file, to this JSON file.")


def pytest_configure(config: pytest.Config) -> None:
    # Workers of pytest-xdist send their reports to the controller, which writes the file.
    if config.getoption("--engine-results") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(EngineResults(config), "engine_results_writer")


class EngineResults:
    """Counts passed, failed and skipped tests of each file, and names those that show a feature of an engine."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._passed: Counter[str] = Counter()
        self._failed: defaultdict[str, list[str]] = defaultdict(list)
        self._skipped: defaultdict[str, Counter[str]] = defaultdict(Counter)
        # Tests that passed and show what an engine can do (docs/feature_table.py), by file.
        self._features: defaultdict[str, set[str]] = defaultdict(set)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        file, _, name = report.nodeid.partition("::")
        if report.failed and name not in self._failed[file]:
            self._failed[file].append(name)
        elif report.skipped:
            self._skipped[file][self._reason(report)] += 1
        elif report.when == "call" and report.passed:
            self._passed[file] += 1
            if "feature" in report.keywords:
                self._features[file].add(name.partition("[")[0])

    def pytest_sessionfinish(self) -> None:
        engine = cast(EngineName, self._config.getoption("--engine"))
        version, _ = load_engine(engine).install(Settings(), lambda message: None)
        path: Path = self._config.getoption("--engine-results")
        files = {**_recorded(path), **{file: self._file(file) for file in self._files}}
        results = {
            "engine": engine,
            "browser": version,
            "date": datetime.now(UTC).date().isoformat(),
            "files": dict(sorted(files.items())),
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")

    @property
    def _files(self) -> set[str]:
        return self._passed.keys() | self._failed.keys() | self._skipped.keys()

    def _file(self, file: str) -> dict[str, object]:
        return {
            "passed": self._passed[file],
            "failed": sorted(self._failed[file]),
            "skipped": dict(sorted(self._skipped[file].items())),
            **({"features": sorted(self._features[file])} if self._features[file] else {}),
        }

    def _reason(self, report: pytest.TestReport) -> str:
        """Return why a test was skipped, as its marker says."""
        text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        return text.removeprefix("Skipped: ").removeprefix(f"{self._config.getoption('--engine')}: ")


def _recorded(path: Path) -> dict[str, object]:
    """Return the results of files that an earlier run has recorded; those that run again replace theirs."""
    files: dict[str, object] = json.loads(path.read_text("utf-8"))["files"] if path.exists() else {}
    return {file: result for file, result in files.items() if Path(file).exists()}
