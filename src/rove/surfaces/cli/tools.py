"""`rove tools` and `rove skill`: what models see of the tools, and the guide for agents that run commands."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from rove.settings.toolset_file import DEFAULT_TOOLSET, names_of_toolsets, read_toolset
from rove.settings.tree import Settings
from rove.snapshot import estimate
from rove.surfaces.mcp.features import described
from rove.toolsets.tool import Tool
from rove.toolsets.toolset import toolset_from

WIDTH = 100
DEFAULT_SUMMARY = "Every action of the catalogue as a tool of its own; groups are added with --with."

# Where agents look for skills of a user.
SKILLS = Path("~/.claude/skills")
NAME = "rove"


def show(settings: Settings, form: Literal["text", "tokens", "json"]) -> int:
    """Print the tools that the settings give to a model."""
    tools = list(toolset_from(settings).values())
    if form == "json":
        print(json.dumps([described(tool) for tool in tools], indent=2, ensure_ascii=False))
        return 0
    for tool in tools:
        print("\n".join(_text_of(tool)) if form == "text" else f"{_cost(tool):>6}  {tool.name}")
    total = sum(map(_cost, tools))
    print(f"{len(tools)} tools, about {total:,} tokens", file=sys.stderr if form == "text" else sys.stdout)
    return 0


def list_toolsets(settings: Settings) -> int:
    """Print the name and the summary of each toolset."""
    names = names_of_toolsets(settings.home_folder)
    width = max(map(len, names))
    for name in names:
        print(f"{name:<{width}}  {_summary(name, settings)}")
    return 0


def _summary(name: str, settings: Settings) -> str:
    return DEFAULT_SUMMARY if name == DEFAULT_TOOLSET else read_toolset(name, settings.home_folder).get("summary", "")


def _cost(tool: Tool) -> int:
    """Estimate the tokens of what models are sent of a tool: all but the annotations."""
    seen = {key: value for key, value in described(tool).items() if key != "annotations"}
    return estimate(json.dumps(seen, ensure_ascii=False, separators=(",", ":")))


def _text_of(tool: Tool) -> Iterator[str]:
    """Yield the lines that tell a person what a model sees of a tool."""
    yield f"{tool.name}  (about {_cost(tool)} tokens)"
    yield textwrap.fill(tool.description, WIDTH, initial_indent="  ", subsequent_indent="  ")
    required = tool.schema.get("required", ())
    for name, schema in tool.schema["properties"].items():
        mark = "" if name in required else "?"
        told = f"{name}{mark}: {_type_of(schema)}. {schema.get('description', '')}".rstrip()
        yield textwrap.fill(told, WIDTH, initial_indent="    ", subsequent_indent="      ")
    yield ""


def _type_of(schema: dict[str, Any]) -> str:
    """Say what an argument can be: its type, its values and its default."""
    kind = " or ".join(_type_of(each) for each in schema["anyOf"]) if "anyOf" in schema else schema.get("type", "any")
    values = f" ({', '.join(map(str, schema['enum']))})" if "enum" in schema else ""
    default = f", {json.dumps(schema['default'])} if not given" if "default" in schema else ""
    return f"{kind}{values}{default}"


def skill_text() -> str:
    """Return the guide."""
    return files("rove.surfaces.cli").joinpath("skill.md").read_text("utf-8")


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
