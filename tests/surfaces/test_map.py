"""`rove map` as a real process: killed and run again, interrupted, fed by a stream, and with pages that misbehave."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.pdf_files import pdf, words
from tests.processes import browser_of, eventually, run_folders
from tests.rove_process import ROVE, RoveHome, temporary_rove_home
from tests.site import OWN_SITES, Site

from rove.surfaces.cli.main import run

PAGES = 16
PARALLEL = 4
LONG = 120.0
EXAMPLE = Path(__file__).parents[2] / "examples" / "map" / "page_facts.py"


@pytest.fixture
def rove_home() -> Generator[RoveHome]:
    with temporary_rove_home() as home:
        yield home


def start(home: RoveHome, *words: str, **settings: str) -> subprocess.Popen[bytes]:
    own = {"HOME": str(home.home), "ALLOW_HOST": ",".join(OWN_SITES), **settings}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ROVE_")}
    environment |= {f"ROVE_{name}": value for name, value in own.items()}
    pipe = subprocess.PIPE
    process = subprocess.Popen([ROVE, "map", *words], stdin=pipe, stdout=pipe, stderr=pipe, env=environment)
    home.processes.append(process)
    return process


def finish(process: subprocess.Popen[bytes], text: str = "", seconds: float = LONG) -> tuple[int, str, str]:
    output, errors = process.communicate(text.encode(), seconds)
    return process.returncode, output.decode(), errors.decode()


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def line_count(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def many(site: Site, count: int) -> list[str]:
    return [site.page(f"/{number}", f"<title>{number}</title><h1>Page {number}</h1>") for number in range(count)]


@pytest.mark.parametrize("count", [PAGES, pytest.param(2000, marks=[pytest.mark.slow, pytest.mark.timeout(3600)])])
def test_a_killed_job_goes_on_and_loses_nothing_and_does_nothing_twice(
    site: Site, rove_home: RoveHome, tmp_path: Path, count: int
) -> None:
    urls, out, listed = many(site, count), tmp_path / "results.jsonl", tmp_path / "urls.txt"
    # One page does not end before the job is killed, so that the job does not. It is one that comes late: a page that
    # is held for longer than a visit may take would be visited again, and no result would tell of that.
    hold, held = threading.Event(), count // 2 - 1
    site.page(f"/{held}", f"<title>{held}</title><h1>Page {held}</h1>", hold=hold)
    listed.write_text("\n".join(["# pages", *urls, urls[0], ""]))
    words = (str(listed), "--do", "snapshot", "--out", str(out), "--parallel", str(PARALLEL))
    first = start(rove_home, *words)
    assert eventually(lambda: line_count(out) >= count // 3, LONG * count / PAGES)
    # A second process on the same file is refused, and touches nothing.
    code, _, said = finish(start(rove_home, *words))
    assert (code, "Another rove map" in said) == (2, True)
    first.kill()
    first.wait()
    hold.set()
    before = records(out)
    assert len(before) < count
    rove_home.assert_clean()
    with out.open("a") as torn:
        torn.write('{"url": "http://127.0.0.1/half')
    code, printed, said = finish(start(rove_home, *words), seconds=LONG * count / PAGES)
    assert (code, printed) == (0, ""), said
    after = records(out)
    assert after[: len(before)] == before
    assert Counter(record["url"] for record in after) == Counter(urls)
    assert all(record["ok"] and f"Page {record['title']}" in record["result"]["text"] for record in after)
    # Only what was being visited when it was killed is visited again.
    visits = [request for request in site.requests if request.path != "/favicon.ico"]
    assert len(visits) <= sum(record["attempts"] for record in after) + PARALLEL
    assert f"{count - len(before)} done" in said
    # The journal has one file for each session, not one for each page.
    journals = [path.name for path in (rove_home.home / "sessions").glob("*.jsonl")]
    assert sorted(journals) == [f"map-{number}.jsonl" for number in range(1, PARALLEL + 1)]
    # All is done: no browser is started.
    code, _, said = finish(start(rove_home, *words))
    assert (code, "0 done" in said) == (0, True)
    rove_home.assert_clean()


def test_pages_that_misbehave_are_told_apart_and_hold_up_no_other(
    site: Site, rove_home: RoveHome, tmp_path: Path
) -> None:
    cookies = (
        "<title>Cookies</title><p>Found: <script>document.write(document.cookie); document.cookie='seen=1'</script>"
    )
    busy = site.page("/busy", "Busy", status=503, headers={"Retry-After": "1"})
    inputs = [
        {"url": site.page("/ok", "<title>Fi\u202ene</title><p>All is well here.</p>"), "id": 7},
        {"url": site.url("/missing")},
        {"url": site.page("/moved", "", status=302, headers={"Location": "/ok"})},
        {"url": site.page("/alert", "<title>Alert</title><p>Text</p><script>alert('Hello')</script>")},
        {"url": site.page("/popup", "<title>Popup</title><p>Text</p><script>open('/ok')</script>")},
        {"url": site.page("/cookies", cookies)},
        {"url": site.url("/cookies", "localhost")},
        {"url": busy},
        {"url": site.file("/file", b"data", "application/octet-stream")},
        {"url": "http://10.0.0.1/inner"},
        {"url": "not an address"},
        {"url": "http://"},
    ]
    out = tmp_path / "results.jsonl"
    process = start(rove_home, "-", "--do", "extract", "--out", str(out), "--parallel", "1", "--retries", "1")
    code, _, said = finish(process, "\n".join(map(json.dumps, inputs)))
    assert code == 1, said
    found = {record["url"].removeprefix(site.url("")): record for record in records(out)}
    assert len(found) == len(inputs)
    assert found["/ok"]["input"] == {"id": 7}
    assert found["/ok"]["title"] == "Fine"
    assert "All is well" in found["/ok"]["result"]["text"]
    assert (found["/moved"]["final_url"], found["/moved"]["status"]) == (site.url("/ok"), 200)
    assert found["/alert"]["ok"]
    assert found["/popup"]["ok"]
    missing = found["/missing"]
    assert (missing["ok"], missing["status"], missing["attempts"], missing["error"]["code"]) == (
        False, 404, 1, "navigation_failed",
    )  # fmt: skip
    assert (found["/busy"]["status"], found["/busy"]["attempts"]) == (503, 2)
    # Nothing of the page that the tab shows is told of a file.
    assert found["/file"]["final_url"] == site.url("/file")
    assert not {"title", "status"} & set(found["/file"])
    assert found["/file"]["files"] == ["downloads/file"]
    assert found["http://10.0.0.1/inner"]["error"]["code"] == "denied"
    for text in ("not an address", "http://"):
        assert (found[text]["error"]["code"], found[text]["attempts"]) == ("invalid_arguments", 1)
    # Cookies of one host are not sent to another.
    assert "seen=1" not in found[site.url("/cookies", "localhost")]["result"]["text"]
    assert "1 HTTP 404" in said
    # What has failed is tried once more when asked for, and its last line counts.
    site.page("/busy", "<title>Back</title><p>Here again.</p>")
    again = start(rove_home, busy, "--do", "extract", "--out", str(out), "--retry-failed")
    finish(again)
    assert [record["ok"] for record in records(out) if record["url"] == busy] == [False, True]


def test_a_stream_is_worked_on_before_it_ends_and_ctrl_c_finishes_what_runs(
    site: Site, rove_home: RoveHome, tmp_path: Path
) -> None:
    urls, out = many(site, 4), tmp_path / "results.jsonl"
    process = start(rove_home, "-", "--do", str(EXAMPLE), "--out", str(out), "--parallel", "2")
    assert process.stdin is not None
    process.stdin.write(f"{urls[0]}\n{urls[1]}\n".encode())
    process.stdin.flush()
    assert eventually(lambda: line_count(out) == 2, LONG)
    assert records(out)[0]["do"] == "page_facts.py"
    assert sorted(record["result"]["heading"] for record in records(out)) == ["Page 0", "Page 1"]
    # The browser is killed, and the next page is visited all the same.
    os.kill(browser_of(rove_home.home), signal.SIGKILL)
    process.stdin.write(f"{urls[2]}\n".encode())
    process.stdin.flush()
    assert eventually(lambda: line_count(out) == 3, LONG)
    assert records(out)[2]["ok"], records(out)[2]
    process.send_signal(signal.SIGINT)
    assert process.wait(LONG) == 130
    assert process.stderr is not None
    assert "Run the same command again" in process.stderr.read().decode()
    assert not run_folders(rove_home.home)
    rove_home.assert_clean()


def test_pictures_go_to_the_workspace_and_results_alone_to_standard_output(site: Site, rove_home: RoveHome) -> None:
    urls = many(site, 2)
    code, printed, said = finish(start(rove_home, *urls, "--do", "screenshot", "--out", "-", "--parallel", "2"))
    assert code == 0, said
    for line in printed.splitlines():
        (picture,) = json.loads(line)["files"]
        assert (rove_home.home / "workspace" / picture).read_bytes().startswith(b"\x89PNG")
    assert len(printed.splitlines()) == 2
    assert "what the policy asks for is denied" in said


def test_a_page_that_is_still_loading_is_marked(site: Site, rove_home: RoveHome) -> None:
    hold = threading.Event()
    site.page("/slow.js", "", kind="text/javascript", hold=hold)
    slow = site.page("/slow", "<title>Slow</title><p>First words</p><script src=/slow.js></script><p>Last words</p>")
    done = site.page("/done", "<title>Done</title><p>All words</p>")
    words = (done, slow, "--do", "extract", "--out", "-", "--parallel", "1", "--timeout", "4")
    _, printed, said = finish(start(rove_home, *words))
    hold.set()
    found = {record["url"]: record for record in map(json.loads, printed.splitlines())}
    assert (found[slow]["result"]["text"].strip(), found[slow].get("is_incomplete")) == ("First words", True), said
    assert (found[done]["result"]["text"].strip(), found[done].get("is_incomplete")) == ("All words", None)


def test_a_host_that_asks_over_http_to_be_left_alone_is(site: Site, rove_home: RoveHome) -> None:
    busy = site.page("/busy", "Busy", status=429, headers={"Retry-After": "1"})
    locked = site.page("/locked", "No", status=401, headers={"WWW-Authenticate": 'Basic realm="x"'})
    missing, fine = site.url("/missing"), site.page("/fine", "<title>Fine</title><p>All is well here.</p>")
    words = (busy, fine, missing, locked, "--do", "fetch", "--out", "-", "--parallel", "1", "--retries", "1")
    _, printed, _ = finish(start(rove_home, *words))
    found = {record["url"]: record for record in map(json.loads, printed.splitlines())}
    # The page is asked for again before any other of its host.
    assert [request.path for request in site.requests][:3] == ["/busy", "/busy", "/fine"]
    told = [(found[url]["status"], found[url].get("error", {}).get("code")) for url in words[:4]]
    assert told == [(429, "http_error"), (200, None), (404, "http_error"), (401, "needs_credentials")]
    # Hints name no action: there is no agent that could call it.
    assert "{" not in found[locked]["error"]["hint"]
    assert "session.credentials()" in found[locked]["error"]["hint"]


SCRIPT = """
import asyncio, sys

