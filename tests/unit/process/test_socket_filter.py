"""Programs that can use TCP and no UDP, and neither can what they start."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from rove.browser.shared import socket_filter

pytestmark = pytest.mark.skipif(not socket_filter.is_supported(), reason="this system has no such filter")

# Prints which sockets a process that it starts can make.
TRIES = """
import json, socket, subprocess, sys
code = '''
import errno, json, socket, sys
made = {}
for family, kind, protocol in json.loads(sys.argv[1]):
    try:
        with socket.socket(family, kind | socket.SOCK_NONBLOCK, protocol):
            made[f"{family} {kind} {protocol}"] = ""
    except OSError as error:
        made[f"{family} {kind} {protocol}"] = errno.errorcode[error.errno]
print(json.dumps(made))
'''
subprocess.run([sys.executable, "-I", "-c", code, sys.argv[1]])
"""
UDPLITE, SCTP, MPTCP, RAW = 136, 132, 262, 255
ALLOWED = [
    (socket.AF_INET, socket.SOCK_STREAM, 0),
    (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP),
    (socket.AF_INET6, socket.SOCK_STREAM, 0),
    (socket.AF_UNIX, socket.SOCK_STREAM, 0),
    (socket.AF_UNIX, socket.SOCK_DGRAM, 0),
    (socket.AF_UNIX, socket.SOCK_SEQPACKET, 0),
]
REFUSED = [
    (socket.AF_INET, socket.SOCK_DGRAM, 0),
    (socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_UDP),
    (socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP),
    (socket.AF_INET, socket.SOCK_DGRAM, UDPLITE),
    (socket.AF_INET6, socket.SOCK_DGRAM, 0),
    (socket.AF_INET, socket.SOCK_RAW, RAW),
    (socket.AF_INET, socket.SOCK_STREAM, MPTCP),
    (socket.AF_INET, socket.SOCK_STREAM, SCTP),
    (socket.AF_INET, socket.SOCK_SEQPACKET, SCTP),
    (socket.AF_PACKET, socket.SOCK_RAW, 0),
    (socket.AF_VSOCK, socket.SOCK_STREAM, 0),
]


def filtered(*command: str) -> subprocess.CompletedProcess[str]:
    start = [sys.executable, "-I", "-S", str(socket_filter.__file__)]
    return subprocess.run([*start, *command], capture_output=True, text=True, timeout=60, check=False)


def test_what_a_filtered_program_starts_can_make_no_sockets_but_streams() -> None:
    tried = json.dumps([tuple(map(int, each)) for each in (*ALLOWED, *REFUSED)])
    made = json.loads(filtered(sys.executable, "-I", "-c", TRIES, tried).stdout)
    answers = list(made.values())
    assert answers[: len(ALLOWED)] == [""] * len(ALLOWED)
    assert answers[len(ALLOWED) :] == ["EACCES"] * len(REFUSED)


def test_a_filtered_program_reaches_a_server_over_tcp() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]})).close(); print('ok')"
        assert filtered(sys.executable, "-I", "-c", code).stdout == "ok\n"


def test_a_program_does_not_start_without_its_filter(tmp_path: Path) -> None:
    broken = tmp_path / "socket_filter.py"
    text = Path(socket_filter.__file__).read_text(encoding="utf-8")
    assert "_IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x54, 0x15" in text
    broken.write_text(text.replace("= 0x20, 0x54, 0x15", "= 0x20, 0x54, 0xFF"), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, str(broken), "/bin/echo", "started"], capture_output=True, text=True, timeout=60
    )
    assert run.returncode != 0 and run.stdout == ""
    assert "installs no filter" in run.stderr.splitlines()[-1]
