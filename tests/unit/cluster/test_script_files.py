"""What of a script's folder travels to nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove.cluster.pages.script_files import check_script, declared_packages, needed_files, runtime_env_for
from rove.errors import InvalidArguments

SCRIPT = """\
# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "humanize==4.12.0",
# ]
# ///
import prices
from shop.pages import title
import json


async def run(session, url):
    return title(url), prices.of(url)
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    (tmp_path / "shop").mkdir()
    files = {
        "job.py": SCRIPT,
        "prices.py": "import numbers_of\n",
        "numbers_of.py": "",
        "shop/__init__.py": "",
        "shop/pages.py": "import beside_package\n",
        "beside_package.py": "",
        "unrelated.py": "KEY = 1\n",
        "secrets.toml": "x",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path / "job.py"


def test_the_modules_that_it_imports_travel_and_nothing_else(script: Path, tmp_path: Path) -> None:
    assert [path.name for path in needed_files(script)] == [
        *("beside_package.py", "job.py", "numbers_of.py", "prices.py", "shop"),
    ]
    folder = tmp_path / "sent"
    folder.mkdir()
    assert runtime_env_for(script, folder) == {"working_dir": str(folder), "pip": ["humanize==4.12.0"]}
    assert (folder / "shop" / "pages.py").is_file() and not (folder / "secrets.toml").exists()


def test_a_script_is_checked_without_being_run(tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    for text, said in [("raise SystemExit(\n", "cannot be loaded"), ("def run(): ...\n", "has no function")]:
        script.write_text(text)
        with pytest.raises(InvalidArguments, match=said):
            check_script(script)
    script.write_text("# /// script\n# dependencies = 1\n# ///\n")
    with pytest.raises(InvalidArguments, match="must be a list"):
        declared_packages(script)
