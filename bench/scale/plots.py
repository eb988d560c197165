"""The pictures of docs/scale.md, from the results of the simulation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.scale.line_chart import Chart, Line

Results = Mapping[str, Any]


def write_plots(results: Results, folder: Path) -> None:
    """Write each picture as an SVG file."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, chart in {
        "gateways": _gateways(results),
        "rack": _rack(results),
        "queue": _queue(results),
        "upgrade": _upgrade(results),
        "slow_node": _slow_node(results),
    }.items():
        (folder / f"{name}.svg").write_text(chart.svg())


def _gateways(results: Results) -> Chart:
    chart = Chart(
        "How long the slowest twentieth of calls takes", "sessions", "seconds, 95th percentile", is_logarithmic=True
    )
    for number in sorted({row["gateways"] for row in results["gateways"]}):
        rows = [row for row in results["gateways"] if row["gateways"] == number]
        name = f"{number} gateway{'s' if number > 1 else ''}"
        chart.lines.append(Line(name, [(row["sessions"], row["p95"]) for row in rows]))
    return chart


def _rack(results: Results) -> Chart:
    chart = Chart("Loss of a rack: when the lost sessions are open again", "seconds after the loss", "share of them, %")
    for row in results["detection"]:
        back = row["back"]
        points = [(0.0, 0.0), *((seconds, 100 * (place + 1) / len(back)) for place, seconds in enumerate(back))]
        chart.lines.append(Line(f"known after {row['detection']:.0f} s", points))
    return chart


def _queue(results: Results) -> Chart:
    chart = Chart("More sessions than there is room for", "sessions wanted, % of the room", "for 100 sessions wanted")
    rows = results["queue"]
    chart.lines.append(Line("refused for good", [(100 * row["load"], 100 * row["gave_up_share"]) for row in rows]))
    chart.lines.append(
        Line("refusals for each session", [(100 * row["load"], 100 * row["refused_per_session"]) for row in rows])
    )
    return chart


def _upgrade(results: Results) -> Chart:
    chart = Chart("Rolling upgrade of the 50 nodes of one gateway", "nodes at a time", "minutes")
    chart.lines.append(Line("until all are done", [(row["together"], row["minutes"]) for row in results["upgrades"]]))
    return chart


def _slow_node(results: Results) -> Chart:
    slow = results["slow_node"]
    chart = Chart(f"A node at {slow['speed']:.0%} of its speed", "minutes", "sessions")
    chart.lines.append(Line("slow node", [(at / 60, count) for at, count, _ in slow["sessions"]]))
    chart.lines.append(Line("others, on average", [(at / 60, mean) for at, _, mean in slow["sessions"]]))
    return chart
