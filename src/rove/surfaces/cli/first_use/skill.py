"""`rove skill`: the guide for coding agents that run commands."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

# Where agents look for skills of a user.
SKILLS = Path("~/.claude/skills")
NAME = "rove"


def skill_text() -> str:
    """Return the guide."""
    return files("rove.surfaces.cli.first_use").joinpath("skill.md").read_text("utf-8")


def show_skill(install_to: Path | None) -> int:
    """Print the guide, or write it as a skill file below a folder."""
    if install_to is None:
        print(skill_text(), end="")
        return 0
    path = install_to.expanduser() / NAME / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(skill_text(), "utf-8")
    print(f"Wrote {path}")
    return 0
