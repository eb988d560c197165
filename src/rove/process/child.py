"""Starting a child process and waiting for its end.

Not the standard library's `subprocess`: importing it takes longer than starting a process, and the browser of a server
is started before anything else (`rove/chromium/early_launch.py`).
"""

from __future__ import annotations

import fcntl
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

# SIGPIPE and SIGXFSZ (the same numbers on every system): Python ignores them, and a child would inherit that.
_DEFAULT_SIGNALS = (13, 25)
# Descriptors are first copied to numbers from here on, above every number that a child expects one at.
_FIRST_COPY = 10
UNKNOWN_EXIT_CODE = -1
# Descriptors that are checked where the system does not list the open ones.
_MAX_DESCRIPTORS = 4096


class ChildProcess:
    """A process outside of our process group, so that Ctrl-C in the terminal reaches only rove.

    It leads a POSIX session of its own or, with `group`, belongs to that process group; 0 is one of its own.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        descriptors: Mapping[int, int],
        group: int | None = None,
    ) -> None:
        """`descriptors`: our descriptor for each number in the child; all others are closed in the child."""
        # Copies, so that a descriptor is not overwritten before it is used where two exchange their numbers.
        copies = {number: fcntl.fcntl(ours, fcntl.F_DUPFD_CLOEXEC, _FIRST_COPY) for number, ours in descriptors.items()}
        try:
            actions: list[tuple[int, ...]] = [
                (os.POSIX_SPAWN_CLOSE, number) for number in _unwanted_descriptors(copies)
            ]
            actions += [(os.POSIX_SPAWN_DUP2, copy, number) for number, copy in copies.items()]
            leader: dict[str, Any] = {"setsid": True} if group is None else {"setpgroup": group}
            self.pid = os.posix_spawn(
                command[0],
                list(command),
                dict(environment),
                file_actions=actions,
                setsigdef=_DEFAULT_SIGNALS,
                **leader,
            )
        finally:
            for copy in copies.values():
                os.close(copy)
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, or None while the process runs."""
        if self.returncode is None:
            self._reap(os.WNOHANG)
        return self.returncode

    def wait(self) -> int:
        """Wait for the end of the process and return its exit code."""
        while self.returncode is None:
            self._reap(0)
        return self.returncode

    def _reap(self, options: int) -> None:
        try:
            pid, status = os.waitpid(self.pid, options)
        except ChildProcessError:
            # Another thread has already waited for the process.
            self.returncode = UNKNOWN_EXIT_CODE if self.returncode is None else self.returncode
            return
        if pid:
            self.returncode = os.waitstatus_to_exitcode(status)


def _unwanted_descriptors(wanted: Mapping[int, int]) -> list[int]:
    """Return the descriptors that the process that started rove left open, which a child would inherit too."""
    # Standard input, output and error are always wanted.
    return [number for number in _open_descriptors() if number > 2 and number not in wanted and _is_inheritable(number)]


def _open_descriptors() -> Iterable[int]:
    try:
        return [int(name) for name in os.listdir("/dev/fd") if name.isdigit()]
    except OSError:  # no such folder, as in a bare chroot
        return range(min(os.sysconf("SC_OPEN_MAX"), _MAX_DESCRIPTORS))


def _is_inheritable(number: int) -> bool:
    try:
        return os.get_inheritable(number)
    except OSError:
        return False  # closed since it was listed, as the descriptor of the listing itself is
