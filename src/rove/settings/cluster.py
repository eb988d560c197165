"""Settings of more than one machine: the cluster that sessions and pages run on, and where states are saved."""

from __future__ import annotations

from typing import Annotated

from rove.validation.fields import FieldRule, Validated, arg
from rove.validation.record import dataclass

Seconds = Annotated[float, FieldRule(gt=0)]


@dataclass(frozen=True)
class Clustering(Validated):
    """What `--cluster` does; without it nothing else here is read."""

    address: str | None = arg(
        "Ray cluster that `rove serve` runs sessions on, and that `rove cluster` and `rove doctor` ask: HOST:PORT of "
        "its head. `--cluster` is short for it. Default: none, sessions run on this machine.",
        default=None,
    )
    store: str | None = arg(
        "Where the states of sessions are saved, encrypted, for the case that their node is lost: a folder or an "
        "address that fsspec knows, such as s3://bucket/rove. Default: `cluster` in home.",
        default=None,
    )
    save_seconds: Seconds = arg("Least seconds between two saves of one session's state.", default=2)
    sessions_per_node: int = arg(
        "Most sessions of one node; its memory may allow fewer, and `limits.sessions` counts no more.",
        default=100,
        ge=1,
    )
    session_megabytes: int = arg("Memory to expect of a session until the nodes have measured it.", default=150, ge=1)
    queue: int = arg("Most new sessions that wait in line when every node is full.", default=64, ge=0)
    queue_seconds: float = arg("Seconds that a new session waits in line for room on a node.", default=5, ge=0)
    moves_per_node: int = arg(
        "Most sessions that one node opens at once of those that a lost or drained node had.", default=4, ge=1
    )
    head_seconds: Seconds = arg("Seconds to wait for the head of the cluster when `rove serve` starts.", default=60)
    wait: Seconds = arg(
        "Seconds that a cluster whose head or last node has gone is waited for, before `rove map` ends.", default=300
    )
    lease: Seconds = arg(
        "Seconds without a word from its rove process after which a node ends what it does for it.", default=60
    )
