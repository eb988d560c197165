"""Hints in the words of Python."""

from __future__ import annotations

import pytest

from rove.surfaces.library.method import with_arguments


@pytest.mark.parametrize(
    ("hint", "in_python"),
    [
        ("Allow it with --allow-host 127.0.0.1:80.", 'Allow it with rove.open(allow_host="127.0.0.1:80").'),
        ("Put it there, or set --workspace.", "Put it there, or set rove.open(workspace=...)."),
        ("Use --no-headless, or xvfb.", "Use rove.open(headless=False), or xvfb."),
        ("With `--approve terminal` it asks.", 'With `rove.open(approve="terminal")` it asks.'),
        ("Raise --limits-tabs and try again.", "Raise rove.open(limits__tabs=...) and try again."),
        ("Write to --out FILE.", "Write to --out FILE."),
    ],
)
def test_flags_of_settings_are_arguments_of_open(hint: str, in_python: str) -> None:
    assert with_arguments(hint) == in_python
