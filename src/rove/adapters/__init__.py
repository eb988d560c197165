"""rove's tools for agent frameworks: `rove.adapters.<framework>.tools(session)`.

The modules are `openai_agents`, `langchain`, `pydantic_ai`, `browser_use` and `claude_agent_sdk`. Each imports its
framework, so it is imported when it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

FRAMEWORKS = ("browser_use", "claude_agent_sdk", "langchain", "openai_agents", "pydantic_ai")


def __dir__() -> list[str]:
    return sorted({*globals(), *FRAMEWORKS})


def __getattr__(name: str) -> ModuleType:
    """Import an adapter when it is first used."""
    if name not in FRAMEWORKS:
        raise AttributeError(f"module 'rove.adapters' has no attribute {name!r}")
    from importlib import import_module

    return import_module(f"rove.adapters.{name}")
