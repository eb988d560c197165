"""`rove doctor`: print what works, what does not, and how to fix it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator

from rove.browser.browser import Finding
from rove.engine.self_check import examine
from rove.errors import InvalidSettings
from rove.settings.tree import Settings
from rove.surfaces.cli.mcp_clients import client_findings
from rove.surfaces.cli.terminal_output import palette_for

MARKS = {"good": "ok  ", "worth knowing": "note", "broken": "FAIL"}
COLOURS = {"good": "green", "worth knowing": "yellow", "broken": "red"}


def report(settings: Settings, fault: InvalidSettings | None = None, cluster: str | None = None) -> int:
    """Print each finding as it is made; return 1 if something is broken.

    `fault`: why the settings of the user are not valid, so that the rest is checked with the defaults.
    `cluster`: address of a Ray cluster that is checked too.
    """
    return asyncio.run(_report(settings, fault, cluster))


async def _report(settings: Settings, fault: InvalidSettings | None, cluster: str | None) -> int:
    broken = 0
    async for finding in _all_findings(settings, fault, cluster):
        print(_line(finding), flush=True)
        broken += finding.state == "broken"
    print(f"\n{broken} problem(s)." if broken else "\nAll is well.")
    return 1 if broken else 0


async def _all_findings(
    settings: Settings, fault: InvalidSettings | None, cluster: str | None
) -> AsyncIterator[Finding]:
    if fault is not None:
        fix = f"{fault.hint} `rove config edit` opens the file. What follows is checked with the default settings."
        yield Finding("settings", "broken", fault.message, fix)
    async for finding in examine(settings):
        yield finding
    for finding in client_findings():
        yield finding
    if cluster is not None:
        from rove.cluster.checks.findings import cluster_findings  # Ray's packages may not be installed

        async for finding in cluster_findings(settings, cluster):
            yield finding


def _line(finding: Finding) -> str:
    mark = MARKS[finding.state]
    mark = palette_for(sys.stdout).paint(mark, COLOURS[finding.state])
    fix = f"\n{'':18}-> {finding.fix}" if finding.fix else ""
    return f"{mark}  {finding.subject:<10}  {finding.detail}{fix}"
