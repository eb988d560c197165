"""Snapshots as text for a model: rows of all frames are joined, fitted into a token budget, and compared."""

from rove.snapshot.budget import Rendered, estimate, render
from rove.snapshot.difference import Delta, difference, gone_again
from rove.snapshot.tree import Flag, Group, Row, Snapshot, of_origin, parse, remark, stitch

__all__ = [
    "Delta",
    "Flag",
    "Group",
    "Rendered",
    "Row",
    "Snapshot",
    "difference",
    "estimate",
    "gone_again",
    "of_origin",
    "parse",
    "remark",
    "render",
    "stitch",
]
