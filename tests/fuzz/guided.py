"""Fuzzing that coverage guides, with atheris: it keeps inputs that reach new lines of rove, and mutates those."""

from __future__ import annotations

import random
import sys
from importlib import import_module
from typing import Any

from tests.fuzz.fuzzer import CORPORA, Target, checked
from tests.fuzz.mutation import mutated

# Instrumented when they are imported again: the parsers that targets call.
PACKAGES = (
    "rove.guard",
    "rove.settings",
    "rove.surfaces.mcp",
    "rove.surfaces.gateway",
    "rove.content.http",
    "rove.target",
    "rove.views",
)


def fuzz_guided(target: Target, seconds: float) -> None:
    """Fuzz until the time is up or a defect is found; new inputs are added to the corpus of the target."""
    atheris: Any = import_module("atheris")
    for name, module in list(sys.modules.items()):
        if name.startswith(PACKAGES):
            for function in vars(module).values():
                _instrument(atheris, function, name)
    corpus = CORPORA / target.name
    corpus.mkdir(parents=True, exist_ok=True)

    def mutate(data: bytes, longest: int, seed: int) -> bytes:
        choose = random.Random(seed)
        fresh = target.generate(choose) if choose.random() < 0.1 else data
        return mutated(fresh, choose, target.tokens, ())[:longest]

    arguments = [sys.argv[0], f"-max_total_time={int(seconds)}", "-max_len=20000", str(corpus)]
    atheris.Setup(arguments, lambda data: checked(target, data) and None, custom_mutator=mutate)
    atheris.Fuzz()


def _instrument(atheris: Any, value: object, module: str) -> None:
    """Instrument a function, or the methods of a class, of this module."""
    if getattr(value, "__module__", None) != module:
        return
    functions = [value] if hasattr(value, "__code__") else list(vars(value).values()) if isinstance(value, type) else []
    for function in functions:
        if hasattr(function, "__code__"):
            atheris.instrument_func(function)
