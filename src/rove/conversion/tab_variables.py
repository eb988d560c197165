"""The variables by which code names the tabs of a recording, whose own names mean nothing in another session."""

from __future__ import annotations

from rove.recordings.recording import RecordedStep, Recording

SWITCH, NEW, CLOSE = "switch", "new", "close"


class TabVariables:
    """Numbers the tabs of a recording as they appear: `page`, `page2`, `page3`."""

    def __init__(self, recording: Recording, word: str, first: str) -> None:
        self._word = word
        self._names = {first_tab(recording): first}
        # Tabs that a step names, and that need a variable for this.
        self._named = {named_tab(step) for step in recording.steps} - {""}

    def __contains__(self, tab: str) -> bool:
        return tab in self._names

    def __getitem__(self, tab: str) -> str:
        return self._names[tab]

    def get(self, tab: str, default: str) -> str:
        return self._names.get(tab, default)

    def __len__(self) -> int:
        return len(self._names)

    def add(self, tab: str) -> str:
        """Return the variable of a tab that was opened just now."""
        self._names[tab] = f"{self._word}{len(self._names) + 1}"
        return self._names[tab]

    def is_named(self, tab: str) -> bool:
        """Whether a step switches to this tab, closes it, or answers its dialog."""
        return tab in self._named


def first_tab(recording: Recording) -> str:
    """Return the tab that the recording begins in; the first step of an older one does not say."""
    return next((step.tab for step in recording.steps if step.tab and operation_of(step) != NEW), "")


def operation_of(step: RecordedStep) -> str:
    """Return what a step does with tabs; nothing for one that does something else."""
    return str(step.arguments.get("operation", "list")) if step.action == "tabs" else ""


def named_tab(step: RecordedStep) -> str:
    """Return the tab that the arguments of a step name."""
    return str(step.arguments.get("tab") or "") if step.action in ("tabs", "dialog") else ""
