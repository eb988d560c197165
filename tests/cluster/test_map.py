"""`rove map --cluster` on real nodes: a script with its modules, pictures, journals, and nodes of another version."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.cluster.map_process import finish, records, start_map
from tests.cluster.ray_nodes import RayNodes
from tests.processes import eventually
from tests.rove_process import ROVE
from tests.site import Site

SECONDS = 240.0
SCRIPT = """
from beside import shout


async def run(session, url):
    await session.navigate(url)
    await session.screenshot(path=f"shots/{url.rpartition('/')[2]}.png")
    return shout((await session.extract("h1")).result.content[0])
"""
# Loaded by every Python of a node: it pretends to have another version of rove.
OTHER_VERSION = "import rove.version\nrove.version.VERSION = '0.0.1'\n"


def test_a_script_runs_on_every_node_and_its_files_come_back(
    shared_nodes: RayNodes, site: Site, tmp_path: Path
) -> None:
    (tmp_path / "job.py").write_text(SCRIPT)
    (tmp_path / "beside.py").write_text("def shout(text): return str(text).upper()\n")
    urls = [site.page(f"/{number}", f"<title>{number}</title><h1>Page {number}</h1>") for number in range(8)]
    out, home = tmp_path / "out.jsonl", tmp_path / "home"
    words = [*urls, "--do", str(tmp_path / "job.py"), "--out", str(out), "--parallel", "1"]
    code, said = finish(start_map(home, *words, "--cluster", shared_nodes.address), SECONDS)
    assert code == 0, said
    found = {record["url"]: record for record in records(out)}
    assert {url: record["result"] for url, record in found.items()} == {
        url: f"PAGE {number}" for number, url in enumerate(urls)
    }
    assert {record["node"].split("-")[0] for record in found.values()} == {"n1", "n2"}
    shots = sorted(path.name for path in (home / "workspace" / "shots").iterdir())
    assert shots == [f"{number}.png" for number in range(8)]
    journals = sorted((home / "sessions" / "nodes").glob("*/map-1.jsonl"))
    assert len(journals) == 2
    verified = subprocess.run([ROVE, "journal", "verify", *map(str, journals)], capture_output=True, text=True)
    assert verified.returncode == 0, verified.stdout
    assert eventually(lambda: not shared_nodes.actors(), 30.0), "actors are left behind"


@pytest.mark.slow
def test_a_node_with_another_version_is_refused_with_a_sentence(
    shared_nodes: RayNodes, site: Site, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(OTHER_VERSION)
    other = shared_nodes.start_node("old", {"PYTHONPATH": str(tmp_path)})
    shared_nodes.others.append(other)
    other.wait_started()
    out = tmp_path / "out.jsonl"
    words = [site.page("/a", "<h1>A</h1>"), "--do", "extract", "--out", str(out), "--cluster", shared_nodes.address]
    code, said = finish(start_map(tmp_path / "home", *words), SECONDS)
    assert code == 0 and "is not used: it has rove 0.0.1, and this is" in said, said
    assert not records(out)[0]["node"].startswith("old")


@pytest.mark.slow
def test_no_page_of_a_node_reaches_the_head_whatever_hosts_are_allowed(
    shared_nodes: RayNodes, site: Site, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    urls = [site.page("/a", "<h1>A</h1>"), f"http://{shared_nodes.address}/", "http://127.0.0.1:8265/api/jobs/"]
    words = [*urls, "--do", "extract", "--out", str(out), "--cluster", shared_nodes.address]
    finish(start_map(tmp_path / "home", *words), SECONDS)
    found = {record["url"]: record for record in records(out)}
    assert found[urls[0]]["ok"]
    for url in urls[1:]:
        assert found[url]["error"]["code"] == "denied", found[url]
