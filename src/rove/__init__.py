"""rove gives an AI agent a real browser, and keeps a person in charge of it."""

from __future__ import annotations

from rove import version

__version__ = version.VERSION

# Type checkers treat it like `typing.TYPE_CHECKING`. Importing `typing` takes as long as starting a browser's process.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rove import adapters as adapters
    from rove import sync as sync
    from rove.action import Action as Action
    from rove.action import Effect as Effect
    from rove.actions.forms import FormField as FormField
    from rove.errors import RoveError as RoveError
    from rove.guard.policy import Allow as Allow
    from rove.guard.policy import ApprovalAnswer as ApprovalAnswer
    from rove.guard.policy import ApprovalRequest as ApprovalRequest
    from rove.guard.policy import Approver as Approver
    from rove.guard.policy import Ask as Ask
    from rove.guard.policy import Decision as Decision
    from rove.guard.policy import Deny as Deny
    from rove.guard.policy import Place as Place
    from rove.guard.policy import Policy as Policy
    from rove.guard.policy import WebOnly as WebOnly
    from rove.guard.policy_rules import PolicyRule as PolicyRule
    from rove.guard.policy_rules import RulePolicy as RulePolicy
    from rove.outcome import Outcome as Outcome
    from rove.settings.tree import Settings as Settings
    from rove.surfaces.library import Session as Session
    from rove.surfaces.library import open as open
    from rove.surfaces.library.tools import SessionTools as SessionTools
    from rove.surfaces.library.tools import tools as tools
    from rove.toolsets.outcome_text import as_text as as_text
    from rove.toolsets.outcome_text import error_text as error_text
    from rove.toolsets.tool import Answer as Answer

# The module of each public name. It is imported when the name is first used, so that commands start quickly.
_MODULES = {
    "Action": "rove.action",
    "Allow": "rove.guard.policy",
    "Answer": "rove.toolsets.tool",
    "ApprovalAnswer": "rove.guard.policy",
    "ApprovalRequest": "rove.guard.policy",
    "Approver": "rove.guard.policy",
    "Ask": "rove.guard.policy",
    "Decision": "rove.guard.policy",
    "Deny": "rove.guard.policy",
    "Effect": "rove.action",
    "FormField": "rove.actions.forms",
    "Outcome": "rove.outcome",
    "Place": "rove.guard.policy",
    "Policy": "rove.guard.policy",
    "RoveError": "rove.errors",
    "PolicyRule": "rove.guard.policy_rules",
    "RulePolicy": "rove.guard.policy_rules",
    "Session": "rove.surfaces.library",
    "SessionTools": "rove.surfaces.library.tools",
    "Settings": "rove.settings.tree",
    "WebOnly": "rove.guard.policy",
    "as_text": "rove.toolsets.outcome_text",
    "error_text": "rove.toolsets.outcome_text",
    "open": "rove.surfaces.library",
    "tools": "rove.surfaces.library.tools",
}

# Public modules, which are imported like the names above.
_SUBMODULES = ("adapters", "sync")

__all__ = [
    "Action",
    "Allow",
    "Answer",
    "ApprovalAnswer",
    "ApprovalRequest",
    "Approver",
    "Ask",
    "Decision",
    "Deny",
    "Effect",
    "FormField",
    "Outcome",
    "Place",
    "Policy",
    "PolicyRule",
    "RoveError",
    "RulePolicy",
    "Session",
    "SessionTools",
    "Settings",
    "WebOnly",
    "as_text",
    "error_text",
    "open",
    "tools",
]


def __dir__() -> list[str]:
    """List the public names too, which are not imported yet."""
    return sorted({*globals(), *__all__, *_SUBMODULES})


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name in _SUBMODULES:
        from importlib import import_module

        return import_module(f"rove.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module 'rove' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_MODULES[name]), name)
