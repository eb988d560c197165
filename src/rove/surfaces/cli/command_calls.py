"""What each command calls. A module is imported when its command is run."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from rove.settings.tree import Resolved

if TYPE_CHECKING:
    from rove.engine.sessions.sessions import EarlyLaunch

# What `rove install` fetches besides browsers.
AXE = "axe"


def mcp(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.serving import serve_mcp

    return serve_mcp(resolved.settings, begun)


def serve(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.serving import serve_gateway

    return serve_gateway(resolved.settings, given.demo)


def demo(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.tour import run_tour

    return run_tour(resolved.settings)


def install(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.browser.engines import load_engine
    from rove.surfaces.cli.progress_bar import ProgressBar

    if given.which == AXE:
        return _install_axe(resolved, given.force)
    bar = ProgressBar(sys.stdout) if sys.stdout.isatty() else None
    settings = resolved.settings
    if given.which is not None and given.which != settings.engine:
        settings = replace(settings, engine=given.which, browser=None)
    engine = load_engine(settings.engine)
    version, where = engine.install(settings, lambda line: print(line, flush=True), bar, given.force)
    print(f"{version}\n{where}")
    return 0


def _install_axe(resolved: Resolved, again: bool) -> int:
    from rove.axe.installation import install_axe

    version, path = install_axe(resolved.settings, again)
    print(f"axe-core {version}\n{path}")
    return 0


def init(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.guard.hosts.host_rules import HostRules
    from rove.surfaces.arguments.setting_flags import flags_given
    from rove.surfaces.cli.clients.init import init

    settings = resolved.settings
    HostRules.of(settings.allow_host, settings.only_host, settings.deny_host)  # as `rove mcp` would
    return init(given.clients, flags_given(given), given.yes, given.print)


def tools(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.tools import list_toolsets, show

    if given.list:
        return list_toolsets(resolved.settings)
    return show(resolved.settings, "tokens" if given.tokens else "json" if given.json else "text")


def doctor(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.doctor import report

    return report(resolved.settings, given.settings_fault, resolved.settings.cluster.address)


def config_show(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.config import show

    return show(resolved)


def config_get(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.config import get

    return get(resolved, given.key)


def config_set(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.config import write

    return write(resolved, given.key, given.value)


def config_unset(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.config import write

    return write(resolved, given.key, None)


def config_edit(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.config_editor import edit

    return edit(resolved.settings.config_file)


def policy_check(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.policy import check

    return check(resolved.settings, given.file)


def policy_explain(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.policy import explain

    return explain(resolved.settings, given.action, given.url, given.session)


def skill(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.first_use.skill import show_skill

    return show_skill(given.install)


def completion(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.first_use.completion import show_completion

    return show_completion(given.shell, given.words, given.build_parser())


def logs(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.daemon.log import show_log

    return show_log(resolved.settings.home_folder, given.last, given.follow)


def journal_show(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.journal import show

    return show(resolved.settings.journal_folder, given.session, given.last, given.failed, given.json)


def journal_verify(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.journal import check

    return check(resolved.settings.journal_folder, given.names, given.head)


def journal_tail(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.journal import tail

    return tail(resolved.settings.journal_folder, given.session, given.last, given.follow, given.json)
