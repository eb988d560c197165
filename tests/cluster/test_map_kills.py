"""`rove map --cluster` while processes are killed: every result is there exactly once."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.cluster.map_process import finish, line_count, records, start_map
from tests.cluster.ray_nodes import RayNodes
from tests.processes import eventually
from tests.site import Site

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]
PAGES = int(os.environ.get("CLUSTER_PAGES", "2000"))
PARALLEL = 2
LONG = 1800.0


@pytest.fixture
def ray_nodes() -> Generator[RayNodes]:
    nodes = RayNodes(3, cpus=1)
    yield nodes
    nodes.close()


def listed(site: Site, folder: Path, count: int) -> tuple[list[str], str]:
    urls = [site.page(f"/{number}", f"<title>{number}</title><h1>Page {number}</h1>") for number in range(count)]
    (folder / "urls.txt").write_text("\n".join(urls))
    return urls, str(folder / "urls.txt")


def visits(site: Site) -> int:
    return sum(request.path != "/favicon.ico" for request in site.requests)


def test_a_node_and_then_the_head_are_killed(ray_nodes: RayNodes, site: Site, tmp_path: Path) -> None:
    urls, source = listed(site, tmp_path, PAGES)
    out = tmp_path / "results.jsonl"
    words = (source, "--do", "extract", "--out", str(out), "--parallel", str(PARALLEL))
    job = start_map(tmp_path / "home", *words, "--cluster", ray_nodes.address)
    assert eventually(lambda: line_count(out) >= PAGES // 5, LONG)
    ray_nodes.others[0].kill()
    assert eventually(lambda: line_count(out) >= 2 * PAGES // 5, LONG)
    ray_nodes.head.kill()
    ray_nodes.start_head()
    # A head that has lost its memory does not take the nodes of the one before: their supervisors start them again.
    ray_nodes.others[1].kill()
    ray_nodes.others = [ray_nodes.start_node("n2"), ray_nodes.start_node("n3")]
    code, said = finish(job, LONG)
    assert code == 0, said
    found = records(out)
    assert Counter(record["url"] for record in found) == Counter(urls)
    assert all(record["ok"] and record["attempts"] == 1 for record in found)
    assert len({record["node"] for record in found}) >= 4
    # Besides each page once, only what was under way when something was killed.
    assert visits(site) <= PAGES + 3 * 3 * PARALLEL


def test_a_head_that_stays_away_ends_the_job_and_another_cluster_goes_on(
    ray_nodes: RayNodes, site: Site, tmp_path: Path
) -> None:
    count = PAGES // 10
    urls, source = listed(site, tmp_path, count)
    out = tmp_path / "results.jsonl"
    words = (source, "--do", "extract", "--out", str(out), "--parallel", str(PARALLEL))
    job = start_map(tmp_path / "home", *words, "--cluster", ray_nodes.address, CLUSTER_WAIT="5")
    assert eventually(lambda: line_count(out) >= count // 4, LONG)
    ray_nodes.head.kill()
    for node in ray_nodes.others:
        node.kill()
    code, said = finish(job, LONG)
    before = records(out)
    assert code == 1 and f"The cluster at {ray_nodes.address} " in said, said
    assert f"To go on: rove map {source}" in said
    assert len(before) < count
    ray_nodes.others = []
    ray_nodes.start_head()
    code, said = finish(start_map(tmp_path / "home", *words, "--cluster", ray_nodes.address), LONG)
    assert code == 0, said
    assert records(out)[: len(before)] == before
    assert Counter(record["url"] for record in records(out)) == Counter(urls)


@pytest.mark.parametrize("victim", ["rove map", "its driver", "workers"])
def test_a_killed_process_loses_and_repeats_nothing(
    ray_nodes: RayNodes, site: Site, tmp_path: Path, victim: str
) -> None:
    count = PAGES // 10
    urls, source = listed(site, tmp_path, count)
    out = tmp_path / "results.jsonl"
    words = [source, "--do", "extract", "--out", str(out), "--parallel", str(PARALLEL)]
    words += ["--cluster", ray_nodes.address]
    job = start_map(tmp_path / "home", *words)
    assert eventually(lambda: line_count(out) >= count // 4, LONG)
    if victim == "rove map":
        job.kill()
        job.wait()
        assert eventually(lambda: not ray_nodes.actors(), 60.0), "actors are left behind"
        job = start_map(tmp_path / "home", *words)
    elif victim == "its driver":
        for pid in drivers_of(job.pid):
            os.kill(pid, signal.SIGKILL)
    else:
        for pid in ray_nodes.actors():
            os.kill(pid, signal.SIGKILL)
    code, said = finish(job, LONG)
    assert code == 0, said
    assert Counter(record["url"] for record in records(out)) == Counter(urls)
    assert all(record["ok"] and record["attempts"] == 1 for record in records(out))
    assert visits(site) <= count + 2 * 3 * PARALLEL
    assert eventually(lambda: not ray_nodes.actors(), 60.0), "actors are left behind"


def drivers_of(parent: int) -> list[int]:
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [int(pid) for pid in children if b"connection.driver" in Path(f"/proc/{pid}/cmdline").read_bytes()]
