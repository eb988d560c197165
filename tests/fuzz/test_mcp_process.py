"""`rove mcp` as a process: malformed messages of every kind neither end it nor fill its memory."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.fuzz.fuzzer import case, corpus_of
from tests.fuzz.targets import target_named
from tests.fuzz.targets.mcp_messages import RAW
from tests.rove_process import temporary_rove_home

COUNT = 300
SEED = 1
MOST_GROWTH_KILOBYTES = 150_000
# A batch of a million messages, and a text that is nested deeper than any parser goes.
LARGE = (b"[" + b"1," * 1_000_000 + b"1]", b"[" * 2_000_000, b'{"id":1,"method":"' + b"x" * 3_000_000 + b'"}')


def ping(process: subprocess.Popen[bytes], identity: str) -> None:
    """Send a ping, and read answers until that to it."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": identity, "method": "ping"}).encode() + b"\n")
    process.stdin.flush()
    while line := process.stdout.readline():
        answer: dict[str, Any] = json.loads(line)
        if answer.get("id") == identity:
            return
    raise AssertionError("the server has ended")


def memory_kilobytes(process: subprocess.Popen[bytes]) -> int:
    status = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return int(next(line for line in status if line.startswith("VmRSS")).split()[1])


def test_malformed_messages_neither_end_the_server_nor_fill_its_memory() -> None:
    target = target_named("mcp_messages")
    corpus = corpus_of(target)
    inputs = [*RAW, *corpus, *(case(target, corpus, SEED, number) for number in range(COUNT)), *LARGE]
    with temporary_rove_home() as rove_home:
        # Without a browser, calls end with an error at once.
        process = rove_home.start(BROWSER="/nonexistent", FETCH_BROWSER="false", START_EARLY="false")
        ping(process, "first")
        before = memory_kilobytes(process)
        assert process.stdin is not None
        for number, data in enumerate(inputs):
            process.stdin.write(data + b"\n")
            if number % 20 == 0 or data in LARGE:
                ping(process, f"after {number}")
        ping(process, "last")
        assert memory_kilobytes(process) - before < MOST_GROWTH_KILOBYTES
