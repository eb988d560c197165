"""Other users of the machine neither use the daemon nor pose as it."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from tests.site import Site
from tests.surfaces.daemon.commands import Terminal

from rove.surfaces.cli.daemon.client import IDENTITY
from rove.surfaces.cli.daemon.location import SOCKET, DaemonFailed, connect, daemon_folder
from rove.surfaces.cli.daemon.startup import start

NOBODY = 65534
REQUEST = f'{{"identity": "{IDENTITY}", "arguments": ["stop"]}}\n'.encode()

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")


def as_nobody(act: Callable[[], object]) -> str:
    """Do something as another user in a process of its own; return what came of it, or the name of the error."""
    result, told = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            os.write(told, str(act()).encode())
        except OSError as error:
            os.write(told, type(error).__name__.encode())
        finally:
            os._exit(0)
    os.close(told)
    os.waitpid(child, 0)
    with os.fdopen(result) as file:
        return file.read()


def converse(folder: Path) -> bytes:
    """Ask the daemon to stop; return what it answers."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(str(folder / SOCKET))
        try:
            connection.sendall(REQUEST)
            return connection.recv(1000)
        except ConnectionError:
            return b""


@pytest.fixture
def terminal(home: Path, request: pytest.FixtureRequest) -> Generator[Terminal]:
    folder = home / f"others{abs(hash(request.node.name)) % 10**6}"
    folder.mkdir()
    folder.chmod(0o755)
    home.chmod(0o755)
    made = Terminal(folder)
    yield made
    made.run("stop")


@needs_root
def test_another_user_reaches_nothing_of_the_daemon(terminal: Terminal, site: Site) -> None:
    before = os.umask(0)
    try:
        assert terminal.run("open", site.page("/kept", "Kept")).returncode == 0
    finally:
        os.umask(before)
    folder = terminal.home / "daemon"
    assert [stat.S_IMODE(os.lstat(path).st_mode) for path in (terminal.home, folder)] == [0o700, 0o700]
    assert {stat.S_IMODE(os.lstat(path).st_mode) for path in folder.iterdir()} == {0o600}
    assert as_nobody(lambda: converse(folder)) == "PermissionError"
    # Where the modes do not keep another user out, the daemon itself does.
    for path, mode in ((terminal.home, 0o755), (folder, 0o755), (folder / SOCKET, 0o666)):
        path.chmod(mode)
    assert as_nobody(lambda: converse(folder)) == "b''"
    folder.chmod(0o700)
    assert "/kept" in terminal.run("sessions").stdout


@needs_root
@pytest.mark.parametrize("kind", ["a folder of theirs", "a link", "a file"])
def test_what_another_user_has_put_there_before_is_not_used(home: Path, kind: str) -> None:
    made, elsewhere = home / "planted", home / "elsewhere"
    for folder in (made, elsewhere):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o777)
        os.chown(folder, NOBODY, NOBODY)
    path = made / "daemon"
    if kind == "a folder of theirs":
        path.mkdir(mode=0o700)
        os.chown(path, NOBODY, NOBODY)
    elif kind == "a link":
        path.symlink_to(elsewhere)
    else:
        path.write_text("")
    with pytest.raises(DaemonFailed):
        start(daemon_folder(str(made)), {})
    assert not list(elsewhere.iterdir())
    path.rmdir() if kind == "a folder of theirs" else path.unlink()


@needs_root
def test_a_socket_on_which_another_user_listens_is_told_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder was checked, and was replaced by another before the connection: the check is skipped here."""
    folder = home / "replaced"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    home.chmod(0o755)
    ready, waits = os.pipe()
    child = os.fork()
    if not child:
        os.setuid(NOBODY)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(folder / SOCKET))
        listener.listen()
        os.write(waits, b"1")
        connection, _ = listener.accept()
        os._exit(1 if connection.recv(1) else 0)
    os.read(ready, 1)
    monkeypatch.setattr("rove.surfaces.cli.daemon.location.check_folder", lambda folder: None)
    with pytest.raises(DaemonFailed, match="Another user"):
        connect(str(folder))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, "it has received nothing"
