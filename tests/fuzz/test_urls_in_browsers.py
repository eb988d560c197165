"""G1: the host that the guard checks is the one that Chromium, and WHATWG's own cases, read in a URL."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fuzz.fuzzer import corpus_of
from tests.fuzz.mutation import mutated
from tests.fuzz.targets import target_named
from tests.site import Site

from rove import Session
from rove.guard.network.urls import DEFAULT_PORTS, Origin, origin_of

# Installed by the Makefile: WHATWG's cases, as a package of Debian has them.
CASES = Path(__file__).parents[2] / ".venv/urls/cases/usr/share/cargo/registry"
COUNT = 5_000
SEED = 1
# The standard refuses a label that begins like Punycode and is none; ada reads it as it is written, as a name server
# does. No parser can take it for another host.
NOT_PUNYCODE = "xn--pokxncvks"
PARSE = """urls => urls.map(text => {
    try { const url = new URL(text); return [url.protocol, url.hostname, url.port] } catch { return null }
})"""

pytestmark = pytest.mark.one_session


def urls() -> Iterator[str]:
    target = target_named("addresses")
    corpus, choose = corpus_of(target), random.Random(SEED)
    for number in range(COUNT):
        data = target.generate(choose)
        data = mutated(data, choose, target.tokens, corpus) if number % 2 else data
        yield data.decode("utf-8", "replace")


def in_browser(parsed: list[str] | None) -> Origin | None:
    """Return the origin of a URL that a browser has parsed, in the form of the guard."""
    scheme = parsed[0].removesuffix(":") if parsed else ""
    if parsed is None or scheme not in DEFAULT_PORTS:
        return None
    host, port = parsed[1], parsed[2]
    # The guard's own parser brings the host, which is canonical already, into the guard's form.
    return origin_of(f"{scheme}://{host}" + (f":{port}" if port else "") + "/")


async def test_a_url_that_the_guard_accepts_has_the_same_host_in_chromium(session: Session, site: Site) -> None:
    texts = list(urls())
    await session.navigate(site.url("/page"))
    outcome: Any = await session.evaluate(f"({PARSE})({json.dumps(texts)})")
    both = zip(texts, outcome.result.value, strict=True)
    different = [
        (text, str(origin_of(text)), parsed)
        for text, parsed in both
        # A URL that only one of the two accepts is not loaded.
        if parsed is not None and (mine := origin_of(text)) is not None and in_browser(parsed) != mine
    ]
    assert not different, different[:5]


def whatwg_cases() -> list[dict[str, Any]]:
    path = next(CASES.glob("url-*/tests/urltestdata.json"), None)
    if path is None:
        pytest.skip("WHATWG's cases are not installed: `make .venv/urls/ready`")
    return [case for case in json.loads(path.read_text("utf-8", "surrogatepass")) if isinstance(case, dict)]


def test_the_guard_reads_the_standards_own_cases_as_the_standard_says() -> None:
    # The guard sees only whole URLs.
    cases = [case for case in whatwg_cases() if case["base"] in (None, "about:blank")]
    assert len(cases) > 300
    for case in cases:
        mine = origin_of(case["input"])
        if case.get("failure"):
            assert mine is None or NOT_PUNYCODE in mine.host, case
        elif case["protocol"].removesuffix(":") in DEFAULT_PORTS:
            # Stricter than the standard: a host with an empty label names none.
            has_empty_label = "" in case["hostname"].removesuffix(".").split(".")
            expected = None if has_empty_label else in_browser([case["protocol"], case["hostname"], case["port"]])
            assert mine == expected, case
        else:
            assert mine is None, case
