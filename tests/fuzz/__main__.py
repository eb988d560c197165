"""Fuzzes one target, or repeats one case: `python -m tests.fuzz --help`."""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from tests.fuzz.fuzzer import CORPORA, Defect, Target, case, checked, corpus_of, fuzz
from tests.fuzz.targets import TARGETS, target_named


def main() -> None:
    """Read the arguments and do what they say."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Fuzzes one target, or repeats one case.")
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=float, default=60, help="How long to fuzz.")
    parser.add_argument("--seed", type=int, default=None, help="Default: a random one, which is printed.")
    parser.add_argument("--case", type=int, default=None, help="Repeat this case of the seed, and no other.")
    parser.add_argument("--input", type=Path, default=None, help="Check this file.")
    parser.add_argument("--keep", metavar="NAME", help="Add the input to the corpus under this name.")
    parser.add_argument("--guided", action="store_true", help="Let coverage guide it; needs: pip install atheris.")
    chosen = parser.parse_args()
    target = target_named(chosen.target)
    if chosen.guided:
        from tests.fuzz.guided import fuzz_guided

        fuzz_guided(target, chosen.seconds)
    seed = random.randrange(2**32) if chosen.seed is None else chosen.seed
    if chosen.input is not None or chosen.case is not None:
        data = chosen.input.read_bytes() if chosen.input else case(target, corpus_of(target), seed, chosen.case)
        _repeat(target, data, chosen.keep)
    else:
        _fuzz(target, seed, chosen.seconds)


def _repeat(target: Target, data: bytes, name: str | None) -> None:
    print(repr(data))
    if name:
        (CORPORA / target.name).mkdir(parents=True, exist_ok=True)
        (CORPORA / target.name / name).write_bytes(data)
    print("accepted differences:", sorted(checked(target, data)) or "none")


def _fuzz(target: Target, seed: int, seconds: float) -> None:
    print(f"{target.name}, seed {seed}, {seconds:g} s")
    try:
        tally = fuzz(target, seed, seconds)
    except Defect as defect:
        sys.exit(str(defect))
    print(f"{tally.cases} cases, no defect; accepted differences: {dict(tally.differences)}")


if __name__ == "__main__":
    main()
