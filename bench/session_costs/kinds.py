"""The kinds of pages whose sessions are measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """One kind of page: what it is called in tables, and its path."""

    key: str
    title: str

    @property
    def path(self) -> str:
        return f"/{self.key}"


KINDS = (
    Kind("blank", "blank page"),
    Kind("article", "article"),
    Kind("table", "table of 2,000 rows"),
    Kind("form", "form of 160 fields in React (MUI)"),
    Kind("images", "40 photos of 1200 x 800"),
    Kind("animation", "timers and animations"),
    Kind("canvas", "canvas drawn 60 times a second"),
)
