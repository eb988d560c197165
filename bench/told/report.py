"""The results as Markdown: told right, goals reached, calls, characters and tokens; then each wrong answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.report import table
from bench.tokens import Tokenizer
from bench.told.run import Account, Told


def markdown(accounts: Sequence[Account], skipped: Mapping[str, str], tokenizer: Tokenizer) -> str:
    """Write the tables of one run."""
    groups = list(dict.fromkeys(told.act.group for account in accounts for told in account.told))
    rows: list[list[str]] = []
    for group in groups:
        parts = [account.of(group) for account in accounts]
        rows.append([f"{group}: told right", *(_share(part, [told.is_right for told in part]) for part in parts)])
        rows.append([f"{group}: goal reached", *(_share(part, [told.is_done for told in part]) for part in parts)])
    all_told = [account.told for account in accounts]
    rows.append(["calls", *(f"{sum(told.calls for told in part):,}" for part in all_told)])
    rows.append(["characters", *(f"{sum(len(told.text) for told in part):,}" for part in all_told)])
    rows.append([f"tokens, {tokenizer.name}", *(_tokens(part, tokenizer) for part in all_told)])
    rows.append(["seconds in calls", *(f"{sum(told.seconds for told in part):,.0f}" for part in all_told)])
    sections = ["## Told right", table(["", *(account.server.title for account in accounts)], rows)]
    sections += [f"- **{key}** was skipped: {why}" for key, why in skipped.items()]
    return "\n\n".join(sections) + "\n"


def wrong_answers(accounts: Sequence[Account]) -> str:
    """List what was told wrongly and which goals were missed, server by server."""
    lines: list[str] = []
    for account in accounts:
        lines.append(f"## {account.server.title}")
        lines += [
            f"- {told.act.name}: {told.wrong or 'the goal was not reached'}" for told in account.told if _failed(told)
        ]
    return "\n".join(lines) + "\n"


def _failed(told: Told) -> bool:
    return bool(told.wrong) or not told.is_done


def _share(part: Sequence[Told], held: Sequence[bool]) -> str:
    return f"{sum(held)} of {len(part)}"


def _tokens(part: Sequence[Told], tokenizer: Tokenizer) -> str:
    (count,) = tokenizer.count(["\n".join(told.text for told in part)])
    return "–" if count is None else f"{count:,}"
