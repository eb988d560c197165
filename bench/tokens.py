"""Counts tokens with o200k_base of the npm package gpt-tokenizer, after all tasks have been timed."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from bench.packages import NotInstalled, Package, install

_SCRIPT = Path(__file__).with_name("tokens.mjs")


class Tokenizer:
    """Counts the tokens of many texts in one Node process."""

    def __init__(self, folder: Path, *, fetch: bool) -> None:
        self._folder = folder
        self._package: Package | None = None
        self.name = "none"
        try:
            self._package = install("gpt-tokenizer", fetch=fetch)
            self.name = f"o200k_base (gpt-tokenizer {self._package.version})"
        except NotInstalled as problem:
            print(f"  tokens are not counted: {problem}")

    def count(self, texts: Sequence[str]) -> list[int | None]:
        """Return the number of tokens of each text, or None where there is no tokenizer."""
        if self._package is None or not texts:
            return [None] * len(texts)
        files = [self._folder / f"{number}.txt" for number in range(len(texts))]
        for file, text in zip(files, texts, strict=True):
            file.write_text(text)
        done = subprocess.run(
            ["node", "--max-old-space-size=8192", str(_SCRIPT)],
            cwd=self._package.folder.parent.parent,
            input=json.dumps([str(file) for file in files]),
            capture_output=True,
            text=True,
            timeout=600,
            check=True,
        )
        counts: list[int | None] = json.loads(done.stdout)
        return counts