print("loaded")

async def run(session, url):
    print("visited", url)
    what = url.rpartition("/")[2]
    if what == "nan":
        return float("nan")
    if what == "cancel":
        raise asyncio.CancelledError
    if what == "exit":
        sys.exit(3)
    if what == "escape":
        raise ValueError("boom \\x1b[31m\\u202e")
    return "half \\ud800"
"""


def test_nothing_that_a_script_does_ends_the_job_or_spoils_the_results(
    site: Site, rove_home: RoveHome, tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    names = ["nan", "cancel", "exit", "escape", "half"]
    urls = [site.url(f"/{name}") for name in names]
    code, printed, said = finish(start(rove_home, *urls, "--do", str(script), "--out", "-", "--parallel", "1"))
    assert code == 1, said
    found = [json.loads(line, parse_constant=pytest.fail) for line in printed.splitlines()]
    assert [record["url"] for record in found] == urls
    assert [record["error"]["code"] for record in found[:4]] == ["script_error"] * 4
    assert [record["attempts"] for record in found] == [1] * 5
    assert found[3]["error"]["message"] == "ValueError: boom \ufffd[31m"
    assert found[4]["result"] == "half \ufffd"
    assert "loaded" in said
    assert f"visited {urls[0]}" in said


@pytest.mark.parametrize("do", [pytest.param("snapshot", marks=pytest.mark.slow), "pdf"])
def test_a_file_is_not_taken_for_the_page_before_it(site: Site, rove_home: RoveHome, do: str) -> None:
    page = site.page("/page", "<title>Before</title><h1>Page before</h1>")
    file = site.file("/file", b"data", "application/octet-stream")
    document = site.file("/document", pdf(words(50, 700, "Text of the document")), "application/pdf")
    code, printed, said = finish(start(rove_home, page, file, document, "--do", do, "--out", "-", "--parallel", "1"))
    assert code == 1, said
    before, saved, read = map(json.loads, printed.splitlines())
    assert before["ok"]
    assert (saved["ok"], saved["error"]["code"], saved["attempts"]) == (False, "navigation_failed", 1)
    assert read["ok"] == (do == "pdf"), "the result of --do pdf at the address of a PDF is that PDF"
    for record in (saved, read):
        assert record["final_url"] == record["url"]
        assert "Before" not in json.dumps(record)
        assert (rove_home.home / "workspace" / record["files"][0]).is_file()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("x.txt", "--do", "extract"), "no file x.txt"),
        (("https://example.com", "--do", "read"), "--do read"),
        (("https://example.com", "--do", "extract", "--fresh", "--keep-session"), "exclude each other"),
        (("https://example.com", "--do", "extract", "--parallel", "0"), "'0' is not a whole number from 1 up"),
        (("https://example.com", "--do", "extract", "--parallel", "x"), "'x' is not a whole number from 1 up"),
        (("https://example.com", "--do", "extract", "--full-page"), "--full-page is for --do screenshot"),
        (("https://example.com", "--do", "extract", "--policy", __file__), "Correct the file"),
        (("https://example.com", "--do", "extract", "--logins-state", "none-such"), "no state none-such"),
    ],
)
def test_wrong_use_is_refused_with_code_2(
    home: Path, tmp_path: Path, words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "results.jsonl"
    try:
        code = run(["map", *words, "--out", str(out), "--home", str(home)])
    except SystemExit as ended:  # by argparse
        code = int(str(ended.code))
    assert code == 2
    assert said in capsys.readouterr().err
    assert line_count(out) == 0


def test_a_script_that_cannot_be_loaded_is_refused_with_code_2(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.py"
    for text in ("def broken(:", "raise SystemExit(0)"):
        script.write_text(text)
        out = str(tmp_path / "results.jsonl")
        assert run(["map", "https://example.com", "--do", str(script), "--out", out, "--home", str(home)]) == 2
        said = capsys.readouterr().err
        assert "cannot be loaded" in said
        assert "Correct the script." in said
