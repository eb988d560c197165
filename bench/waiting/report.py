"""The results as Markdown: milliseconds over a plain page, whether the answer was true, and the limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from tests.waiting.kinds import PLAIN

from bench.report import table
from bench.waiting.cases import Case


def markdown(accounts: Mapping[str, Sequence[Case]], skipped: Mapping[str, str]) -> str:
    """Write the table of one run: a row for each kind and what begins it, a column for each server."""
    plain = {title: _plain(cases) for title, cases in accounts.items()}
    rows: list[list[str]] = []
    for cases in zip(*accounts.values(), strict=True):
        case = cases[0]
        if case.kind is PLAIN:
            continue
        over = [(each.seconds - plain[title][each.begins]) * 1000 for title, each in zip(accounts, cases, strict=True)]
        limit = case.kind.limits.get(case.begins)
        marks = [f"{ms:,.0f}{', wrong' if each.wrong else ''}" for ms, each in zip(over, cases, strict=True)]
        rows.append([f"{case.kind.name}, {case.begins}", str(limit or ""), *marks])
    rows.append(
        [
            "plain page: load, click",
            "",
            *(f"{each['load'] * 1000:.0f}, {each['click'] * 1000:.0f}" for each in plain.values()),
        ]
    )
    rows.append(["true", "", *(_true(cases) for cases in accounts.values())])
    rows.append(
        ["sum over plain pages, s", "", *(f"{_sum(cases, plain[title]):.1f}" for title, cases in accounts.items())]
    )
    sections = [
        "## Pages in which something goes on: milliseconds over a plain page",
        table(["", "limit", *accounts], rows),
    ]
    sections += [f"- **{key}** was skipped: {why}" for key, why in skipped.items()]
    wrong = [
        f"- {title}, {case.kind.name}, {case.begins}: {case.wrong}"
        for title, cases in accounts.items()
        for case in cases
        if case.wrong
    ]
    return "\n\n".join([*sections, "### Untrue answers", "\n".join(wrong) or "None."]) + "\n"


def _plain(cases: Sequence[Case]) -> dict[str, float]:
    """Return the median time of a page in which nothing goes on, by what the time is of."""
    return {
        begins: median([case.seconds for case in cases if case.kind is PLAIN and case.begins == begins])
        for begins in PLAIN.begins
    }


def _true(cases: Sequence[Case]) -> str:
    tried = [case for case in cases if case.kind is not PLAIN]
    return f"{sum(not case.wrong for case in tried)} of {len(tried)}"


def _sum(cases: Sequence[Case], plain: Mapping[str, float]) -> float:
    return sum(case.seconds - plain[case.begins] for case in cases if case.kind is not PLAIN)
