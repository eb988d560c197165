"""What a node is told of a job before its first page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from rove.cluster.node.configuration import Configuration
from rove.jobs.options import PageOptions
from rove.jobs.worker import PageAnswer
from rove.validation.record import dataclass


@dataclass(frozen=True)
class PagesSetup:
    """How a node visits pages.

    `session_class`: what a script of the caller's is given, as `module:name`, as a node knows no surface of rove.
    `slots`: pages at once; None for as many as the node can.
    `neighbours`: nodes of the job on the same machine, itself included, which share its memory. `state`: cookies and
    storage that every session begins with, as JSON.
    """

    configuration: Configuration
    options: PageOptions
    session_class: str
    slots: int | None = None
    cores: float = 1.0
    neighbours: int = 1
    state: str | None = None


@dataclass(frozen=True)
class Opened:
    """A node is ready.

    `job` tells this job from one before, of which pages may still be asked for; `journal` the journals of this process
    from those of one before on the same node.
    """

    job: str
    journal: str
    slots: int


@dataclass(frozen=True)
class Visited:
    """The answer of a visit, and what is in the files that it names, by their paths in the workspace."""

    answer: PageAnswer
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
