"""Measures readable text beside trafilatura, readability-lxml and Readability.js: F1 of words, and seconds a page.

    python -m bench.reading [FOLDER]

Without a folder, on the pages of `pages.py`. With one, on `FOLDER/*/source.html` with the text in `ref.txt` or,
where there is none, in `expected.html`. Extractors that are not installed are left out; Readability.js is run if
`READABILITY_JS` names a folder in which npm has installed `@mozilla/readability` and `jsdom`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from html import unescape
from importlib import import_module
from pathlib import Path

from bench.reading.pages import Page, pages
from rove.content.page_source import PageSource
from rove.content.readable.reader import read_article

ADDRESS = "https://bench.example/story"
RUN_JS = """const {JSDOM, VirtualConsole} = require('jsdom'), {Readability} = require('@mozilla/readability');
const read = html => {
  const options = {url: 'https://bench.example/story', virtualConsole: new VirtualConsole()};
  const dom = new JSDOM(html, options);
  const found = new Readability(dom.window.document).parse(); return found ? found.textContent : ''; };
console.log(JSON.stringify(JSON.parse(require('fs').readFileSync(0, 'utf8')).map(read)));"""
Extractor = Callable[[list[str]], list[str]]


def f1(found: str, wanted: str) -> float:
    """Return the F1 of the words of a text against those of another; letters of Chinese and Japanese are words."""
    first, second = (Counter(re.findall(r"[\u3040-\u30ff\u4e00-\u9fff]|\w+", text)) for text in (found, wanted))
    shared = sum((first & second).values())
    return 2 * shared / (first.total() + second.total()) if shared else 0.0


def rove(sources: list[str]) -> list[str]:
    return [read_article(PageSource(html, ADDRESS)).render("text", 10_000_000).text for html in sources]


def trafilatura(sources: list[str]) -> list[str]:
    from trafilatura import extract

    return [extract(html, include_comments=False) or "" for html in sources]


def readability_lxml(sources: list[str]) -> list[str]:
    document = import_module("readability").Document
    return [_text(str(document(html).summary())) for html in sources]


def readability_js(sources: list[str]) -> list[str]:
    folder = os.environ["READABILITY_JS"]
    run = subprocess.run(
        ["node", "-e", RUN_JS], input=json.dumps(sources), capture_output=True, text=True, check=True, cwd=folder
    )
    texts: list[str] = json.loads(run.stdout)
    return texts


def _text(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", html))


def read_folder(folder: Path) -> list[Page]:
    found: list[Page] = []
    for source in sorted(folder.glob("*/source.html")):
        text, html = source.with_name("ref.txt"), source.with_name("expected.html")
        wanted = text.read_text() if text.exists() else _text(html.read_text()) if html.exists() else None
        if wanted is not None:
            found.append(Page(source.parent.name, source.read_text(), wanted))
    return found


def measure(name: str, extractor: Extractor, measured: list[Page]) -> None:
    began = time.perf_counter()
    try:
        texts = extractor([page.html for page in measured])
    except (ImportError, KeyError, OSError):
        print(f"{name:18} not installed")
        return
    seconds = (time.perf_counter() - began) / len(measured)
    scores = [f1(text, page.text) for text, page in zip(texts, measured, strict=True)]
    worst = sorted(zip(scores, [page.name for page in measured], strict=True))[:3]
    print(f"{name:18} F1 {sum(scores) / len(scores):.3f}  {seconds * 1000:6.0f} ms  {worst}")


def main() -> None:
    measured = read_folder(Path(sys.argv[1])) if len(sys.argv) > 1 else pages()
    print(f"{len(measured)} pages")
    rove([measured[0].html])  # imports are not measured
    for extractor in (rove, trafilatura, readability_lxml, readability_js):
        measure(extractor.__name__, extractor, measured)


if __name__ == "__main__":
    main()
