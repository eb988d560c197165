"""A process of ours, for as long as we wait for it.

Not the standard library's `subprocess`: importing that takes longer than starting a process, and a server's browser is
started before anything else (rove/chromium/early_launch.py).
"""

from __future__ import annotations

import fcntl
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# Python ignores them, and whom it starts would ignore them too: SIGPIPE and SIGXFSZ, alike on every system.
_IGNORED = (13, 25)
# Above every number that a child expects something at.
_OUT_OF_THE_WAY = 10
GONE = -1
_MANY = 4096


class ChildProcess:
    """A process in a session of its own: a Ctrl-C in the terminal is for rove, not for it."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], descriptors: Mapping[int, int]) -> None:
        """`descriptors`: what the child finds at which number; whatever else is open here is closed there."""
        held = {
            number: fcntl.fcntl(ours, fcntl.F_DUPFD_CLOEXEC, _OUT_OF_THE_WAY) for number, ours in descriptors.items()
        }
        try:
            actions: list[tuple[int, ...]] = [(os.POSIX_SPAWN_CLOSE, number) for number in _inheritable(held)]
            actions += [(os.POSIX_SPAWN_DUP2, ours, number) for number, ours in held.items()]
            self.pid = os.posix_spawn(
                command[0], list(command), dict(environment), file_actions=actions, setsid=True, setsigdef=_IGNORED
            )
        finally:
            for ours in held.values():
                os.close(ours)
        self.code: int | None = None

    def poll(self) -> int | None:
        """How it ended, or None while it runs."""
        if self.code is None:
            self._reap(os.WNOHANG)
        return self.code

    def wait(self) -> int:
        while self.code is None:
            self._reap(0)
        return self.code

    def _reap(self, options: int) -> None:
        try:
            pid, status = os.waitpid(self.pid, options)
        except ChildProcessError:
            self.code = GONE if self.code is None else self.code  # somebody else has waited for it
            return
        if pid:
            self.code = os.waitstatus_to_exitcode(status)


def _inheritable(wanted: Mapping[int, int]) -> list[int]:
    """What a child would be given that it was not meant to have, left to us open by whoever started us."""
    # Of the three that everyone has, each is always wanted.
    return [number for number in _numbers() if number > 2 and number not in wanted and _is_passed_on(number)]


def _numbers() -> Iterable[int]:
    try:
        return [int(name) for name in os.listdir("/dev/fd") if name.isdigit()]
    except OSError:  # no such folder, as in a bare chroot
        return range(min(os.sysconf("SC_OPEN_MAX"), _MANY))


def _is_passed_on(number: int) -> bool:
    try:
        return os.get_inheritable(number)
    except OSError:
        return False  # closed since, as the one that the list was read through
