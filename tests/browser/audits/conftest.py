"""What audits are compared with: axe-core as its package has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove.browser import axe_core
from rove.settings.tree import Settings

PACKAGES = Path(__file__).parents[3] / ".venv" / "widgets" / "node_modules"


@pytest.fixture(scope="session")
def axe_file() -> Path:
    path = PACKAGES / "axe-core" / "axe.min.js"
    if not path.is_file():
        pytest.skip("run `make .venv/widgets/ready`, which installs axe-core")
    return path


@pytest.fixture(scope="session")
def installed_axe(axe_file: Path, settings: Settings) -> Path:
    """axe-core where `rove install axe` puts it, in the home of the tests."""
    path = axe_core.own_path(settings)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(axe_file.read_bytes())
    return path
