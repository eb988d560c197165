"""The examples of CONTRIBUTING.md, carried out in a copy of the repository."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

# The whole run must stay short; `make test-all` runs these too.
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "CONTRIBUTING.md"
COPIED_PATHS = [
    "src",
    "tests",
    "docs",
    "bench",
    "examples",
    "pyproject.toml",
    "Makefile",
    "README.md",
    "CONTRIBUTING.md",
]
TIMEOUT = 200
# Without updating the virtual environment: it is the original's, and would be installed from the copy.
MAKE = "make -o .venv/ready -o .venv/dev/ready -o .venv/javascript/ready "

_BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_FILE = re.compile(r"`((?:src|tests)/[\w/]+\.py)`")


@dataclass(frozen=True)
class Example:
    """A code block of the guide, its heading, and the last file that is named before it."""

    heading: str
    language: str
    code: str
    file: str


def examples() -> Iterator[Example]:
    text = GUIDE.read_text(encoding="utf-8")
    for block in _BLOCK.finditer(text):
        before = text[: block.start()]
        headings, files = _HEADING.findall(before), _FILE.findall(before)
        yield Example(headings[-1], block["language"], block["code"], files[-1] if files else "")


def examples_under(heading: str, language: str) -> list[Example]:
    found = [example for example in examples() if (example.heading, example.language) == (heading, language)]
    assert found, f"CONTRIBUTING.md has no {language} example under {heading!r}"
    return found


class Checkout:
    """A copy of the repository that the test changes as a contributor would."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self.home = home
        for name in COPIED_PATHS:
            kept = ROOT / name
            if kept.is_dir():
                shutil.copytree(kept, root / name)
            else:
                shutil.copy2(kept, root / name)
        (root / ".venv").symlink_to(Path(sys.executable).parents[1])

    def write(self, example: Example) -> None:
        """Create the file of an example, or add the example to an existing file."""
        path = self.root / example.file
        if path.exists():
            path.write_text(_added(path.read_text(encoding="utf-8"), example.code), encoding="utf-8")
        else:
            path.write_text(example.code, encoding="utf-8")

    def run(self, command: str, **variables: str) -> str:
        """Run a shell command as a contributor would, on the sources of the copy."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("ROVE_", "PYTEST_"))}
        own = {"ROVE_HOME": str(self.home), "PYTHONPATH": str(self.root / "src"), "PYTHONDONTWRITEBYTECODE": ""}
        ran = subprocess.run(
            ["sh", "-ec", command],
            cwd=self.root,
            env=environment | own | variables,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        assert ran.returncode == 0, f"{command}\n{ran.stdout}\n{ran.stderr}"
        return ran.stdout


def _added(source: str, addition: str) -> str:
    """Add an example's imports at the top of the imports, and the members of its classes at the end of theirs."""
    lines, tree = source.splitlines(), ast.parse(source)
    imports = next(
        node.lineno for node in tree.body if isinstance(node, ast.ImportFrom) and node.module != "__future__"
    )
    inserted: list[tuple[int, str]] = []
    for node in ast.parse(addition).body:
        if isinstance(node, ast.ClassDef):
            (known,) = [old for old in tree.body if isinstance(old, ast.ClassDef) and old.name == node.name]
            assert list(map(ast.dump, node.bases)) == list(map(ast.dump, known.bases)), f"{node.name} has other bases"
            inserted += [(known.end_lineno or 0, "    " + ast.unparse(member)) for member in node.body]
        else:
            inserted.append((imports - 1, ast.unparse(node)))
    for place, line in sorted(inserted, reverse=True):
        lines.insert(place, line)
    return "\n".join(lines) + "\n"


ACTION = "Add an action in five minutes"
SETTING = "Add a setting"


@pytest.fixture
def checkout(tmp_path: Path, home: Path) -> Checkout:
    return Checkout(tmp_path, Path(tempfile.mkdtemp(dir=home)))


@pytest.mark.slow  # a checkout of its own, with its own tests
def test_the_action_works_as_shown_and_so_does_its_test(checkout: Checkout) -> None:
    for example in examples_under(ACTION, "python"):
        checkout.write(example)
    script, derived = examples_under(ACTION, "sh")
    (output,) = examples_under(ACTION, "text")
    assert checkout.run(script.code) == output.code
    assert "1 passed" in checkout.run(".venv/bin/pytest -q tests/browser/test_highlight.py")
    # The last line runs all checks and tests, which would take too long here.
    golden, docs, last = derived.code.splitlines()
    assert last == "make check && make test"
    assert " passed" in checkout.run(golden, PYTEST_ADDOPTS="-k 'highlight or the_tools or every_tool'")
    checkout.run(docs.replace("make ", MAKE))
    assert "browser_highlight" in (checkout.root / "docs/actions.md").read_text(encoding="utf-8")
    assert "browser_highlight" in (checkout.root / "README.md").read_text(encoding="utf-8")


def test_the_action_and_its_test_pass_the_linter(checkout: Checkout) -> None:
    whole = [example for example in examples_under(ACTION, "python") if not (ROOT / example.file).exists()]
    for example in examples_under(ACTION, "python"):
        checkout.write(example)
    for example in whole:
        checkout.run(f".venv/bin/ruff check {example.file} && .venv/bin/ruff format --check {example.file}")


def test_the_setting_has_all_the_names_that_are_promised(checkout: Checkout) -> None:
    (example,) = examples_under(SETTING, "python")
    checkout.write(example)
    assert "ROVE_LIMITS_FRAMES" in checkout.run(".venv/bin/rove config show", ROVE_LIMITS_FRAMES="7")
    assert "--limits-frames" in checkout.run(".venv/bin/rove config show --limits-frames 7")
    (checkout.home / "config.toml").write_text("[limits]\nframes = 7\n")
    assert "config.toml" in checkout.run(".venv/bin/rove config show")
    checkout.run(f"{MAKE}docs")
    assert "limits.frames" in (checkout.root / "docs/settings.md").read_text(encoding="utf-8")
