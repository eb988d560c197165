"""`python -m bench.waiting.widgets`: each act in the widget libraries: how long rove takes, and what it tells."""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.site import serving
from tests.widgets.acts import LIBRARIES
from tests.widgets.driver import Driver
from tests.widgets.truth import falsehoods, wrong_words

import rove
from bench.arguments import RESULTS
from bench.report import table


@dataclass(frozen=True)
class Timed:
    """One act: the seconds until its answer, whether its goal was reached, and what is wrong with what it tells."""

    library: str
    name: str
    seconds: float
    is_done: bool
    wrong: str


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.waiting.widgets", description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULTS, help="where to write the results")
    arguments = parser.parse_args()
    acts = asyncio.run(_all())
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "waiting-widgets.json").write_text(json.dumps([asdict(act) for act in acts], indent=1))
    text = markdown(acts)
    (arguments.out / "waiting-widgets.md").write_text(text)
    print(text)


async def _all() -> list[Timed]:
    found: list[Timed] = []
    with serving() as site, tempfile.TemporaryDirectory(prefix="bench-") as home:
        async with rove.open(allow_host=("127.0.0.1",), home=Path(home)) as session:
            driver = Driver(session, site)
            for library in LIBRARIES:
                for widget in library.widgets:
                    for act in widget.acts:
                        name = f"{widget.name} {act.name}"
                        try:
                            done = await driver.perform(library, widget, act)
                        except rove.RoveError as error:
                            found.append(Timed(library.name, name, 0, False, str(error)))
                            continue
                        wrong = [
                            *wrong_words(done.answer, act.appears, act.goes),
                            *falsehoods(done.before, done.answer, done.after),
                        ]
                        found.append(Timed(library.name, name, done.seconds, done.is_done, "; ".join(wrong)))
    return found


def markdown(acts: list[Timed]) -> str:
    """Write the times of all acts and of each library, and what was told wrongly."""
    times = sorted(act.seconds * 1000 for act in acts if act.seconds)
    rows = [
        ["acts", str(len(acts))],
        ["told right", str(sum(not act.wrong for act in acts))],
        ["goal reached", str(sum(act.is_done for act in acts))],
        ["median, ms", f"{statistics.median(times):.0f}"],
        ["95th percentile, ms", f"{statistics.quantiles(times, n=20)[-1]:.0f}"],
        ["more than 600 ms", str(sum(time > 600 for time in times))],
    ]
    libraries: dict[str, list[float]] = {}
    for act in acts:
        libraries.setdefault(act.library, []).append(act.seconds * 1000)
    means = sorted(((statistics.mean(each), name) for name, each in libraries.items()), reverse=True)
    wrong = [f"- {act.library}: {act.name}: {act.wrong or 'the goal was not reached'}" for act in acts if _failed(act)]
    parts = [
        table(["", "rove"], rows),
        table(["mean of a library", "ms"], [[name, f"{mean:.0f}"] for mean, name in means]),
    ]
    return "\n\n".join([*parts, "\n".join(wrong)]) + "\n"


def _failed(act: Timed) -> bool:
    return bool(act.wrong) or not act.is_done


if __name__ == "__main__":
    main()
