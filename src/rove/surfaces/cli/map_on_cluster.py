"""`rove map --cluster`: the pages of a job on the nodes of a Ray cluster."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from rove.cluster.connection.cluster import Cluster
from rove.cluster.connection.options import ClusterOptions, require_cluster_packages
from rove.cluster.node.configuration import Configuration
from rove.cluster.pages.messages import PagesSetup
from rove.cluster.pages.script_files import check_script, runtime_env_for
from rove.cluster.pages.workers import NodeWorkers
from rove.engine.sessions import Sessions
from rove.jobs.addresses import Address
from rove.jobs.browser_worker import SESSION
from rove.jobs.scheduler import Job, Summary
from rove.jobs.worker import PageOptions
from rove.settings.tree import Settings
from rove.storage.state import LoginChoice
from rove.surfaces.library import Session

# Seconds for the packages of a script: a node whose Python is a virtual environment copies all of it first.
PACKAGES_SECONDS = 900.0


class ClusterRun:
    """Runs a job on a cluster. The scheduler stays in this process, so that hosts are visited politely by all nodes."""

    def __init__(self, address: str, settings: Settings, pages: PageOptions, parallel: int | None) -> None:
        """Raises InvalidArguments or InvalidSettings for what cannot be."""
        require_cluster_packages()
        if pages.script is not None:
            check_script(pages.script)
        self._settings = settings
        self._pages = pages
        session_class = f"{Session.__module__}:{Session.__qualname__}"
        state = _state(settings, pages)
        self._setup = PagesSetup(Configuration.of(settings), pages, session_class, parallel, state=state)
        self._options = ClusterOptions(
            address,
            head_seconds=settings.cluster.wait,
            lease_seconds=max(settings.cluster.lease, settings.cluster.wait),
        )
        self._cluster: Cluster | None = None

    async def run(self, job: Job, addresses: AsyncIterator[Address]) -> Summary:
        """Visit all pages. Raises JobStopped, or ClusterUnavailable if there is no cluster from the beginning."""
        with tempfile.TemporaryDirectory(prefix="rove-script-") as folder:
            async with Cluster(self._options_with_script(Path(folder))) as cluster:
                self._cluster = cluster
                workers = NodeWorkers(cluster, self._setup, self._settings.cluster.wait)
                async with aclosing(workers.workers()) as coming:
                    return await job.run(addresses, more=coming)

    def _options_with_script(self, folder: Path) -> ClusterOptions:
        if (script := self._pages.script) is None:
            return self._options
        env = runtime_env_for(script, folder)
        seconds = PACKAGES_SECONDS if "pip" in env else self._options.start_seconds
        longest = max(self._options.connect_seconds, seconds)
        return replace(self._options, runtime_env=env, start_seconds=seconds, connect_seconds=longest)

    def notice(self) -> str:
        """Return what the progress says of the cluster now."""
        cluster = self._cluster
        if cluster is None:
            return "connecting"
        if not cluster.is_connected:
            return f"waiting for the head of the cluster, at most {self._settings.cluster.wait:g} s"
        nodes = len(cluster.known_nodes())
        counted = "1 node" if nodes == 1 else f"{nodes} nodes"
        return counted if cluster.head_answers else f"{counted}, the head does not answer"


def _state(settings: Settings, pages: PageOptions) -> str | None:
    """Return the saved state that pages begin with, if one is chosen. Raises what says why it cannot be used."""
    if pages.state is None:
        return None
    sessions, login = Sessions(settings), LoginChoice(pages.state)
    sessions.session().gate.refuse_login(login, SESSION.format(1))
    state = sessions.logins.open(login, SESSION.format(1), None).begins_with
    return None if state is None else state.to_json()
